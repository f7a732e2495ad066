/**
 * Spreadsheets of another country make dates of 7/3/2027 with day and month in the wrong order, and leave 13/3/2027 as
 * text. Such a column has dates with days up to 12, and texts with days above 12, and no others.
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
