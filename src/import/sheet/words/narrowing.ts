/**
 * Finds out which of several readings applies to a whole column. A text that one reading accepts rules out the readings
 * that do not. The remaining readings must agree on every text: nothing is guessed.
 */

import { quote } from '@shiftfeed/common/quote';
import { placeInSheet, type SheetPlace } from '../../place.ts';
import type { ImportProblem } from '../../problems.ts';
import { type DateOrder, ORDERS, readDate } from './date.ts';

/** A way to read the texts of a column. */
interface Reading<Value> {
  /** As it is written in an option. */
  readonly name: string;
  /** Returns undefined if the text cannot be read in this way. */
  read(text: string): Value | undefined;
}

/** A text of the column, and where it stands. */
interface Evidence {
  readonly text: string;
  readonly place: SheetPlace;
}

interface Settled<Value> {
  /** Returns undefined if no remaining reading accepts the text, or if they disagree. */
  read(text: string): Value | undefined;
  /** Texts that together rule out all readings, if there are any. */
  readonly contradiction: readonly Evidence[] | undefined;
  /** A text on which the remaining readings disagree. */
  readonly open: (Evidence & { readonly names: readonly string[] }) | undefined;
}

export class Narrowing<Value> {
  readonly #readings: readonly Reading<Value>[];
  readonly #ruledOut = new Map<Reading<Value>, Evidence>();
  readonly #seen = new Set<string>();
  /** The first text on which two readings differ. */
  readonly #differences: { readonly between: readonly Reading<Value>[]; readonly at: Evidence }[] = [];

  constructor(readings: readonly Reading<Value>[]) {
    this.#readings = readings;
  }

  look(text: string, place: SheetPlace): void {
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    const values = this.#readings.map((reading) => reading.read(text));
    if (values.every((value) => value === values[0])) return;
    const at = { text, place };
    for (const [i, reading] of this.#readings.entries()) {
      if (values[i] === undefined) {
        if (!this.#ruledOut.has(reading)) this.#ruledOut.set(reading, at);
        continue;
      }
      for (const [j, other] of this.#readings.entries()) {
        if (j > i && values[j] !== undefined && values[j] !== values[i])
          this.#noteDifference([reading, other], at);
      }
    }
  }

  #noteDifference(between: readonly Reading<Value>[], at: Evidence): void {
    const isKnown = this.#differences.some((known) => known.between.every((one, i) => one === between[i]));
    if (!isKnown) this.#differences.push({ between, at });
  }

  #open(): Evidence | undefined {
    return this.#differences.find(({ between }) => between.every((one) => !this.#ruledOut.has(one)))?.at;
  }

  /** Whether more texts would change nothing. */
  isSettled(): boolean {
    return this.#open() === undefined;
  }

  settle(): Settled<Value> {
    const left = this.#readings.filter((reading) => !this.#ruledOut.has(reading));
    if (left.length === 0) {
      return { read: first(this.#readings), contradiction: [...this.#ruledOut.values()], open: undefined };
    }
    const open = this.#open();
    if (open !== undefined) {
      const names = left.filter((one) => one.read(open.text) !== undefined).map(({ name }) => name);
      // Nothing will be imported, but any reading lets the rest of each row be checked.
      return { read: first(left), contradiction: undefined, open: { ...open, names } };
    }
    return { read: agreed(left), contradiction: undefined, open: undefined };
  }
}

function agreed<Value>(readings: readonly Reading<Value>[]): Settled<Value>['read'] {
  return (text) => {
    const value = readings[0]?.read(text);
    return readings.every((reading) => reading.read(text) === value) ? value : undefined;
  };
}

function first<Value>(readings: readonly Reading<Value>[]): Settled<Value>['read'] {
  return (text) => {
    for (const reading of readings) {
      const value = reading.read(text);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** `year` is for dates without one; with several, the first in which there is such a date counts. */
export function dateNarrowing(...years: readonly (number | undefined)[]): Narrowing<string> {
  return new Narrowing<string>(
    ORDERS.map((name) => ({ name, read: (text) => readDate(text, name, ...years) })),
  );
}

/** The problem with a column of dates that can be read in two ways, or in none. */
export function dateProblem(
  column: string,
  { open, contradiction }: Pick<Settled<string>, 'open' | 'contradiction'>,
): readonly ImportProblem[] {
  if (contradiction !== undefined) {
    const evidence = [...new Set(contradiction)];
    const shown = evidence.map(({ text, place }) => `${quote(text)} (${placeInSheet(place)})`).join(' and ');
    const message = `the dates of this column are not written in one way, see ${shown}; write them alike, or as YYYY-MM-DD`;
    const last = evidence.at(-1)?.place;
    return [{ place: last === undefined ? '' : placeInSheet(last, column), message }];
  }
  if (open === undefined) return [];
  const patterns = open.names.map((order) => patternOf(open.text, order as DateOrder));
  const message =
    `${quote(open.text)} can be read in ${patterns.length === 2 ? 'two' : 'three'} ways, and so can all dates of this column; ` +
    `say which is meant: ${patterns.map((pattern) => `--date-format ${pattern}`).join(' or ')}`;
  return [
    { place: placeInSheet(open.place, column), message, fix: ['--date-format', ...(patterns as [string])] },
  ];
}

/** The pattern of a text whose numbers come in this order. */
function patternOf(text: string, order: DateOrder): string {
  const [, separator = '/', last = '2027'] =
    /\d\s?([^\d\s]|\s)\s?\d{1,9}(?:\D{1,9}(\d{1,9}))?/.exec(text) ?? [];
  const year = order === 'year first' ? 'YY' : 'Y'.repeat(last.length);
  const numbers = {
    'day first': ['D', 'M', year],
    'month first': ['M', 'D', year],
    'year first': [year, 'M', 'D'],
  };
  return numbers[order].join(separator);
}
