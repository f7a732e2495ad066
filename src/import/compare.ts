/** Compares the document with the account, and puts its problems into words. */

import {
  type CompareOptions,
  type Comparison,
  type Comparisons,
  type DateRange,
  FIRST_DATE,
  LAST_DATE,
} from '../store/import-store.ts';
import type { Table } from '../store/records.ts';
import { problemsOf } from './flawed-record.ts';
import type { ImportOptions, Job, StagedDocument } from './job.ts';
import type { ProblemList } from './problems.ts';

export async function compareTables(
  job: Job,
  tables: readonly Table[],
  accountId: number | undefined,
  problems: ProblemList,
): Promise<Partial<Comparisons>> {
  const { stage, document, options } = job;
  const comparisons: Partial<Record<Table, Comparison>> = {};
  for (const table of tables) {
    const comparison = await stage.compare(table, compareOptions(job, table, accountId));
    if (table === 'shifts') {
      options.onProgress?.({ step: 'compared', done: document.shifts, total: document.shifts });
    }
    for await (const records of comparison.flawed()) {
      for (const record of records) {
        for (const problem of problemsOf(table, record, document.names !== undefined)) problems.add(problem);
      }
      await problems.tell();
    }
    if (table === 'shifts' && problems.count === 0) {
      const message = whyNotRemoved(job, comparison.tally.removed, await coveredBy(comparison));
      if (message !== undefined) problems.add({ place: '', message });
      await problems.tell();
    }
    comparisons[table] = comparison;
  }
  return comparisons as Partial<Comparisons>;
}

function compareOptions(
  { document, options }: Job,
  table: Table,
  accountId: number | undefined,
): CompareOptions {
  return {
    accountId,
    unknown: document.unknown,
    removal: removalFrom(table, options, document),
    removesReferred: options.replace,
    namedBy: document.names?.namedBy,
  };
}

function removalFrom(
  table: Table,
  { replace, replaceShifts }: ImportOptions,
  { onlyDays }: StagedDocument,
): CompareOptions['removal'] {
  if (replace) return { days: undefined };
  if (table !== 'shifts' || replaceShifts === undefined) return undefined;
  return { days: coveredDays(replaceShifts, onlyDays) };
}

/**
 * One of several sheets covers only its own days, unless the user gave both ends of the range: "from today on" is only
 * meant to protect the past.
 */
export function coveredDays(asked: DateRange, onlyDays: DateRange | undefined): DateRange {
  if (onlyDays === undefined || (asked.from !== undefined && asked.to !== undefined)) return asked;
  const { from = FIRST_DATE, to = LAST_DATE } = asked;
  const { from: first = FIRST_DATE, to: last = LAST_DATE } = onlyDays;
  return { from: from > first ? from : first, to: to < last ? to : last };
}

/** Removing up to this many shifts needs no confirmation. */
const FEW_SHIFTS = 10;

async function coveredBy(comparison: Comparison): Promise<number> {
  return comparison.tally.removed > FEW_SHIFTS ? comparison.covered() : 0;
}

/** Returns undefined when they may be removed. */
function whyNotRemoved({ options, document }: Job, removed: number, covered: number): string | undefined {
  if (document.shifts === 0) {
    if (!options.refuseEmpty || removed === 0) return undefined;
    const shifts = removed === 1 ? 'a shift' : `${removed} shifts`;
    return `the file has no shifts at all, and --replace would remove ${shifts}; if that is meant, give --allow-empty`;
  }
  if (!options.refuseRemovals || removed <= FEW_SHIFTS || removed <= covered / 2) return undefined;
  return (
    `--replace would remove ${removed} of the ${covered} shifts that it covers; ` +
    'if that is meant, give --allow-removals (with --dry-run --show, it lists them)'
  );
}
