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
    Italian: 'Id turno',
    Portuguese: 'Id turno, Id do turno',
    Polish: 'Id zmiany',
    Czech: 'Id směny',
    Danish: 'Vagt-id',
  },
  date: {
    English: 'Date, Shift date, Start date, Work date, Start day, Shift day, Day*',
    Dutch: 'Datum, Startdatum, Begindatum, Dienstdatum, Werkdatum, Dag*',
    German: 'Datum, Startdatum, Beginndatum, Schichtdatum, Arbeitstag, Tag*',
    French: 'Date, Date de début, Date du service, Jour*',
    Spanish: 'Fecha, Fecha de inicio, Fecha del turno, Fecha turno, Día*',
    Italian: 'Data, Data di inizio, Data inizio, Data turno, Giorno*',
    Portuguese: 'Data, Data de início, Data do turno, Dia*',
    Polish: 'Data, Data rozpoczęcia, Data zmiany, Dzień*',
    Czech: 'Datum, Datum začátku, Datum směny, Den*',
    Danish: 'Dato, Startdato, Vagtdato, Dag*',
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
    Italian: 'Inizio, Da, Dalle, Ora inizio, Ora di inizio, Orario inizio, Entrata',
    Portuguese: 'Início, De, Das, Hora de início, Hora início, Começo, Entrada, Hora de entrada',
    Polish: 'Od, Początek, Start, Rozpoczęcie, Godzina rozpoczęcia, Od godziny, Godzina od',
    Czech: 'Od, Začátek, Start, Čas od, Začátek směny, Příchod',
    Danish: 'Fra, Start, Starttid, Starttidspunkt, Begynder, Mødetid',
  },
  end_time: {
    English:
      'End, End time, Ends, To, Until, Till, Finish, Time out, Shift end, Ends at, Out, Out time, Clock out, Finish time, Time to, Scheduled end',
    Dutch: 'Tot, Einde, Eind, Eindtijd, Tot en met, Tijd tot, Einde dienst',
    German: 'Bis, Ende, Endzeit, Schluss, Dienstende, Schichtende, Uhrzeit bis, Zeit bis, Arbeitsende',
    French: "Fin, À, Jusqu'à, Heure de fin, Heure fin, Heure de départ, Départ, Fin de poste, Fin de service",
    Spanish:
      'Fin, Hasta, Hora de fin, Hora fin, Final, Salida, Hora de salida, Hora salida, Hora final, Hora hasta, Termina',
    Italian: 'Fine, A, Alle, Ora fine, Ora di fine, Orario fine, Uscita',
    Portuguese: 'Fim, Até, Às, Hora de fim, Hora fim, Término, Saída, Hora de saída',
    Polish: 'Koniec, Zakończenie, Godzina zakończenia, Do godziny, Godzina do',
    Czech: 'Konec, Čas do, Konec směny, Odchod',
    Danish: 'Til, Slut, Sluttid, Sluttidspunkt, Slutter',
  },
  end_date: {
    English: 'End date, End day',
    Dutch: 'Einddatum',
    German: 'Enddatum',
    French: 'Date de fin, Date fin',
    Spanish: 'Fecha de fin, Fecha fin',
    Italian: 'Data di fine, Data fine',
    Portuguese: 'Data de fim, Data fim, Data de término',
    Polish: 'Data zakończenia, Data końca',
    Czech: 'Datum konce',
    Danish: 'Slutdato',
  },
  group: {
    English:
      'Group, Group name, Team, Department, Crew, Team name, Department name, Dept, Position*, Role*, Area*, Section*, Job*',
    Dutch: 'Groep, Ploeg, Afdeling, Team, Groepsnaam, Teamnaam, Functie*, Rol*, Sectie*',
    German:
      'Gruppe, Team, Abteilung, Bereich, Gruppenname, Teamname, Arbeitsbereich, Einsatzbereich, Position*, Funktion*, Rolle*, Tätigkeit*',
    French: 'Groupe, Équipe, Service, Département, Poste*, Fonction*, Rôle*, Secteur*',
    Spanish: 'Grupo, Equipo, Departamento, Puesto*, Función*, Área*, Sección*',
    Italian: 'Gruppo, Squadra, Reparto, Team, Ruolo*, Mansione*, Settore*',
    Portuguese: 'Grupo, Equipa, Equipe, Departamento, Função*, Cargo*, Setor*',
    Polish: 'Grupa, Zespół, Dział, Stanowisko*, Funkcja*, Rola*',
    Czech: 'Skupina, Tým, Oddělení, Pozice*, Funkce*, Role*',
    Danish: 'Gruppe, Hold, Team, Afdeling, Funktion*, Stilling*, Rolle*',
  },
  location: {
    English: 'Location, Place, Site, Venue, Workplace, Work location, Job site, Store*, Branch*, Office*',
    Dutch: 'Locatie, Plaats, Werkplek, Vestiging, Filiaal, Standplaats, Winkel*, Kantoor*',
    German:
      'Ort, Standort, Einsatzort, Arbeitsort, Filiale, Niederlassung, Einsatzstelle, Betriebsstätte, Objekt*, Laden*',
    French: 'Lieu, Site, Emplacement, Établissement, Lieu de travail, Magasin*, Agence*',
    Spanish: 'Lugar, Ubicación, Sitio, Centro, Centro de trabajo, Lugar de trabajo, Sede, Tienda*, Local*',
    Italian: 'Luogo, Sede, Sito, Luogo di lavoro, Punto vendita, Negozio*, Filiale*',
    Portuguese: 'Local, Localização, Lugar, Local de trabalho, Loja*, Filial*',
    Polish: 'Miejsce, Lokalizacja, Miejsce pracy, Lokal*, Sklep*',
    Czech: 'Místo, Pracoviště, Lokalita, Pobočka*, Provozovna*',
    Danish: 'Sted, Lokation, Arbejdssted, Butik*',
  },
  address: {
    English: 'Address, Street address, Street',
    Dutch: 'Adres, Straat',
    German: 'Adresse, Anschrift, Straße',
    French: 'Adresse, Rue',
    Spanish: 'Dirección, Domicilio, Calle',
    Italian: 'Indirizzo, Via',
    Portuguese: 'Endereço, Morada, Rua',
    Polish: 'Adres, Ulica',
    Czech: 'Adresa, Ulice',
    Danish: 'Adresse, Gade',
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
    Italian:
      'Persona, Dipendente, Lavoratore, Lavoratrice, Collaboratore, Operatore, Nome e cognome, Cognome e nome, Chi, Nome*, Nominativo*, Addetto*, Personale*',
    Portuguese:
      'Pessoa, Funcionário, Funcionária, Colaborador, Colaboradora, Trabalhador, Empregado, Nome completo, Quem, Nome*, Pessoal*',
    Polish: 'Osoba, Pracownik, Pracownica, Imię i nazwisko, Nazwisko i imię, Kto, Pracownicy*, Personel*',
    Czech: 'Osoba, Zaměstnanec, Pracovník, Jméno a příjmení, Příjmení a jméno, Kdo, Jméno*, Zaměstnanci*',
    Danish: 'Person, Medarbejder, Ansat, Medarbejdernavn, Hvem, Navn*, Medarbejdere*, Personale*',
  },
  publish_date: {
    English: 'Publish date, Published, Published on, Published from, Publication date',
    Dutch: 'Publicatiedatum, Gepubliceerd op, Gepubliceerd',
    German: 'Veröffentlicht am, Veröffentlichung, Veröffentlicht, Veröffentlichungsdatum',
    French: 'Date de publication, Publié le, Publication',
    Spanish: 'Fecha de publicación, Publicado el, Publicación',
    Italian: 'Data di pubblicazione, Pubblicato il, Pubblicato',
    Portuguese: 'Data de publicação, Publicado em, Publicado',
    Polish: 'Data publikacji, Opublikowano',
    Czech: 'Datum zveřejnění, Zveřejněno',
    Danish: 'Publiceringsdato, Offentliggjort',
  },
  remarks: {
    English: 'Remarks, Remark, Notes, Note, Comment, Comments, Description, Shift notes',
    Dutch: 'Opmerking, Opmerkingen, Notitie, Notities, Omschrijving, Toelichting, Bijzonderheden',
    German:
      'Bemerkung, Bemerkungen, Notiz, Notizen, Anmerkung, Anmerkungen, Kommentar, Hinweis, Hinweise, Beschreibung',
    French: 'Remarque, Remarques, Note, Notes, Commentaire, Commentaires, Observations',
    Spanish: 'Observaciones, Observación, Notas, Nota, Comentario, Comentarios, Descripción',
    Italian: 'Nota, Note, Osservazioni, Commento, Commenti, Descrizione',
    Portuguese: 'Observações, Observação, Nota, Notas, Comentário, Comentários, Descrição',
    Polish: 'Uwagi, Uwaga, Notatki, Notatka, Komentarz, Opis',
    Czech: 'Poznámka, Poznámky, Komentář, Popis',
    Danish: 'Bemærkning, Bemærkninger, Note, Noter, Kommentar, Beskrivelse',
  },
  starred: {
    English: 'Starred, Star, Highlighted, Favorite, Favourite',
    Dutch: 'Ster, Met ster, Favoriet',
    German: 'Stern, Markiert, Favorit',
    French: 'Étoile, Favori',
    Spanish: 'Estrella, Destacado, Favorito',
    Italian: 'Stella, Preferito',
    Portuguese: 'Estrela, Destaque, Favorito',
    Polish: 'Gwiazdka, Ulubione',
    Czech: 'Hvězdička, Oblíbené',
    Danish: 'Stjerne, Favorit',
  },
  cancelled: {
    English: 'Cancelled, Canceled',
    Dutch: 'Geannuleerd, Vervallen, Afgezegd',
    German: 'Abgesagt, Storniert, Ausgefallen, Entfällt',
    French: 'Annulé, Annulée',
    Spanish: 'Cancelado, Cancelada, Anulado',
    Italian: 'Annullato, Annullata',
    Portuguese: 'Cancelado, Cancelada, Anulado',
    Polish: 'Odwołane, Anulowane',
    Czech: 'Zrušeno, Zrušená',
    Danish: 'Aflyst, Annulleret',
  },
  noshow: {
    English: 'No-show, Did not come',
    Dutch: 'Niet verschenen, Niet gekomen',
    German: 'Nicht erschienen',
    French: 'Non présenté, Pas venu',
    Spanish: 'No presentado, No se presentó',
    Italian: 'Non presentato, Non si è presentato',
    Portuguese: 'Não compareceu',
    Polish: 'Nie przyszedł, Niestawienie',
    Czech: 'Nedostavil se, Nepřišel',
    Danish: 'Udeblevet, Ikke mødt',
  },
  times: {
    English: 'Time, Times, Shift time, Shift times, Working hours, Working time, Shift*',
    Dutch: 'Tijd, Tijden, Werktijd, Werktijden, Diensttijd, Dienst*',
    German: 'Zeit, Zeiten, Uhrzeit, Arbeitszeit, Dienstzeit, Schichtzeit, Schicht*, Dienst*',
    French: 'Horaire, Horaires, Heure, Vacation*',
    Spanish: 'Hora, Horario, Horarios, Turno*',
    Italian: 'Ora, Orario, Orari, Orario di lavoro, Turno*',
    Portuguese: 'Hora, Horário, Horários, Turno*',
    Polish: 'Czas, Czas pracy, Godziny pracy, Godziny*, Zmiana*',
    Czech: 'Čas, Pracovní doba, Hodiny*, Směna*',
    Danish: 'Tid, Tider, Tidspunkt, Arbejdstid, Vagt*',
  },
  hours: {
    English: 'Hours, Duration, Length, Total hours, Scheduled hours, Hrs',
    Dutch: 'Uren, Duur, Aantal uren, Werkuren, Totaal uren',
    German: 'Stunden, Dauer, Std, Arbeitsstunden, Anzahl Stunden',
    French: "Heures, Durée, Nombre d'heures, Total heures, Nb heures",
    Spanish: 'Horas, Duración, Total horas, Número de horas',
    Italian: 'Ore, Durata, Totale ore, Numero ore',
    Portuguese: 'Horas, Duração, Total de horas, Número de horas',
    Polish: 'Liczba godzin, Ilość godzin, Suma godzin, Czas trwania',
    Czech: 'Počet hodin, Délka, Trvání',
    Danish: 'Timer, Varighed, Antal timer',
  },
  first_name: {
    English: 'First name, Given name, Forename',
    Dutch: 'Voornaam',
    German: 'Vorname',
    French: 'Prénom',
    Spanish: 'Nombre de pila',
    Italian: 'Nome di battesimo',
    Portuguese: 'Primeiro nome, Nome próprio',
    Polish: 'Imię',
    Czech: 'Křestní jméno',
    Danish: 'Fornavn',
  },
  last_name: {
    English: 'Last name, Surname, Family name',
    Dutch: 'Achternaam, Familienaam',
    German: 'Nachname, Familienname, Zuname',
    French: 'Nom de famille',
    Spanish: 'Apellidos, Apellido',
    Italian: 'Cognome',
    Portuguese: 'Apelido, Sobrenome',
    Polish: 'Nazwisko',
    Czech: 'Příjmení',
    Danish: 'Efternavn',
  },
};

export const TABLE_COLUMNS = Object.keys(HEADINGS) as readonly TableColumn[];

/** Words with a star are of the second rank. */
type Rank = 'first' | 'second';

/** `Start (24h)` is `Start`. undefined: the heading is not understood. */
export function columnOf(heading: string, rank: Rank): TableColumn | undefined {
  const words = WORDS[rank];
  const column = words.get(plainWord(heading)) ?? words.get(plainWord(beforeBracket(heading)));
  if (column !== undefined || !heading.trimEnd().endsWith('1')) return column;
  return numberedTime(heading)?.column;
}

/** The columns that a list may have several times, with a number each: `Start 2`, `End 2`. */
type NumberedColumn = 'start_time' | 'end_time' | 'times';

/** undefined: the heading is no such column with a number. */
export function numberedTime(
  heading: string,
): { readonly column: NumberedColumn; readonly number: number } | undefined {
  const [, before = '', number] = /^(.{1,40}?)[ _.#]?([1-9])$/.exec(heading.trim()) ?? [];
  const column = WORDS.first.get(plainWord(before)) ?? WORDS.second.get(plainWord(before));
  const isTime = column === 'start_time' || column === 'end_time' || column === 'times';
  return isTime ? { column, number: Number(number) } : undefined;
}

/** The column whose heading this almost is; undefined if it is unlike all of them, or is itself a word of the table. */
export function nearlyColumn(heading: string): TableColumn | undefined {
  const plain = plainWord(heading);
  if (
    plain === '' ||
    OTHER_THINGS.test(heading) ||
    plain.length > MAX_HINT_LENGTH ||
    WORDS.first.has(plain) ||
    WORDS.second.has(plain)
  )
    return undefined;
  // Most words are too long or too short, and comparing them is slow.
  const words = LONG_WORDS.filter(({ length }) => Math.abs(length - plain.length) <= MAX_DISTANCE);
  if (words.length === 0) return undefined;
  const near = closest(plain, words);
  return distance(plain, near) <= Math.min(MAX_DISTANCE, near.length / 3) ? WORDS.first.get(near) : undefined;
}

/** `Employee ID` is no misspelt `Employee`. */
const OTHER_THINGS = /\b(?:id|no|nr|num|number|nummer|code|e-?mail|mail|phone|telefon|mobile)\.?$/i;
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
  Italian: 'Pausa, Pause, Pausa pranzo',
  Portuguese: 'Pausa, Pausas, Intervalo',
  Polish: 'Przerwa, Przerwy',
  Czech: 'Přestávka, Přestávky, Pauza',
  Danish: 'Pause, Pauser',
});

/** `Start` of `Start (24h)`. */
function beforeBracket(heading: string): string {
  return heading.split(/[([]/, 1)[0] ?? '';
}
