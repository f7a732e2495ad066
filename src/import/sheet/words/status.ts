/** Columns that change what a row means, such as `Status` and `Time zone`, and the words in them. */

import { FREE, isFree, isNothing, plainWord, plainWords, readFlag } from './words.ts';

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

/** Whether a cell changes its row in a way that is not read: it has another person or time, or counts more than once. */
export function changesRow(heading: string, text: string): boolean {
  const word = plainWord(heading);
  if (text === '' || isNothing(text)) return false;
  if (AGREEMENTS.has(word))
    return (
      readFlag(text) === false || (/^\p{L}/u.test(text) && !readFlag(text) && readStatus(text) !== 'shift')
    );
  if (readFlag(text) === false) return false;
  return CHANGES.has(word) || saysAbsence(heading) || (COUNTS.has(word) && text !== '1');
}

export function isChangeHeading(heading: string): boolean {
  const word = plainWord(heading);
  return CHANGES.has(word) || COUNTS.has(word) || AGREEMENTS.has(word) || saysAbsence(heading);
}

/** Whether a word says that somebody does not come. */
export function saysAbsence(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  // Most texts are something else, and many columns are looked at.
  const start = plainWord(text.slice(0, START).toLowerCase());
  if (start.length === START && !ABSENCE_STARTS.has(start)) return false;
  const meaning = readStatus(text);
  return meaning !== undefined && meaning !== 'shift';
}

/** A shift may not count if such a column says no. */
const AGREEMENTS = plainWords({
  English: 'Approved, Confirmed, Accepted, Active, Is active',
  Dutch: 'Goedgekeurd, Bevestigd, Geaccepteerd, Actief',
  German: 'Genehmigt, Bestätigt, Angenommen, Aktiv',
  French: 'Approuvé, Confirmé, Accepté, Validé, Actif',
  Spanish: 'Aprobado, Confirmado, Aceptado, Activo',
  Italian: 'Approvato, Confermato, Accettato, Attivo',
  Portuguese: 'Aprovado, Confirmado, Aceite, Aceito, Ativo',
  Polish: 'Zatwierdzone, Potwierdzone, Zaakceptowane',
  Czech: 'Schváleno, Potvrzeno, Přijato',
  Danish: 'Godkendt, Bekræftet, Accepteret, Aktiv',
});

const CHANGES = plainWords({
  English:
    'Deleted, Is deleted, Archived, Draft, Is draft, Unpublished, Replaced by, Replacement, Substitute, Swapped with, Swap, Covered by, New start, New start time, New end, New end time, New time, New date, New employee, Repeat, Repeats, Recurrence, Recurring',
  Dutch:
    'Verwijderd, Concept, Vervangen door, Vervanger, Geruild met, Nieuwe starttijd, Nieuwe eindtijd, Herhaling',
  German:
    'Gelöscht, Entwurf, Vertreten durch, Vertretung, Ersatz, Getauscht mit, Tausch mit, Neuer Beginn, Neues Ende, Neue Zeit, Neues Datum, Wiederholung',
  French:
    'Supprimé, Brouillon, Remplacé par, Remplaçant, Échangé avec, Nouveau début, Nouvelle fin, Récurrence',
  Spanish:
    'Eliminado, Borrador, Sustituido por, Sustituto, Cambiado con, Nuevo inicio, Nuevo fin, Repetición',
  Italian: 'Eliminato, Bozza, Sostituito da, Sostituto, Scambiato con, Nuovo inizio, Nuova fine, Ripetizione',
  Portuguese:
    'Eliminado, Rascunho, Substituído por, Substituto, Trocado com, Novo início, Novo fim, Repetição',
  Polish: 'Usunięte, Szkic, Zastępstwo, Zamiana z, Nowy początek, Nowy koniec, Powtarzanie',
  Czech: 'Smazáno, Koncept, Zástup, Výměna s, Nový začátek, Nový konec, Opakování',
  Danish: 'Slettet, Kladde, Erstattet af, Vikar, Byttet med, Ny start, Ny slut, Gentagelse',
});

const COUNTS = plainWords({
  English:
    'Staff needed, Staff required, People needed, People required, Employees needed, Quantity, Qty, Headcount, Slots, Open slots, Openings',
  Dutch: 'Aantal, Benodigd, Aantal medewerkers',
  German: 'Anzahl, Bedarf, Anzahl Personen, Benötigt',
  French: 'Quantité, Effectif, Nombre de personnes',
  Spanish: 'Cantidad, Plazas, Número de personas',
  Italian: 'Quantità, Posti, Numero di persone',
  Portuguese: 'Quantidade, Vagas, Número de pessoas',
  Polish: 'Liczba osób, Ilość',
  Czech: 'Počet, Počet osob',
  Danish: 'Antal, Antal personer',
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

/** Longer texts are sentences. */
const MAX_CHARACTERS = 40;
const START = 3;
const ABSENCE_STARTS: ReadonlySet<string> = new Set(
  [WORDS.none, WORDS.cancelled, WORDS.noshow, FREE].flatMap((words) =>
    [...words].map((word) => word.slice(0, START)),
  ),
);

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
