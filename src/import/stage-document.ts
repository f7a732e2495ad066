/** Puts the parts of a document on the stage as they are read. */

import { type DateRange, FIRST_DATE, LAST_DATE, type Stage } from '../store/import-store.ts';
import { TABLES, type Table } from '../store/records.ts';
import type { DocumentPart, SheetRows } from './document.ts';
import type { GivenAccount } from './fields.ts';
import { type NameBook, openNameBook } from './names.ts';
import type { ProblemList } from './problems.ts';
import type { SheetReport, SheetRow } from './sheet/report.ts';

/** How many shifts are done. The number may fall: an import that lets another writer go first starts over. */
export interface Progress {
  readonly step: 'read' | 'compared' | 'written';
  readonly done: number;
  /** The total, once it is known. */
  readonly total?: number | undefined;
}

/** What is known about the document when all its records are staged. */
export interface StagedDocument {
  /** undefined: the account could not be read. */
  readonly account: GivenAccount | undefined;
  /** undefined: it is not a sheet, and its records have ids. */
  readonly names: NameBook | undefined;
  /** How many there are. */
  readonly shifts: number;
  /** The months YYYY-MM in which shifts of the document begin. */
  readonly months: ReadonlySet<string>;
  /** The days on which the shifts of this sheet begin, if it is one of several: it says nothing about other days. */
  readonly onlyDays: DateRange | undefined;
  /** The tables in the order of the document. */
  readonly tables: readonly Table[];
  /** How the sheet was read, if it is one that could be read. */
  readonly report: SheetReport | undefined;
  /** Tables of which some or all records could not be read. */
  readonly unknown: ReadonlySet<Table | 'account'>;
}

/** Also adds the problems that can be found without the database. */
export async function stageDocument(
  stage: Stage,
  parts: AsyncIterable<DocumentPart> | Iterable<DocumentPart>,
  problems: ProblemList,
  onProgress?: (progress: Progress) => void,
): Promise<StagedDocument> {
  let account: GivenAccount | undefined;
  let names: NameBook | undefined;
  let shifts = 0;
  let report: SheetReport | undefined;
  const dates = new Dates();
  const tables = new Set<Table>();
  const unknown = new Set<Table | 'account'>();
  for await (const part of parts) {
    if ('problem' in part) {
      problems.add(part.problem);
      await problems.tell();
      for (const name of part.hides) unknown.add(name);
    } else if ('account' in part) {
      account = part.account;
    } else if ('rows' in part) {
      names ??= await namesFor(stage, account, part);
      await addRows(stage, names, part.rows);
      report = part.report;
      for (const { shift } of part.rows) dates.add(shift.date);
      shifts += part.rows.length;
      onProgress?.({ step: 'read', done: shifts });
    } else {
      const { table, records } = part;
      tables.add(table);
      await stage.add(table, records);
      if (records.some(({ id }) => id === undefined)) unknown.add(table);
      if (table !== 'shifts') continue;
      for (const { date } of records) dates.add(date);
      shifts += records.length;
      onProgress?.({ step: 'read', done: shifts });
    }
  }
  if (unknown.has('account')) account = undefined;
  if (account === undefined) unknown.add('account');
  return {
    account,
    names,
    shifts,
    months: dates.months,
    onlyDays: report?.isOneOfSeveral ? dates.range() : undefined,
    tables: [...tables, ...TABLES.filter((name) => !tables.has(name))],
    report,
    unknown,
  };
}

/** The dates of the shifts that were read. */
class Dates {
  readonly months = new Set<string>();
  #first = LAST_DATE;
  #last = FIRST_DATE;
  #latest: string | undefined;

  add(date: string | null | undefined): void {
    // Most shifts have the date of the one before.
    if (!date || date === this.#latest) return;
    this.#latest = date;
    this.months.add(date.slice(0, 'YYYY-MM'.length));
    if (date < this.#first) this.#first = date;
    if (date > this.#last) this.#last = date;
  }

  /** Empty, if there are none. */
  range(): DateRange {
    return { from: this.#first, to: this.#last };
  }
}

async function namesFor(
  stage: Stage,
  account: GivenAccount | undefined,
  { hasAddresses }: SheetRows,
): Promise<NameBook> {
  const existing = account && (await stage.findAccount(account.slug));
  return openNameBook(stage, existing?.id, hasAddresses);
}

async function addRows(stage: Stage, names: NameBook, rows: readonly SheetRow[]): Promise<void> {
  const { made, shifts } = names.settle(rows);
  for (const table of ['groups', 'locations', 'people'] as const) {
    if (made[table].length > 0) await stage.add(table, made[table]);
  }
  await stage.add(
    'shifts',
    shifts,
    rows.map(({ position }) => position),
  );
}
