/**
 * Document → database: all of it or nothing. The records of the document are staged first, where they disturb nobody. Then
 * each is completed from what the database has, checked as it will be, and kept to be written only when that
 * changes something, so that importing an unchanged plan again leaves every revision alone. Only the writing itself keeps
 * others from writing.
 */

import type { AccountSettings } from '../store/account.ts';
import type {
  AccountVersion,
  ComparedRecord,
  ImportStore,
  RecordChange,
  Stage,
} from '../store/import-store.ts';
import { type Flaw, type RecordOf, TABLES, type Table } from '../store/records.ts';
import { completeRecord, isSameRecord } from './complete.ts';
import { type DocumentPart, type DocumentProblem, type ImportDocument, partsOf } from './document.ts';
import type { GivenAccount } from './fields.ts';
import { placeOf } from './place.ts';
import { ProblemList, type ProblemTeller, recordProblem } from './problems.ts';

export interface ImportOptions {
  /** Also remove what the document does not have. */
  readonly replace: boolean;
  /** Do everything but the writing. */
  readonly dryRun: boolean;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Is told the problems as they are found. Without it, the first ones are thrown. */
  readonly onProblems?: ProblemTeller | undefined;
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
    const problems = new ProblemList(options.onProblems);
    const reading = await fill(stage, parts, options, problems);
    const job: Job = { stage, options, reading };
    const plan = await makePlan(job, problems);
    return options.dryRun ? plan.summary : merge(job, plan);
  });
}

interface Job {
  readonly stage: Stage;
  readonly options: ImportOptions;
  readonly reading: Reading;
}

/** What is known of a document besides the records that are on the stage. */
interface Reading {
  /** undefined: nobody knows whose document it is. */
  readonly account: GivenAccount | undefined;
  /** The tables in the order of the document. */
  readonly tables: readonly Table[];
  /** Records of these may be there under an id that nobody knows. */
  readonly hidden: ReadonlySet<Table>;
}

/** What is kept to be written and removed, and the account that this was found out from. */
interface Plan {
  readonly given: GivenAccount;
  readonly existing: AccountVersion | undefined;
  readonly settings: AccountSettings;
  readonly summary: ImportSummary;
}

async function fill(
  stage: Stage,
  parts: AsyncIterable<DocumentPart> | Iterable<DocumentPart>,
  { onProgress }: ImportOptions,
  problems: ProblemList,
): Promise<Reading> {
  let account: GivenAccount | undefined;
  const tables = new Set<Table>();
  const hidden = new Set<DocumentProblem['hides'][number]>();
  let done = 0;
  for await (const part of parts) {
    if ('problem' in part) {
      problems.add(part.problem);
      await problems.tell();
      for (const name of part.hides) hidden.add(name);
    } else if ('account' in part) {
      account = part.account;
    } else {
      tables.add(part.table);
      await stage.add(part.table, part.records);
      if (part.records.some(({ id }) => id === undefined)) hidden.add(part.table);
      if (part.table !== 'shifts') continue;
      done += part.records.length;
      onProgress?.({ step: 'read', done });
    }
  }
  return {
    account: hidden.has('account') ? undefined : account,
    tables: [...tables, ...TABLES.filter((table) => !tables.has(table))],
    hidden: hidden as ReadonlySet<Table>,
  };
}

async function makePlan(job: Job, problems: ProblemList): Promise<Plan> {
  const { account, tables } = job.reading;
  for (const table of tables) await job.stage.findRepeated(table);
  const existing = account && (await job.stage.findAccount(account.slug));
  const tallies = await compareTables(job, tables, existing?.id, problems);
  problems.check();
  if (account === undefined) throw new Error('a document without an account is a problem of the document');
  return planOf(account, existing, tallies as ImportSummary['tables']);
}

function planOf(
  given: GivenAccount,
  existing: AccountVersion | undefined,
  tables: ImportSummary['tables'],
): Plan {
  const settings = completeAccount(given, existing);
  const account =
    existing === undefined ? 'added' : isSameAccount(settings, existing) ? 'unchanged' : 'changed';
  return { given, existing, settings, summary: { slug: given.slug, account, tables } };
}

/** Groups, locations and people are few. They may have changed without a new revision, if no shift has them. */
const FEW: readonly Table[] = ['groups', 'locations', 'people'];

async function merge(job: Job, plan: Plan): Promise<ImportSummary> {
  const { stage, options } = job;
  const { given } = plan;
  let { summary } = plan;
  await stage.merge(async (transaction) => {
    const existing = await transaction.lockAccount(given.slug);
    const isSame = existing?.id === plan.existing?.id && existing?.revision === plan.existing?.revision;
    const problems = new ProblemList(options.onProblems);
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
  const { stage, options, reading } = job;
  const changes: RecordChange<T>[] = [];
  const judged: Judged<T>[] = [];
  for (const compared of records) {
    const { given, existing: before } = compared;
    const isKnown = reading.account !== undefined && given.id !== undefined;
    const isNew = isKnown ? before === undefined : undefined;
    const { record: after, flaws } = completeRecord(table, given, before, isNew);
    judged.push({ compared, record: after, flaws: [...flawsBefore(table, compared), ...flaws] });
    if (before !== undefined && isSameRecord(table, before, after)) {
      tally.unchanged++;
    } else {
      tally[before === undefined ? 'added' : 'changed']++;
      changes.push({ before, after });
    }
  }
  if (table === 'shifts') {
    await judgeReferences(job, judged as unknown as Judged<'shifts'>[], accountId);
    const { added, changed, unchanged } = tally;
    options.onProgress?.({ step: 'compared', done: added + changed + unchanged });
  }
  for (const { compared, flaws } of judged) {
    const { position, given } = compared;
    for (const flaw of flaws) problems.add(recordProblem(table, position, given.id, flaw));
  }
  await problems.tell();
  if (problems.count === 0) await stage.keep(table, changes);
}

interface Judged<T extends Table> {
  readonly compared: ComparedRecord<T>;
  readonly record: RecordOf<T>;
  /** In the order in which they are to be told. */
  readonly flaws: Flaw[];
}

/** What was wrong with a record before it was compared with the database. */
function flawsBefore<T extends Table>(
  table: T,
  { given, firstPosition }: ComparedRecord<T>,
): readonly Flaw[] {
  const flaws = given.flawed?.flaws ?? [];
  if (firstPosition === undefined) return flaws;
  const message = `${given.id} is the id of ${placeOf(table, firstPosition)} too`;
  return [{ path: ['id'], message }, ...flaws];
}

const REFERENCES = [
  ['group_id', 'groups', 'group'],
  ['location_id', 'locations', 'location'],
  ['person_id', 'people', 'person'],
] as const;

/** A shift may refer to what only the database has, unless that is about to be removed. */
async function judgeReferences(
  { stage, options, reading }: Job,
  shifts: readonly Judged<'shifts'>[],
  accountId: number | undefined,
): Promise<void> {
  for (const [field, table, noun] of REFERENCES) {
    if (reading.account === undefined || reading.hidden.has(table)) continue;
    const ids = new Set(shifts.map((shift) => referenceOf(shift, field)).filter((id) => id !== undefined));
    const { added, inDatabase } = await stage.lookUp(table, accountId, [...ids]);
    for (const shift of shifts) {
      const id = referenceOf(shift, field);
      if (id === undefined || added.has(id)) continue;
      if (!inDatabase.has(id)) {
        const message = `there is no ${noun} ${id} in the document or the account`;
        shift.flaws.push({ path: [field], message });
      } else if (options.replace) {
        const message = `${noun} ${id} is not in the document, so it would be removed`;
        shift.flaws.push({ path: [field], message });
      }
    }
  }
}

/** undefined: none, or nobody knows. */
function referenceOf(
  { compared, record }: Judged<'shifts'>,
  field: (typeof REFERENCES)[number][0],
): number | undefined {
  return compared.given.flawed?.unclear.includes(field) ? undefined : (record[field] ?? undefined);
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
