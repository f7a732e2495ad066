/** The first words of rows that add up the rows above. */

import type { InLanguages } from './languages.ts';

export const TOTALS: InLanguages<readonly string[]> = {
  English: ['total', 'totals', 'grand total', 'subtotal', 'sum', 'total hours'],
  Dutch: ['totaal', 'subtotaal', 'som', 'totaal uren'],
  German: ['summe', 'gesamt', 'gesamtsumme', 'zwischensumme', 'total', 'gesamtstunden'],
  French: ['total', 'sous-total', 'somme', 'total général', 'total heures'],
  Spanish: ['total', 'subtotal', 'suma', 'total general', 'total horas'],
};
