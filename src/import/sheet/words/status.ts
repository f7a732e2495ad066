/** Columns that change what a row means, such as `Status` and `Time zone`, and the words in them. */

import { isFree, plainWord, plainWords } from './words.ts';

/** What a word in such a column says about its row. */
export const STATUS_MEANINGS = ['shift', 'none', 'cancelled', 'noshow'] as const;
export type StatusMeaning = (typeof STATUS_MEANINGS)[number];

/** Whether a heading names a column of such words. A `vague` one may as well hold something else. */
export function statusHeading(heading: string): 'sure' | 'vague' | undefined {
  const word = plainWord(heading);
  return STATUS_HEADINGS.has(word) ? 'sure' : VAGUE_HEADINGS.has(word) ? 'vague' : undefined;
}

const STATUS_HEADINGS = plainWords({
  English:
    'Status, Shift status, Booking status, Attendance, Absence, Absence type, Leave, Leave type, Time off',
  Dutch: 'Dienststatus, Afwezigheid, Verlof, Verloftype, Aanwezigheid',
  German: 'Schichtstatus, Dienststatus, Abwesenheit, Abwesenheitsart, Fehlzeit, Anwesenheit',
  French: "Statut, Absence, Type d'absence, Congé, Présence",
  Spanish: 'Ausencia, Tipo de ausencia, Asistencia, Situación',
  Italian: 'Assenza, Tipo di assenza, Presenza',
  Portuguese: 'Ausência, Tipo de ausência, Presença, Situação',
  Polish: 'Nieobecność, Urlop, Obecność',
  Czech: 'Nepřítomnost, Docházka',
  Danish: 'Fravær, Fraværstype, Fremmøde',
});

const VAGUE_HEADINGS = plainWords({
  English: 'State, Shift state, Type, Shift type, Kind',
  Dutch: 'Soort, Diensttype, Dienstsoort',
  German: 'Art, Typ, Schichtart, Schichttyp, Dienstart, Zustand',
  French: 'État, Type de service',
  Spanish: 'Estado, Tipo, Tipo de turno',
  Italian: 'Stato, Tipo di turno, Tipologia',
  Portuguese: 'Tipo de serviço',
  Polish: 'Rodzaj, Stan',
  Czech: 'Stav, Druh',
  Danish: 'Vagttype',
});

/** undefined: the word is not known. */
export function readStatus(text: string): StatusMeaning | undefined {
  const word = plainWord(text);
  // Signs tell nothing here.
  if (word === '') return 'shift';
  if (WORDS.cancelled.has(word)) return 'cancelled';
  if (WORDS.noshow.has(word)) return 'noshow';
  if (WORDS.shift.has(word)) return 'shift';
  // A free shift may be one that nobody has yet.
  return WORDS.none.has(word) || (isFree(text) && !AVAILABLE.has(word)) ? 'none' : undefined;
}

const WORDS = {
  cancelled: plainWords({
    English: 'cancelled, canceled',
    Dutch: 'geannuleerd, vervallen, afgezegd',
    German: 'abgesagt, storniert, ausgefallen, entfällt',
    French: 'annulé, annulée',
    Spanish: 'cancelado, cancelada, anulado',
    Italian: 'annullato, annullata, cancellato',
    Portuguese: 'cancelado, cancelada',
    Polish: 'odwołane, odwołana, anulowane, anulowana',
    Czech: 'zrušeno, zrušená, zrušena',
    Danish: 'aflyst, annulleret',
  }),
  noshow: plainWords({
    English: 'no-show, did not attend, did not come, missed',
    Dutch: 'niet verschenen, niet gekomen',
    German: 'nicht erschienen',
    French: 'non présenté, pas venu, absence injustifiée',
    Spanish: 'no presentado, no se presentó',
    Italian: 'non presentato, assente ingiustificato',
    Portuguese: 'não compareceu, falta injustificada',
    Polish: 'nie przyszedł, nieobecność nieusprawiedliwiona',
    Czech: 'nedostavil se, nepřišel',
    Danish: 'udeblevet, ikke mødt',
  }),
  shift: plainWords({
    English:
      'confirmed, scheduled, planned, published, accepted, approved, assigned, active, ok, open, filled, worked, completed, complete, done, finished, normal, regular, standard, shift, work, working, on duty, present, attended, started, in progress',
    Dutch:
      'bevestigd, gepland, gepubliceerd, geaccepteerd, goedgekeurd, toegewezen, actief, gewerkt, normaal, dienst, aanwezig',
    German:
      'bestätigt, geplant, veröffentlicht, angenommen, genehmigt, zugewiesen, aktiv, offen, gearbeitet, erledigt, Schicht, Dienst, Arbeit, anwesend, besetzt',
    French:
      'confirmé, planifié, publié, accepté, approuvé, validé, attribué, actif, terminé, normal, service, présent',
    Spanish:
      'confirmado, programado, planificado, publicado, aceptado, aprobado, asignado, activo, terminado, turno, presente',
    Italian:
      'confermato, pianificato, programmato, pubblicato, accettato, approvato, assegnato, attivo, normale, turno, presente',
    Portuguese:
      'confirmado, planeado, planejado, agendado, publicado, aceite, aceito, aprovado, atribuído, ativo, turno, presente',
    Polish:
      'potwierdzone, potwierdzona, zaplanowane, zaplanowana, opublikowane, zaakceptowane, zatwierdzone, zmiana, obecny, obecna',
    Czech: 'potvrzeno, naplánováno, zveřejněno, přijato, schváleno, přiděleno, směna, přítomen',
    Danish:
      'bekræftet, planlagt, offentliggjort, accepteret, godkendt, tildelt, aktiv, vagt, til stede, mødt',
  }),
  none: plainWords({
    English:
      'absent, absence, time off, rest day, unavailable, sickness, ill, off sick, unpaid leave, paid leave, parental leave, maternity leave, paternity leave, compassionate leave, bank holiday, public holiday, deleted, removed',
    Dutch:
      'afwezig, ziekte, ziekteverlof, ouderschapsverlof, zwangerschapsverlof, feestdag, verwijderd, niet beschikbaar',
    German:
      'abwesend, Abwesenheit, Krankheit, krankgemeldet, Elternzeit, Mutterschutz, Feiertag, Sonderurlaub, gelöscht, nicht verfügbar',
    French:
      'absent, absente, absence, arrêt maladie, congé maladie, congés payés, congé maternité, congé parental, RTT, férié, supprimé',
    Spanish: 'ausente, ausencia, baja médica, enfermedad, permiso, festivo, eliminado',
    Italian: 'assente, assenza, malato, congedo parentale, maternità, festivo, eliminato',
    Portuguese: 'ausente, ausência, baixa médica, licença médica, feriado, eliminado',
    Polish: 'nieobecny, nieobecna, nieobecność, urlop wypoczynkowy, chory, chora, święto, usunięte',
    Czech: 'nepřítomen, nepřítomnost, nemocný, nemocná, svátek, mateřská, smazáno',
    Danish: 'fraværende, fravær, sygdom, sygemeldt, barsel, helligdag, slettet',
  }),
};

const AVAILABLE = plainWords({
  English: 'free',
  Dutch: 'vrij',
  German: 'frei',
  French: 'libre',
  Spanish: 'libre',
  Italian: 'libero',
  Portuguese: 'livre',
  Polish: 'wolne',
  Czech: 'volno',
  Danish: 'fri',
});

/** Whether a heading names a column of time zones. */
export function isZoneHeading(heading: string): boolean {
  return ZONE_HEADINGS.has(plainWord(heading));
}

const ZONE_HEADINGS = plainWords({
  English: 'Time zone, TZ, Shift time zone, Location time zone',
  Dutch: 'Tijdzone',
  German: 'Zeitzone',
  French: 'Fuseau horaire, Fuseau',
  Spanish: 'Zona horaria, Huso horario',
  Italian: 'Fuso orario',
  Portuguese: 'Fuso horário',
  Polish: 'Strefa czasowa',
  Czech: 'Časové pásmo',
  Danish: 'Tidszone',
});

/** Whether a heading says that its times are not those of the place: `Start (UTC)`, `End GMT+1`. */
export function namesZone(heading: string): boolean {
  return /(?:^|[^\p{L}])(?:utc|gmt|zulu)(?:$|[^\p{L}])|[+-]\d\d:?\d\d\b/iu.test(heading);
}
