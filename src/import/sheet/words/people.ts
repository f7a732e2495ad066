/** Words that stand for nobody. */

import { plainWord, plainWords } from './words.ts';

/** Whether a cell for a person says that there is none. */
export function isNobody(text: string): boolean {
  return NOBODY.has(plainWord(text)) || NOTHING.has(text);
}

/** `Nan` and `Na` are names. */
const NOTHING: ReadonlySet<string> = new Set(
  '- – — -- --- . .. ... … ? ?? ??? * n/a N/A n.a. N.A. #N/A NaN nan null NULL None none'.split(' '),
);

const NOBODY = plainWords({
  English:
    'open, open shift, open shifts, unassigned, not assigned, unfilled, vacant, vacancy, nobody, no one, TBD, TBA, TBC, to be confirmed, to be decided, free',
  Dutch: 'open dienst, openstaand, vacature, vrij, niet toegewezen, niemand, nog invullen',
  German:
    'offen, offene Schicht, offener Dienst, unbesetzt, nicht besetzt, nicht zugewiesen, N.N., vakant, frei, niemand',
  French: 'ouvert, à pourvoir, non attribué, non assigné, libre, poste vacant, à définir',
  Spanish: 'abierto, turno abierto, vacante, sin asignar, por asignar, nadie, por definir',
  Italian: 'aperto, turno aperto, scoperto, non assegnato, da assegnare, libero, nessuno, da definire',
  Portuguese: 'aberto, turno aberto, vago, livre, não atribuído, por atribuir, ninguém, a definir',
  Polish: 'wolne, wolna zmiana, nieobsadzone, nieprzypisane, wakat, nikt',
  Czech: 'volné, volná směna, neobsazeno, nepřiřazeno, nikdo',
  Danish: 'åben, åben vagt, ledig, ledig vagt, ubesat, ikke tildelt, ingen',
});

/** Whether a row that should be of a person may be of the house instead. */
export function isOpeningHours(text: string): boolean {
  return OPENING_HOURS.has(plainWord(text));
}

const OPENING_HOURS = plainWords({
  English: 'Opening hours, Opening times, Business hours, Open hours, Hours',
  Dutch: 'Openingstijden, Openingsuren',
  German: 'Öffnungszeiten, Öffnungszeit',
  French: "Heures d'ouverture, Horaires d'ouverture",
  Spanish: 'Horario de apertura, Horas de apertura, Horario',
  Italian: 'Orari di apertura, Orario di apertura',
  Portuguese: 'Horário de funcionamento, Horário de abertura',
  Polish: 'Godziny otwarcia',
  Czech: 'Otevírací doba, Otevírací hodiny',
  Danish: 'Åbningstider, Åbningstid',
});
