/** The problems of a document. If there are any, nothing is imported. */

import { quote } from '@shiftfeed/common/quote';
import {
  describePlace,
  naming,
  orWithoutIds,
  type ProblemPlace,
  placeAt,
  placeInSheet,
  type SheetProblem,
} from '@shiftfeed/sheets';
import { type Flaw, LAST_DATE, REFERENCES, type ShiftRecord, type Table } from '../store/records.ts';
import type { FlawedRecord } from '../store/staging/comparison.ts';

export interface ImportProblem extends Omit<SheetProblem, 'place'> {
  /** Of a document such as `shifts[13].end_time`; empty for the document as a whole. */
  readonly place: string | ProblemPlace;
  /** The id of the record, by which people find it, unless the id itself is the problem. */
  readonly id?: number;
  /** Only a page asks: the first of the offers is what is probably meant. */
  readonly isLikely?: true;
}

export function recordProblem(
  table: Table,
  position: number,
  id: number | undefined,
  { path, message }: Flaw,
): ImportProblem {
  const place = placeOf(table, position, ...path);
  return id === undefined || path[0] === 'id' ? { place, message } : { place, id, message };
}

/** A row of a sheet is identified by its line, which is one more than its position. */
export function rowProblem(position: number, { path: [column], ...reason }: Flaw): ImportProblem {
  return {
    ...reason,
    place: placeInSheet(placeAt(position), column === undefined ? undefined : String(column)),
  };
}

/** Such as `shifts[13].end_time (id 5013): "25:61" is not a time HH:MM from 00:00 to 23:59`. */
export function describeProblem(problem: ImportProblem): string {
  const [place, said] = [whereIs(problem), problem.message + (problem.advice ?? '')];
  return place === '' ? said : `${place}: ${said}`;
}

/** Such as `shifts[13].end_time (id 5013)` or `line 14, end_time`. */
export function whereIs({ place, id }: ImportProblem): string {
  return (typeof place === 'string' ? place : describePlace(place)) + (id === undefined ? '' : ` (id ${id})`);
}

/** Only an operator has a shell. */
export type Audience = 'operator' | 'planner';

function forPlanner({ advice, message, onPage = message, ...problem }: ImportProblem): ImportProblem {
  return { ...problem, message: onPage };
}

/** This many are kept to be shown. The others, which may be millions, are only counted. */
const MAX_KEPT_PROBLEMS = 20;

/** Gets every problem, some at a time. It may be slow. */
export type ProblemTeller = (problems: readonly ImportProblem[]) => Promise<void>;

/** Problems in the order in which they are shown. */
export class ProblemList {
  readonly #teller: ProblemTeller | undefined;
  #kept: ImportProblem[] = [];
  #count = 0;

  constructor(teller?: ProblemTeller) {
    this.#teller = teller;
  }

  get count(): number {
    return this.#count;
  }

  add(problem: ImportProblem): void {
    this.#count++;
    if (this.#teller !== undefined || this.#kept.length < MAX_KEPT_PROBLEMS) this.#kept.push(problem);
  }

  /** Passes on the problems that were added since the last call, if somebody listens, and drops them. */
  async tell(): Promise<void> {
    if (this.#teller === undefined || this.#kept.length === 0) return;
    const problems = this.#kept;
    this.#kept = [];
    await this.#teller(problems);
  }

  /** Throws ImportProblems when there are any. */
  check(): void {
    if (this.#count > 0) throw new ImportProblems(this.#kept, this.#count);
  }
}

export class ImportProblems extends Error {
  /** The first problems, unless they were passed on already. */
  readonly problems: readonly ImportProblem[];
  /** How many there are in all. */
  readonly count: number;

  constructor(problems: readonly ImportProblem[], count: number) {
    super(`Nothing was imported: the document has ${count === 1 ? 'a problem' : `${count} problems`}.`);
    this.name = 'ImportProblems';
    this.problems = problems;
    this.count = count;
  }
}

/** The first problems, a line each. `count` is how many there are in all. */
export function listProblems(
  problems: readonly ImportProblem[],
  count: number,
  audience: Audience = 'operator',
): readonly string[] {
  const shown = problems.slice(0, MAX_KEPT_PROBLEMS);
  const more = count - shown.length;
  const rest = `  and ${more} more${audience === 'operator' ? '; --all-problems shows every one' : ''}`;
  return [
    ...shown.map(
      (problem) => `  ${describeProblem(audience === 'operator' ? problem : forPlanner(problem))}`,
    ),
    ...(more > 0 ? [rest] : []),
  ];
}

/** Turns what the database found in a record into sentences, in the order in which they are shown. */
export function problemsOf<T extends Table>(
  table: T,
  record: FlawedRecord<T>,
  isOfSheet: boolean,
): ImportProblem[] {
  const { position, firstPosition = 0, id, lacking, hasUnknownLongId, end } = record;
  const { date, start_time, end_date, end_time, ...shift } = record.after as Partial<ShiftRecord>;
  const first = isOfSheet ? describePlace(placeAt(firstPosition)) : placeOf(table, firstPosition);
  // A sheet has names in place of ids.
  const nameOf = (field: string) => (isOfSheet ? field.replace(/_id$/, '') : field);
  const flaws: Flaw[] = [];
  const tell = (field: string | undefined, reason: string | Omit<Flaw, 'path'>) =>
    flaws.push({
      path: field === undefined ? [] : [field],
      ...(typeof reason === 'string' ? { message: reason } : reason),
    });
  if (record.firstPosition !== undefined) tell('id', `${id} is the id of ${first} too`);
  flaws.push(...record.flaws);
  if (hasUnknownLongId) tell('id', orWithoutIds(`the account has no shift ${id}: ${ROUNDED_ID}`));
  else if (lacking.length > 0)
    tell(
      undefined,
      naming((called) => `is new and lacks ${lacking.map(nameOf).map(called).join(', ')}`),
    );
  if (end === 'too early')
    tell('end_date', `the end, ${end_date} ${end_time}, is not after the start, ${date} ${start_time}`);
  if (end === 'too late') tell('end_time', `${end_time} comes after ${LAST_DATE}, the last date`);
  for (const [field, , noun] of REFERENCES) {
    const why = record.missing.find((one) => one.field === field)?.why;
    const referred = `${noun} ${shift[field]}`;
    if (why === 'nowhere') tell(field, `there is no ${referred} in the document or the account`);
    if (why === 'removed') tell(field, `${referred} is not in the document, so it would be removed`);
  }
  return flaws.map((flaw) =>
    isOfSheet ? rowProblem(position, flaw) : recordProblem(table, position, id, flaw),
  );
}

const ROUNDED_ID = 'spreadsheets change the end of ids with more than 15 digits;';

/** A place in a document, such as `shifts[13].end_time`. */
export function placeOf(...keys: readonly (string | number)[]): string {
  return keys.map(keyPlace).join('').replace(/^\./, '');
}

/** How a key or an index is appended. */
function keyPlace(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  // A key may be any text. If it is not a plain word, it is quoted, escaped and shortened like a value.
  return /^\w{1,40}$/.test(key) ? `.${key}` : `[${quote(key)}]`;
}
