/**
 * Finds out which of several readings applies to a whole column. A text that one reading accepts rules out the readings
 * that do not. The remaining readings must agree on every text: nothing is guessed.
 */

import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { describePlace, placeInSheet, type SheetPlace, type SheetProblem } from '../problem.ts';
import { type DateOrder, ORDERS, readWrittenDate } from './date.ts';

/** A way to read the texts of a column. */
interface Reading<Value> {
  /** As it is written in an option. */
  readonly name: string;
  /** Returns undefined if the text cannot be read in this way. */
  read(text: string): Value | undefined;
}

/** A text of the column that the readings do not read alike, and where it stands. */
interface Evidence<Value> {
  readonly text: string;
  readonly place: SheetPlace;
  /** By each of the readings. */
  readonly values: readonly (Value | undefined)[];
}

interface Settled<Value> {
  /** Returns undefined if no remaining reading accepts the text, or if they disagree. */
  read(text: string): Value | undefined;
  /** Texts that together rule out all readings, if there are any. */
  readonly contradiction?: readonly Evidence<Value>[];
  /** A text on which the remaining readings disagree. */
  readonly open?: Evidence<Value> & { readonly names: readonly string[] };
}

export class Narrowing<Value> {
  readonly #readings: readonly Reading<Value>[];
  readonly #seen = new Set<string>();
  readonly #evidence: Evidence<Value>[] = [];

  constructor(readings: readonly Reading<Value>[]) {
    this.#readings = readings;
  }

  look(text: string, place: SheetPlace): void {
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    const values = this.#readings.map((reading) => reading.read(text));
    if (values.some((value) => value !== values[0])) this.#evidence.push({ text, place, values });
  }

  /** Whether more texts would change nothing. */
  isSettled(): boolean {
    return this.settle().open === undefined;
  }

  settle(): Settled<Value> {
    const against = this.#readings.map((_, i) =>
      this.#evidence.find(({ values }) => values[i] === undefined),
    );
    const left = this.#readings.filter((_, i) => against[i] === undefined);
    if (left.length === 0) {
      const contradiction = this.#evidence.filter((one) => against.includes(one));
      return { read: first(this.#readings), contradiction };
    }
    const open = this.#evidence.find(
      ({ values }) => new Set(values.filter((_, i) => against[i] === undefined)).size > 1,
    );
    if (open === undefined) return { read: agreed(left) };
    // Nothing will be imported, but any reading lets the rest of each row be checked.
    return { read: first(left), open: { ...open, names: left.map(({ name }) => name) } };
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
    const fitting = readings.find((reading) => reading.read(text) !== undefined);
    return fitting?.read(text);
  };
}

/** `year` is for dates without one; with several, the first in which there is such a date counts. */
export function dateNarrowing(...years: readonly (number | undefined)[]): Narrowing<string> {
  return new Narrowing<string>(
    ORDERS.map((name) => ({ name, read: (text) => readWrittenDate(text, name, ...years) })),
  );
}

/** The problem with a column of dates that can be read in two ways, or in none. */
export function dateProblem(
  column: string,
  { open, contradiction }: Settled<string>,
): readonly SheetProblem[] {
  if (contradiction !== undefined) {
    const shown = contradiction
      .map(({ text, place }) => `${quote(text)} (${describePlace(place)})`)
      .join(' and ');
    const message = `the dates of this column are not written in one way, see ${shown}; write them alike, or as YYYY-MM-DD`;
    const last = contradiction.at(-1)?.place;
    return [{ place: last === undefined ? '' : placeInSheet(last, column), message }];
  }
  if (open === undefined) return [];
  const patterns = open.names.map((order) => patternOf(open.text, order as DateOrder));
  return [
    {
      place: placeInSheet(open.place, column),
      message: `${quote(open.text)} can be read in ${patterns.length === 2 ? 'two' : 'three'} ways, and so can all dates of this column`,
      advice: `; say which is meant: ${patterns.map((pattern) => `--date-format ${pattern}`).join(' or ')}`,
      about: open.text,
      fix: byOption('date-format', ...patterns),
    },
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
