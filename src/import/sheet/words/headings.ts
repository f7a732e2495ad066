/**
 * What sheets call their columns, by language. Case, accents, spaces and punctuation do not count. docs/importing.md
 * shows this table.
 */

import { SHEET_COLUMNS } from '../../../store/records.ts';
import type { SheetColumn } from '../sheet-row.ts';
import type { InLanguages } from './languages.ts';

/** What a column of a table may be. Some hold what becomes several fields of a shift. */
export type TableColumn = SheetColumn | 'times' | 'hours';

export const TABLE_COLUMNS: readonly TableColumn[] = [...SHEET_COLUMNS, 'times', 'hours'];

export const HEADINGS: Readonly<Record<TableColumn, InLanguages<readonly string[]>>> = {
  id: {
    English: ['Id', 'Shift id'],
    Dutch: ['Dienst-id'],
    German: ['Schicht-ID'],
    French: ['Id service'],
    Spanish: ['Id turno'],
  },
  date: {
    English: ['Date', 'Shift date', 'Start date', 'Work date'],
    Dutch: ['Datum', 'Startdatum', 'Begindatum'],
    German: ['Datum', 'Startdatum', 'Beginndatum'],
    French: ['Date', 'Date de début'],
    Spanish: ['Fecha', 'Fecha de inicio'],
  },
  start_time: {
    English: ['Start', 'Start time', 'Starts', 'Begin', 'Begins', 'From', 'Time in', 'Shift start'],
    Dutch: ['Van', 'Begin', 'Begintijd', 'Start', 'Starttijd', 'Aanvang', 'Vanaf'],
    German: [
      'Von',
      'Beginn',
      'Anfang',
      'Start',
      'Startzeit',
      'Anfangszeit',
      'Dienstbeginn',
      'Schichtbeginn',
      'Ab',
    ],
    French: ['Début', 'De', 'Heure de début', 'Heure début', 'Commence'],
    Spanish: ['Inicio', 'Desde', 'Hora de inicio', 'Hora inicio', 'Comienzo', 'Entrada'],
  },
  end_time: {
    English: ['End', 'End time', 'Ends', 'To', 'Until', 'Till', 'Finish', 'Time out', 'Shift end'],
    Dutch: ['Tot', 'Einde', 'Eind', 'Eindtijd', 'Tot en met'],
    German: ['Bis', 'Ende', 'Endzeit', 'Schluss', 'Dienstende', 'Schichtende'],
    French: ['Fin', 'À', "Jusqu'à", 'Heure de fin', 'Heure fin'],
    Spanish: ['Fin', 'Hasta', 'Hora de fin', 'Hora fin', 'Final', 'Salida'],
  },
  end_date: {
    English: ['End date', 'End day'],
    Dutch: ['Einddatum'],
    German: ['Enddatum'],
    French: ['Date de fin', 'Date fin'],
    Spanish: ['Fecha de fin', 'Fecha fin'],
  },
  group: {
    English: ['Group', 'Group name', 'Team', 'Department', 'Crew'],
    Dutch: ['Groep', 'Ploeg', 'Afdeling', 'Team'],
    German: ['Gruppe', 'Team', 'Abteilung', 'Bereich'],
    French: ['Groupe', 'Équipe', 'Service', 'Département'],
    Spanish: ['Grupo', 'Equipo', 'Departamento'],
  },
  location: {
    English: ['Location', 'Place', 'Site', 'Venue', 'Workplace'],
    Dutch: ['Locatie', 'Plaats', 'Werkplek', 'Vestiging'],
    German: ['Ort', 'Standort', 'Einsatzort', 'Arbeitsort', 'Filiale'],
    French: ['Lieu', 'Site', 'Emplacement'],
    Spanish: ['Lugar', 'Ubicación', 'Sitio', 'Centro'],
  },
  address: {
    English: ['Address', 'Street address', 'Street'],
    Dutch: ['Adres', 'Straat'],
    German: ['Adresse', 'Anschrift', 'Straße'],
    French: ['Adresse', 'Rue'],
    Spanish: ['Dirección', 'Domicilio', 'Calle'],
  },
  person: {
    English: ['Person', 'Employee', 'Employee name', 'Staff', 'Worker', 'Assignee', 'Full name', 'Who'],
    Dutch: ['Persoon', 'Medewerker', 'Werknemer', 'Collega', 'Wie'],
    German: [
      'Person',
      'Mitarbeiter',
      'Mitarbeiterin',
      'Mitarbeiter/in',
      'Mitarbeitende',
      'Angestellter',
      'Wer',
    ],
    French: ['Personne', 'Employé', 'Employée', 'Salarié', 'Collaborateur', 'Qui'],
    Spanish: ['Persona', 'Empleado', 'Empleada', 'Trabajador', 'Quién'],
  },
  publish_date: {
    English: ['Publish date', 'Published', 'Published on', 'Published from', 'Publication date'],
    Dutch: ['Publicatiedatum', 'Gepubliceerd op', 'Gepubliceerd'],
    German: ['Veröffentlicht am', 'Veröffentlichung', 'Veröffentlicht', 'Veröffentlichungsdatum'],
    French: ['Date de publication', 'Publié le', 'Publication'],
    Spanish: ['Fecha de publicación', 'Publicado el', 'Publicación'],
  },
  remarks: {
    English: ['Remarks', 'Remark', 'Notes', 'Note', 'Comment', 'Comments', 'Description'],
    Dutch: ['Opmerking', 'Opmerkingen', 'Notitie', 'Notities', 'Omschrijving', 'Toelichting'],
    German: [
      'Bemerkung',
      'Bemerkungen',
      'Notiz',
      'Notizen',
      'Anmerkung',
      'Anmerkungen',
      'Kommentar',
      'Hinweis',
    ],
    French: ['Remarque', 'Remarques', 'Note', 'Notes', 'Commentaire', 'Commentaires'],
    Spanish: ['Observaciones', 'Observación', 'Notas', 'Nota', 'Comentario', 'Comentarios'],
  },
  starred: {
    English: ['Starred', 'Star', 'Highlighted', 'Favorite', 'Favourite'],
    Dutch: ['Ster', 'Met ster', 'Favoriet'],
    German: ['Stern', 'Markiert', 'Favorit'],
    French: ['Étoile', 'Favori'],
    Spanish: ['Estrella', 'Destacado', 'Favorito'],
  },
  cancelled: {
    English: ['Cancelled', 'Canceled'],
    Dutch: ['Geannuleerd', 'Vervallen', 'Afgezegd'],
    German: ['Abgesagt', 'Storniert', 'Ausgefallen', 'Entfällt'],
    French: ['Annulé', 'Annulée'],
    Spanish: ['Cancelado', 'Cancelada', 'Anulado'],
  },
  noshow: {
    English: ['No-show', 'Did not come'],
    Dutch: ['Niet verschenen', 'Niet gekomen'],
    German: ['Nicht erschienen'],
    French: ['Non présenté', 'Pas venu'],
    Spanish: ['No presentado', 'No se presentó'],
  },
  times: {
    English: ['Time', 'Times', 'Shift time', 'Shift times', 'Working hours', 'Working time'],
    Dutch: ['Tijd', 'Tijden', 'Werktijd', 'Werktijden', 'Diensttijd'],
    German: ['Zeit', 'Zeiten', 'Uhrzeit', 'Arbeitszeit', 'Dienstzeit', 'Schichtzeit'],
    French: ['Horaire', 'Horaires', 'Heure'],
    Spanish: ['Hora', 'Horario', 'Horarios'],
  },
  hours: {
    English: ['Hours', 'Duration', 'Length', 'Total hours'],
    Dutch: ['Uren', 'Duur', 'Aantal uren'],
    German: ['Stunden', 'Dauer', 'Std'],
    French: ['Heures', 'Durée', "Nombre d'heures"],
    Spanish: ['Horas', 'Duración'],
  },
};

/** Taken only where no other heading of the sheet stands for the column: beside a `Date`, `Day` is a weekday. */
export const SECOND_HEADINGS: Readonly<Partial<Record<TableColumn, InLanguages<readonly string[]>>>> = {
  date: { English: ['Day'], Dutch: ['Dag'], German: ['Tag'], French: ['Jour'], Spanish: ['Día'] },
  person: { English: ['Name'], Dutch: ['Naam'], German: ['Name'], French: ['Nom'], Spanish: ['Nombre'] },
};
