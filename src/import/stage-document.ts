/** Puts the parts of a document on the stage as they are read. */

import type { SheetReport } from '@shiftfeed/sheets';
import { type DateRange, FIRST_DATE, LAST_DATE, TABLES, type Table } from '../store/records.ts';
import type { Stage } from '../store/staging/stage.ts';
import type { DocumentPart } from './document.ts';
import type { GivenAccount } from './fields.ts';
import { type NameBook, openNameBook } from './name-book.ts';
import type { ProblemList } from './problems.ts';

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
  /** The days that the document is the plan of, from the first to the last one; undefined if it has none. */
  readonly covers: CoveredDays | undefined;
  /** The tables in the order of the document. */
  readonly tables: readonly Table[];
  /** How the sheet was read, if it is one that could be read. */
  readonly report: SheetReport | undefined;
  /** Tables of which some or all records could not be read. */
  readonly unknown: ReadonlySet<Table | 'account'>;
}

export interface CoveredDays {
  readonly from: string;
  readonly to: string;
  /** Whether its sheets are the plans of different days. */
  readonly areOfSheets: boolean;
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
  const shifts = new ShiftCount(onProgress);
  let report: SheetReport | undefined;
  const tables = new Set<Table>();
  const unknown = new Set<Table | 'account'>();
  const existingId = async () => account && (await stage.findAccount(account.slug))?.id;
  for await (const part of parts) {
    if ('problem' in part) {
      problems.add(part.problem);
      await problems.tell();
      for (const name of part.hides) unknown.add(name);
    } else if ('account' in part) {
      account = part.account;
    } else if ('rows' in part) {
      names ??= await openNameBook(stage, await existingId(), part.hasAddresses);
      await names.stageRows(part.rows);
      report = part.report;
      shifts.add(part.rows.map(({ shift }) => shift));
    } else {
      const { table, records } = part;
      tables.add(table);
      await stage.add(table, records);
      if (records.some(({ id }) => id === undefined)) unknown.add(table);
      if (table === 'shifts') shifts.add(records);
    }
  }
  const sheets = report?.covers.filter(({ from }) => from !== '');
  if (names !== undefined) for (const one of sheets ?? []) stage.cover(names.groupIds(one.groups), one);
  if (unknown.has('account')) account = undefined;
  if (account === undefined) unknown.add('account');
  return {
    account,
    names,
    shifts: shifts.count,
    months: shifts.months,
    onlyDays: report?.isOneOfSeveral ? shifts.days : undefined,
    covers: coveredDays(sheets ?? [shifts.days]),
    tables: [...tables, ...TABLES.filter((name) => !tables.has(name))],
    report,
    unknown,
  };
}

function coveredDays(parts: readonly Pick<CoveredDays, 'from' | 'to'>[]): CoveredDays | undefined {
  const days = { from: LAST_DATE, to: FIRST_DATE };
  for (const { from, to } of parts) {
    if (from < days.from) days.from = from;
    if (to > days.to) days.to = to;
  }
  if (days.from > days.to) return undefined;
  return { ...days, areOfSheets: parts.some(({ from, to }) => from > days.from || to < days.to) };
}

class ShiftCount {
  count = 0;
  readonly months = new Set<string>();
  readonly days = { from: LAST_DATE, to: FIRST_DATE };
  readonly #onProgress: ((progress: Progress) => void) | undefined;

  constructor(onProgress: ((progress: Progress) => void) | undefined) {
    this.#onProgress = onProgress;
  }

  add(some: readonly { readonly date?: string | null | undefined }[]): void {
    for (const { date } of some) {
      if (!date) continue;
      this.months.add(date.slice(0, 'YYYY-MM'.length));
      if (date < this.days.from) this.days.from = date;
      if (date > this.days.to) this.days.to = date;
    }
    this.count += some.length;
    this.#onProgress?.({ step: 'read', done: this.count });
  }
}
