/** Puts the parts of a document on the stage as they are read. */

import { type DateRange, FIRST_DATE, LAST_DATE, type Stage } from '../store/import-store.ts';
import { TABLES, type Table } from '../store/records.ts';
import type { DocumentPart, SheetRows } from './document.ts';
import type { GivenAccount } from './fields.ts';
import type { Progress, StagedDocument } from './job.ts';
import { type NameBook, openNameBook } from './names.ts';
import type { ProblemList } from './problems.ts';
import type { SheetRow } from './sheet/report.ts';

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
  let isOneOfSeveral = false;
  let days: DateRange | undefined;
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
      isOneOfSeveral ||= part.report?.isOneOfSeveral ?? false;
      days = widened(days, part.rows);
      shifts += part.rows.length;
      onProgress?.({ step: 'read', done: shifts });
    } else {
      const { table, records } = part;
      tables.add(table);
      await stage.add(table, records);
      if (records.some(({ id }) => id === undefined)) unknown.add(table);
      if (table !== 'shifts') continue;
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
    onlyDays: isOneOfSeveral ? (days ?? NO_DAYS) : undefined,
    tables: [...tables, ...TABLES.filter((name) => !tables.has(name))],
    unknown,
  };
}

/** An empty range. */
const NO_DAYS: DateRange = { from: LAST_DATE, to: FIRST_DATE };

function widened(days: DateRange | undefined, rows: readonly SheetRow[]): DateRange | undefined {
  let { from, to } = days ?? {};
  for (const {
    shift: { date },
  } of rows) {
    if (!date) continue;
    if (from === undefined || date < from) from = date;
    if (to === undefined || date > to) to = date;
  }
  return from === undefined ? undefined : { from, to };
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
