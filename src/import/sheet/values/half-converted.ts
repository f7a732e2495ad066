/**
 * Detects columns that a spreadsheet with the settings of another country has half converted: it turns 7/3/2027 into a
 * date with day and month swapped, and leaves 13/3/2027 as text. All dates of such a column have days up to 12, and all
 * its texts have days above 12.
 */

import type { Cell } from '../cell.ts';
import { readDate } from './date.ts';

export class HalfConverted {
  #dates = 0;
  #texts = 0;
  #isOther = false;

  look(cell: Cell): void {
    if (typeof cell !== 'string') {
      if (cell.type !== 'date' && cell.type !== 'date and time') return;
      this.#dates++;
      if (Number(cell.text.slice(8, 10)) > 12) this.#isOther = true;
    } else if (NUMBERS.test(cell)) {
      this.#texts++;
      if ((readDate(cell, 'day first') === undefined) === (readDate(cell, 'month first') === undefined))
        this.#isOther = true;
    }
  }

  isLikely(): boolean {
    return this.#dates > 0 && this.#texts > 0 && !this.#isOther;
  }
}

const NUMBERS = /^\d{1,2}([/-])\d{1,2}\1\d{2,4}$/;
