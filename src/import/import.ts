/**
 * Document → database: all of it or nothing. The records of the document are staged first, where they disturb nobody. Then
 * each is completed from what the database has, checked as it will be, and kept to be written only when that
 * changes something, so that importing an unchanged plan again leaves every revision alone. Only the writing itself keeps
 * others from writing.
 */

import { type RecordOf, type ShiftRecord, TABLES, type Table } from '../store/records.ts';
import type {
  AccountSettings,
  AccountVersion,
  ComparedRecord,
  ImportStore,
  RecordChange,
  Stage,
} from '../store/store.ts';
import { completeRecord, isSameRecord } from './complete.ts';
import { type DocumentPart, type GivenAccount, type ImportDocument, partsOf } from './document.ts';
import { placeOf } from './place.ts';
import { MAX_KEPT_PROBLEMS, ProblemList } from './problems.ts';

export interface ImportOptions {
  /** Also remove what the document does not have. */
  readonly replace: boolean;
  /** Do everything but the writing. */
  readonly dryRun: boolean;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** How many shifts are done. It may go back: an import begins to write anew when it has to let others write. */
export interface Progress {
  readonly step: 'read' | 'compared' | 'written';
  readonly done: number;
}

export interface Tally {
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
}

export interface ImportSummary {
  readonly slug: string;
  readonly account: 'added' | 'changed' | 'unchanged';
  readonly tables: Readonly<Record<Table, Tally>>;
}

/** Throws ImportProblems, after which nothing has changed. */
export function importDocument(
  store: ImportStore,
  document: ImportDocument,
  options: ImportOptions,
): Promise<ImportSummary> {
  return importParts(store, partsOf(document), options);
}

/** The same for a document that is read while it is imported. */
export function importParts(
  store: ImportStore,
  parts: AsyncIterable<DocumentPart> | Iterable<DocumentPart>,
  options: ImportOptions,
): Promise<ImportSummary> {
  return store.stage(async (stage) => {
    const given = await fill(stage, parts, options);
    const job: Job = { stage, options, given };
    const plan = await makePlan(job);
    return options.dryRun ? plan.summary : merge(job, plan);
  });
}

interface Job {
  readonly stage: Stage;
  readonly options: ImportOptions;
  readonly given: GivenAccount;
}

/** What is kept to be written and removed, and the account that this was found out from. */
interface Plan {
  readonly existing: AccountVersion | undefined;
  readonly settings: AccountSettings;
  readonly summary: ImportSummary;
}

async function fill(
  stage: Stage,
  parts: AsyncIterable<DocumentPart> | Iterable<DocumentPart>,
  { onProgress }: ImportOptions,
): Promise<GivenAccount> {
  let account: GivenAccount | undefined;
  let done = 0;
  for await (const part of parts) {
    if ('account' in part) {
      account = part.account;
    } else {
      await stage.add(part.table, part.records);
      if (part.table !== 'shifts') continue;
      done += part.records.length;
      onProgress?.({ step: 'read', done });
    }
  }
  if (account === undefined) throw new Error('a document without an account is a problem of the document');
  return account;
}

async function makePlan(job: Job): Promise<Plan> {
  const { stage, given } = job;
  const problems = new ProblemList();
  for (const table of TABLES) {
    const { first, count } = await stage.findRepeated(table, MAX_KEPT_PROBLEMS);
    const described = first.map(({ id, position, firstPosition }) => ({
      place: placeOf(table, position, 'id'),
      message: `${id} is the id of ${placeOf(table, firstPosition)} too`,
    }));
    problems.addAll(described, count);
  }
  const existing = await stage.findAccount(given.slug);
  const tables = await compareTables(job, TABLES, existing?.id, problems);
  problems.check();
  return planOf(given, existing, tables as ImportSummary['tables']);
}

function planOf(
  given: GivenAccount,
  existing: AccountVersion | undefined,
  tables: ImportSummary['tables'],
): Plan {
  const settings = completeAccount(given, existing);
  const account =
    existing === undefined ? 'added' : isSameAccount(settings, existing) ? 'unchanged' : 'changed';
  return { existing, settings, summary: { slug: given.slug, account, tables } };
}

/** Groups, locations and people are few. They may have changed without a new revision, if no shift has them. */
const FEW: readonly Table[] = ['groups', 'locations', 'people'];

async function merge(job: Job, plan: Plan): Promise<ImportSummary> {
  const { stage, options, given } = job;
  let { summary } = plan;
  await stage.merge(async (transaction) => {
    const existing = await transaction.findAccount(given.slug);
    const isSame = existing?.id === plan.existing?.id && existing?.revision === plan.existing?.revision;
    const problems = new ProblemList();
    const again = await compareTables(job, isSame ? FEW : TABLES, existing?.id, problems);
    problems.check();
    const now = planOf(given, existing, { ...plan.summary.tables, ...again });
    summary = now.summary;

    const accountId =
      existing !== undefined && summary.account === 'unchanged'
        ? existing.id
        : await transaction.saveAccount(now.settings);
    for (const table of TABLES) {
      const onProgress = (done: number) => options.onProgress?.({ step: 'written', done });
      await transaction.save(table, accountId, table === 'shifts' ? onProgress : undefined);
    }
    if (options.replace) {
      for (const table of TABLES.toReversed()) await transaction.remove(table, accountId);
    }
  });
  return summary;
}

/** Finds out what is to be written and removed, and keeps it on the stage unless there are problems. */
async function compareTables(
  job: Job,
  tables: readonly Table[],
  accountId: number | undefined,
  problems: ProblemList,
): Promise<Partial<Record<Table, Tally>>> {
  const { stage, options } = job;
  const tallies: Partial<Record<Table, Tally>> = {};
  for (const table of tables) {
    const tally = { added: 0, changed: 0, removed: 0, unchanged: 0 };
    await stage.forget(table);
    for await (const records of stage.compare(table, accountId)) {
      await compareRecords(job, table, records, accountId, tally, problems);
    }
    if (options.replace) tally.removed = await stage.keepAbsent(table, accountId);
    tallies[table] = tally;
  }
  return tallies;
}

async function compareRecords<T extends Table>(
  job: Job,
  table: T,
  records: readonly ComparedRecord<T>[],
  accountId: number | undefined,
  tally: Tally,
  problems: ProblemList,
): Promise<void> {
  const { stage, options } = job;
  const changes: RecordChange<T>[] = [];
  const complete: Placed<RecordOf<T>>[] = [];
  for (const { position, given, existing: before } of records) {
    const completed = completeRecord(table, given, before);
    if ('problem' in completed) {
      const { field, message } = completed.problem;
      problems.add({ place: placeOf(table, position, ...field), message });
      continue;
    }
    const after = completed.record;
    complete.push({ position, record: after });
    if (before !== undefined && isSameRecord(table, before, after)) {
      tally.unchanged++;
    } else {
      tally[before === undefined ? 'added' : 'changed']++;
      changes.push({ before, after });
    }
  }
  if (table === 'shifts') {
    await checkReferences(job, complete as unknown as Placed<ShiftRecord>[], accountId, problems);
    const { added, changed, unchanged } = tally;
    options.onProgress?.({ step: 'compared', done: added + changed + unchanged });
  }
  if (problems.count === 0) await stage.keep(table, changes);
}

interface Placed<Record> {
  readonly position: number;
  readonly record: Record;
}

const REFERENCES = [
  ['group_id', 'groups', 'group'],
  ['location_id', 'locations', 'location'],
  ['person_id', 'people', 'person'],
] as const;

/** A shift may refer to what only the database has, unless that is about to be removed. */
async function checkReferences(
  { stage, options }: Job,
  shifts: readonly Placed<ShiftRecord>[],
  accountId: number | undefined,
  problems: ProblemList,
): Promise<void> {
  for (const [field, table, noun] of REFERENCES) {
    const ids = new Set(shifts.map(({ record }) => record[field]).filter((id) => id !== null));
    const { added, inDatabase } = await stage.lookUp(table, accountId, [...ids]);
    for (const { position, record } of shifts) {
      const id = record[field];
      if (id === null || added.has(id)) continue;
      const place = placeOf('shifts', position, field);
      if (!inDatabase.has(id)) {
        problems.add({ place, message: `there is no ${noun} ${id} in the document or the account` });
      } else if (options.replace) {
        problems.add({ place, message: `${noun} ${id} is not in the document, so it would be removed` });
      }
    }
  }
}

function completeAccount(given: GivenAccount, existing: AccountSettings | undefined): AccountSettings {
  return {
    slug: given.slug,
    name: given.name ?? existing?.name ?? given.slug,
    premium: given.premium ?? existing?.premium ?? false,
    timeZone: given.time_zone ?? existing?.timeZone ?? 'UTC',
    sort: given.sort ?? existing?.sort ?? 'time',
  };
}

function isSameAccount(a: AccountSettings, b: AccountSettings): boolean {
  return a.name === b.name && a.premium === b.premium && a.timeZone === b.timeZone && a.sort === b.sort;
}
