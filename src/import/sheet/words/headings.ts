/**
 * What sheets call their columns, by language, and which column a heading stands for. docs/importing.md shows the
 * table.
 */

import { closest, distance } from 'fastest-levenshtein';
import { SHEET_COLUMNS } from '../../../store/records.ts';
import { type InLanguages, plainWord, plainWords } from './words.ts';

export type SheetColumn = (typeof SHEET_COLUMNS)[number];

/** The columns that a sheet may have. Some of them become several fields of a shift. */
export type TableColumn = SheetColumn | 'times' | 'hours' | 'first_name' | 'last_name';

/**
 * Words with a star only count if no other heading of the sheet stands for the column: beside `Date`, `Day` is a
 * weekday.
 */
export const HEADINGS: Readonly<Record<TableColumn, InLanguages<string>>> = {
  id: {
    English: 'Id, Shift id',
    Dutch: 'Dienst-id',
    German: 'Schicht-ID',
    French: 'Id service',
    Spanish: 'Id turno',
  },
  date: {
    English: 'Date, Shift date, Start date, Work date, Start day, Shift day, Day*',
    Dutch: 'Datum, Startdatum, Begindatum, Dienstdatum, Werkdatum, Dag*',
    German: 'Datum, Startdatum, Beginndatum, Schichtdatum, Arbeitstag, Tag*',
    French: 'Date, Date de début, Date du service, Jour*',
    Spanish: 'Fecha, Fecha de inicio, Fecha del turno, Fecha turno, Día*',
  },
  start_time: {
    English:
      'Start, Start time, Starts, Begin, Begins, From, Time in, Shift start, Starts at, In, In time, Clock in, Begin time, Time from, Scheduled start',
    Dutch: 'Van, Begin, Begintijd, Start, Starttijd, Aanvang, Vanaf, Aanvangstijd, Tijd van, Begin dienst',
    German:
      'Von, Beginn, Anfang, Start, Startzeit, Anfangszeit, Dienstbeginn, Schichtbeginn, Ab, Uhrzeit von, Zeit von, Arbeitsbeginn, Beginnzeit, Schichtanfang',
    French:
      "Début, De, Heure de début, Heure début, Commence, Heure d'arrivée, Arrivée, Prise de poste, Début de service",
    Spanish:
      'Inicio, Desde, Hora de inicio, Hora inicio, Comienzo, Entrada, Hora de entrada, Hora entrada, Hora inicial, Hora desde, Empieza',
  },
  end_time: {
    English:
      'End, End time, Ends, To, Until, Till, Finish, Time out, Shift end, Ends at, Out, Out time, Clock out, Finish time, Time to, Scheduled end',
    Dutch: 'Tot, Einde, Eind, Eindtijd, Tot en met, Tijd tot, Einde dienst',
    German: 'Bis, Ende, Endzeit, Schluss, Dienstende, Schichtende, Uhrzeit bis, Zeit bis, Arbeitsende',
    French: "Fin, À, Jusqu'à, Heure de fin, Heure fin, Heure de départ, Départ, Fin de poste, Fin de service",
    Spanish:
      'Fin, Hasta, Hora de fin, Hora fin, Final, Salida, Hora de salida, Hora salida, Hora final, Hora hasta, Termina',
  },
  end_date: {
    English: 'End date, End day',
    Dutch: 'Einddatum',
    German: 'Enddatum',
    French: 'Date de fin, Date fin',
    Spanish: 'Fecha de fin, Fecha fin',
  },
  group: {
    English:
      'Group, Group name, Team, Department, Crew, Team name, Department name, Dept, Position*, Role*, Area*, Section*, Job*',
    Dutch: 'Groep, Ploeg, Afdeling, Team, Groepsnaam, Teamnaam, Functie*, Rol*, Sectie*',
    German:
      'Gruppe, Team, Abteilung, Bereich, Gruppenname, Teamname, Arbeitsbereich, Einsatzbereich, Position*, Funktion*, Rolle*, Tätigkeit*',
    French: 'Groupe, Équipe, Service, Département, Poste*, Fonction*, Rôle*, Secteur*',
    Spanish: 'Grupo, Equipo, Departamento, Puesto*, Función*, Área*, Sección*',
  },
  location: {
    English: 'Location, Place, Site, Venue, Workplace, Work location, Job site, Store*, Branch*, Office*',
    Dutch: 'Locatie, Plaats, Werkplek, Vestiging, Filiaal, Standplaats, Winkel*, Kantoor*',
    German:
      'Ort, Standort, Einsatzort, Arbeitsort, Filiale, Niederlassung, Einsatzstelle, Betriebsstätte, Objekt*, Laden*',
    French: 'Lieu, Site, Emplacement, Établissement, Lieu de travail, Magasin*, Agence*',
    Spanish: 'Lugar, Ubicación, Sitio, Centro, Centro de trabajo, Lugar de trabajo, Sede, Tienda*, Local*',
  },
  address: {
    English: 'Address, Street address, Street',
    Dutch: 'Adres, Straat',
    German: 'Adresse, Anschrift, Straße',
    French: 'Adresse, Rue',
    Spanish: 'Dirección, Domicilio, Calle',
  },
  person: {
    English:
      'Person, Employee, Employee name, Staff, Worker, Assignee, Full name, Who, Name of employee, Staff member, Staff name, Team member, Assigned to, Name*, User*, Users*, Employees*, Assigned*',
    Dutch:
      'Persoon, Medewerker, Werknemer, Collega, Wie, Naam medewerker, Naam werknemer, Personeelslid, Naam*, Medewerkers*, Personeel*',
    German:
      'Person, Mitarbeiter, Mitarbeiterin, Mitarbeiter/in, Mitarbeitende, Angestellter, Wer, Mitarbeitername, Name Mitarbeiter, Name des Mitarbeiters, Beschäftigte, Beschäftigter, Arbeitnehmer, Name*, Personal*, MA*',
    French:
      "Personne, Employé, Employée, Salarié, Collaborateur, Qui, Salariée, Collaboratrice, Nom du salarié, Nom de l'employé, Nom et prénom, Nom complet, Nom*, Personnel*, Agent*",
    Spanish:
      'Persona, Empleado, Empleada, Trabajador, Quién, Trabajadora, Trabajador/a, Empleado/a, Nombre del empleado, Nombre completo, Nombre y apellidos, Nombre*, Personal*, Empleados*',
  },
  publish_date: {
    English: 'Publish date, Published, Published on, Published from, Publication date',
    Dutch: 'Publicatiedatum, Gepubliceerd op, Gepubliceerd',
    German: 'Veröffentlicht am, Veröffentlichung, Veröffentlicht, Veröffentlichungsdatum',
    French: 'Date de publication, Publié le, Publication',
    Spanish: 'Fecha de publicación, Publicado el, Publicación',
  },
  remarks: {
    English: 'Remarks, Remark, Notes, Note, Comment, Comments, Description, Shift notes',
    Dutch: 'Opmerking, Opmerkingen, Notitie, Notities, Omschrijving, Toelichting, Bijzonderheden',
    German:
      'Bemerkung, Bemerkungen, Notiz, Notizen, Anmerkung, Anmerkungen, Kommentar, Hinweis, Hinweise, Beschreibung',
    French: 'Remarque, Remarques, Note, Notes, Commentaire, Commentaires, Observations',
    Spanish: 'Observaciones, Observación, Notas, Nota, Comentario, Comentarios, Descripción',
  },
  starred: {
    English: 'Starred, Star, Highlighted, Favorite, Favourite',
    Dutch: 'Ster, Met ster, Favoriet',
    German: 'Stern, Markiert, Favorit',
    French: 'Étoile, Favori',
    Spanish: 'Estrella, Destacado, Favorito',
  },
  cancelled: {
    English: 'Cancelled, Canceled',
    Dutch: 'Geannuleerd, Vervallen, Afgezegd',
    German: 'Abgesagt, Storniert, Ausgefallen, Entfällt',
    French: 'Annulé, Annulée',
    Spanish: 'Cancelado, Cancelada, Anulado',
  },
  noshow: {
    English: 'No-show, Did not come',
    Dutch: 'Niet verschenen, Niet gekomen',
    German: 'Nicht erschienen',
    French: 'Non présenté, Pas venu',
    Spanish: 'No presentado, No se presentó',
  },
  times: {
    English: 'Time, Times, Shift time, Shift times, Working hours, Working time, Shift*',
    Dutch: 'Tijd, Tijden, Werktijd, Werktijden, Diensttijd, Dienst*',
    German: 'Zeit, Zeiten, Uhrzeit, Arbeitszeit, Dienstzeit, Schichtzeit, Schicht*, Dienst*',
    French: 'Horaire, Horaires, Heure, Vacation*',
    Spanish: 'Hora, Horario, Horarios, Turno*',
  },
  hours: {
    English: 'Hours, Duration, Length, Total hours, Scheduled hours, Hrs',
    Dutch: 'Uren, Duur, Aantal uren, Werkuren, Totaal uren',
    German: 'Stunden, Dauer, Std, Arbeitsstunden, Anzahl Stunden',
    French: "Heures, Durée, Nombre d'heures, Total heures, Nb heures",
    Spanish: 'Horas, Duración, Total horas, Número de horas',
  },
  first_name: {
    English: 'First name, Given name, Forename',
    Dutch: 'Voornaam',
    German: 'Vorname',
    French: 'Prénom',
    Spanish: 'Nombre de pila',
  },
  last_name: {
    English: 'Last name, Surname, Family name',
    Dutch: 'Achternaam, Familienaam',
    German: 'Nachname, Familienname, Zuname',
    French: 'Nom de famille',
    Spanish: 'Apellidos, Apellido',
  },
};

export const TABLE_COLUMNS = Object.keys(HEADINGS) as readonly TableColumn[];

/** Words with a star are of the second rank. */
type Rank = 'first' | 'second';

/** `Start (24h)` is `Start`. undefined: the heading is not understood. */
export function columnOf(heading: string, rank: Rank): TableColumn | undefined {
  const words = WORDS[rank];
  return words.get(plainWord(heading)) ?? words.get(plainWord(beforeBracket(heading)));
}

/** The column whose heading this almost is; undefined if it is unlike all of them, or is itself a word of the table. */
export function nearlyColumn(heading: string): TableColumn | undefined {
  const plain = plainWord(heading);
  if (plain === '' || plain.length > MAX_HINT_LENGTH || WORDS.first.has(plain) || WORDS.second.has(plain))
    return undefined;
  // Most words are too long or too short, and comparing them is slow.
  const words = LONG_WORDS.filter(({ length }) => Math.abs(length - plain.length) <= MAX_DISTANCE);
  if (words.length === 0) return undefined;
  const near = closest(plain, words);
  return distance(plain, near) <= Math.min(MAX_DISTANCE, near.length / 3) ? WORDS.first.get(near) : undefined;
}

const MAX_HINT_LENGTH = 40;
const MAX_DISTANCE = 2;
/** Shorter words resemble too many others. */
const MIN_MISSPELT_LENGTH = 4;

function wordsOf(rank: Rank): readonly (readonly [string, TableColumn])[] {
  return TABLE_COLUMNS.flatMap((column) =>
    Object.values(HEADINGS[column])
      .flatMap((words) => words.split(', '))
      .filter((word) => word.endsWith('*') === (rank === 'second'))
      .map((word) => [plainWord(word), column] as const),
  );
}

const WORDS: Readonly<Record<Rank, ReadonlyMap<string, TableColumn>>> = {
  first: new Map([
    ...wordsOf('first'),
    ...SHEET_COLUMNS.map((column) => [plainWord(column), column] as const),
  ]),
  second: new Map(wordsOf('second')),
};
/** A `Shift` is not a misspelt `Shift id`. */
const LONG_WORDS = [...WORDS.first].flatMap(([word, column]) =>
  word.length >= MIN_MISSPELT_LENGTH && column !== 'id' ? word : [],
);

/** Whether a heading names a column of breaks. `Pause (min)` is `Pause`. */
export function isBreakWord(heading: string): boolean {
  return BREAKS.has(plainWord(beforeBracket(heading)));
}

const BREAKS = plainWords({
  English: 'Break, Breaks, Unpaid break, Meal break, Break time, Lunch',
  Dutch: 'Pauze, Pauzes, Pauzetijd',
  German: 'Pause, Pausen, Pausenzeit, Pausendauer',
  French: 'Pause, Pauses, Temps de pause, Coupure',
  Spanish: 'Pausa, Pausas, Descanso, Descansos',
});

/** `Start` of `Start (24h)`. */
function beforeBracket(heading: string): string {
  return heading.split(/[([]/, 1)[0] ?? '';
}
