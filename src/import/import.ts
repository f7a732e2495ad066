/**
 * Imports a document: all of it or nothing. The records are staged first, without a lock. Then the database compares
 * them with what it has and tells which have a problem. Only what changes something is written, so importing an
 * unchanged plan again changes no revision. Only the merge at the end blocks other writers.
 */

import { createHash } from 'node:crypto';
import { inFull } from '@shiftfeed/common/quote';
import type { SheetReport } from '@shiftfeed/sheets';
import { type AccountSettings, MAX_MONTHS, MAX_RECORDS } from '../store/account.ts';
import type { AccountVersion } from '../store/admin/accounts.ts';
import type { UndoRefusal } from '../store/admin/history.ts';
import type { TokenRecord } from '../store/admin/tokens.ts';
import { type DateRange, type RecordOf, TABLES, type Table, type Tally } from '../store/records.ts';
import type {
  Comparison,
  Comparisons,
  Oddities,
  RecordChange,
  Unlisted,
} from '../store/staging/comparison.ts';
import { fits, packReplaced } from '../store/staging/replaced.ts';
import type { ImportStore, Stage } from '../store/staging/stage.ts';
import type { TokenChange, TokenComparison } from '../store/staging/tokens.ts';
import type { DocumentPart } from './document.ts';
import type { GivenAccount } from './fields.ts';
import { readDocument } from './json/read.ts';
import type { NamedTable, NearName } from './near-names.ts';
import { type ImportProblem, ProblemList, type ProblemTeller, problemsOf } from './problems.ts';
import {
  type LeftShifts,
  leftShifts,
  type RemovalOptions,
  removalFrom,
  replacedDays,
  whyNotRemoved,
} from './removals.ts';
import { type Progress, type StagedDocument, stageDocument } from './stage-document.ts';

export interface ImportOptions extends RemovalOptions {
  /** The account is copied as a whole, with these tokens. One that is there already is then only taken with `replace`. */
  readonly tokens?: readonly TokenRecord[] | undefined;
  /** The current date in a time zone. Without it, there are no warnings that depend on the date. */
  readonly today?: ((timeZone: string) => string) | undefined;
  /** Also count the shifts that are not listed. */
  readonly countsUnlisted?: boolean | undefined;
  /** What the history says of the import. */
  readonly origin?: ImportOrigin | undefined;
  /** Says why the account must not be changed in this way; undefined if it may. */
  readonly refuses?: ((planned: PlannedChange) => string | undefined) | undefined;
  /** The digest of a dry run: unless exactly that is about to be written, nothing is, and ChangedSince is thrown. */
  readonly expected?: string | undefined;
  /** Gets the id of the entry of the history, just before the transaction is committed. */
  readonly onEntry?: ((entryId: number) => Promise<void>) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** In a dry run without problems, gets what would change, some records at a time. */
  readonly onChanges?: ChangeTeller | undefined;
  /** The same for tokens, at the end. */
  readonly onTokenChanges?: ((changes: readonly TokenChange[]) => Promise<void>) | undefined;
  /** Gets the problems as they are found. Without it, the first ones are thrown. */
  readonly onProblems?: ProblemTeller | undefined;
}

export interface ImportOrigin {
  readonly who: string;
  /** The name of the file, without its folder. */
  readonly file: string;
  /** What the next import is recognised by (see `inputOf`). Asked for when the document was read. */
  readonly input?: (() => string | undefined) | undefined;
}

/** What an import would do to an account. */
export interface PlannedChange {
  readonly existing: AccountSettings | undefined;
  readonly settings: AccountSettings;
  readonly tables: Readonly<Record<Table, Tally>>;
}

/** The account was changed after the dry run whose digest was expected. Nothing was imported. */
export class ChangedSince extends Error {}

/** Documents that a program made. */
const BY_PROGRAM: ImportOrigin = { who: 'Shiftfeed', file: '' };

export interface Change extends RecordChange<Table> {
  readonly table: Table;
}

/** May take long to resolve. Groups, locations and people come before the shifts that refer to them. */
export type ChangeTeller = (changes: readonly Change[], nameOf: NameOf, recordOf: FindNamed) => Promise<void>;

export type NameOf = (table: Table, id: number) => string;

/** A group, location or person as it will be. */
export type FindNamed = <T extends Exclude<Table, 'shifts'>>(table: T, id: number) => RecordOf<T> | undefined;

export interface ImportSummary {
  readonly slug: string;
  readonly account: 'added' | 'changed' | 'unchanged';
  readonly tables: Readonly<Record<Table, Tally>>;
  /** Only of a copy with tokens. Those that are removed stay in the database, revoked. */
  readonly tokens?: Tally | undefined;
  /** The date in the account's time zone; undefined when the import was given no clock. */
  readonly today?: string | undefined;
  /** The days on which shifts were replaced; set only when one of several sheets decides them. */
  readonly replacedDays?: DateRange | undefined;
  /** The shifts that the document does not have, of the days and groups that it is the plan of, if there are any. */
  readonly left?: LeftShifts | undefined;
  /** Whether tokens of the account are live. */
  readonly premium: boolean;
  /** Whether a new account is in UTC because nobody said where it is. */
  readonly isUtcAssumed?: boolean | undefined;
  /** Shifts of the document that are not listed. */
  readonly unlisted?: Unlisted | undefined;
  /** Only for a sheet: how it was read, and which rows are odd. */
  readonly report?: SheetReport | undefined;
  readonly oddities?: Oddities | undefined;
  /** The first of the names that are new. `tables` tells how many there are. */
  readonly newNames?: NewNames | undefined;
  /** Only for a sheet: new names that are nearly the same as other names, or unlike them. */
  readonly nearNames?: readonly NearName[] | undefined;
  /** Why the import cannot be taken back; undefined if it can, or if it changes nothing. */
  readonly undoRefusal?: UndoRefusal | undefined;
  /** Its entry in the history, once it is done. */
  readonly entryId?: number | undefined;
  /** Identifies everything that a dry run would write, if its changes were told. */
  readonly digest?: string | undefined;
  /** When the same was imported before, if nothing had to be read for that reason. */
  readonly sameAsAtMs?: number | undefined;
}

type NewNames = Readonly<Record<NamedTable, readonly string[]>>;

/** Imports a document that a program made, checked like one from a file. */
export function importDocument(
  store: ImportStore,
  document: unknown,
  options: ImportOptions,
): Promise<ImportSummary> {
  return importParts(store, readDocument([Buffer.from(JSON.stringify(document))]), options);
}

/** Throws ImportProblems; then nothing has changed. */
export function importParts(
  store: ImportStore,
  parts: AsyncIterable<DocumentPart> | Iterable<DocumentPart>,
  options: ImportOptions,
): Promise<ImportSummary> {
  return store.stage(async (stage) => {
    const problems = new ProblemList(options.onProblems);
    const document = await stageDocument(stage, parts, problems, options.onProgress);
    const job = { stage, document, options };
    const plan = await makePlan(job, problems);
    const { report } = document;
    const warnings = await findWarnings(job, plan);
    const about = { report, replacedDays: replacedDays(job), ...warnings };
    if (!options.dryRun) return { ...(await merge(job, plan)), ...about };
    const digest = options.onChanges && (await tellChanges(stage, plan, options.onChanges));
    if (plan.tokens !== undefined) await options.onTokenChanges?.(plan.tokens.changes);
    return { ...plan.summary, ...about, digest, undoRefusal: await foreseenRefusal(plan) };
  });
}

interface Job {
  readonly stage: Stage;
  readonly document: StagedDocument;
  readonly options: ImportOptions;
}

/** What is to be written and removed, and the version of the account that it was compared with. */
interface Plan {
  readonly given: GivenAccount;
  readonly existing: AccountVersion | undefined;
  readonly settings: AccountSettings;
  readonly comparisons: Comparisons;
  /** undefined: tokens stay as they are. */
  readonly tokens: TokenComparison | undefined;
  readonly summary: ImportSummary;
}

async function makePlan(job: Job, problems: ProblemList): Promise<Plan> {
  const { account, tables } = job.document;
  const existing = account && (await job.stage.findAccount(account.slug));
  const comparisons = await compareTables(job, tables, existing?.id, problems);
  const tokens = await tokensFor(job, existing, problems);
  problems.check();
  if (account === undefined) throw new Error('a document without an account is a problem of the document');
  const plan = await planOf(job, account, existing, comparisons as Comparisons, tokens);
  await checkAllowed(job, plan, problems);
  return plan;
}

async function checkAllowed({ options }: Job, plan: Plan, problems: ProblemList): Promise<void> {
  const { existing, settings, summary } = plan;
  const message = options.refuses?.({ existing, settings, tables: summary.tables });
  if (message !== undefined) problems.add({ place: '', message });
  await problems.tell();
  problems.check();
}

async function tokensFor(
  { stage, options: { tokens, replace } }: Job,
  existing: AccountVersion | undefined,
  problems: ProblemList,
): Promise<TokenComparison | undefined> {
  if (tokens === undefined) return undefined;
  if (existing !== undefined && !replace)
    problems.add({
      place: '',
      message: `the account ${existing.slug} is there already; if it is to become the same, tokens included, give --replace`,
    });
  const owner = await stage.tokens.otherOwner(existing?.id, tokens);
  if (owner !== undefined)
    problems.add({ place: '', message: `one of its tokens is there already, of the account ${owner}` });
  return stage.tokens.compare(existing?.id, tokens);
}

async function planOf(
  job: Job,
  given: GivenAccount,
  existing: AccountVersion | undefined,
  comparisons: Comparisons,
  tokens: TokenComparison | undefined,
): Promise<Plan> {
  const settings = completeAccount(given, existing);
  const account =
    existing === undefined ? 'added' : isSameAccount(settings, existing) ? 'unchanged' : 'changed';
  const tallies = TABLES.map((table) => [table, comparisons[table].tally]);
  const tables: ImportSummary['tables'] = Object.fromEntries(tallies);
  const { slug } = given;
  const isUtcAssumed = existing === undefined && given.time_zone === undefined;
  const { premium } = settings;
  const left = await leftShifts(job, comparisons.shifts);
  const summary = { slug, account, tables, tokens: tokens?.tally, left, premium, isUtcAssumed } as const;
  return { given, existing, settings, comparisons, tokens, summary };
}

/** Warnings about the imported shifts. */
async function findWarnings(
  { document, options }: Job,
  { settings, comparisons }: Plan,
): Promise<Pick<ImportSummary, 'today' | 'unlisted' | 'oddities' | 'newNames' | 'nearNames'>> {
  const today = options.today?.(settings.timeZone);
  if (today === undefined) return {};
  const unlisted = options.countsUnlisted ? await comparisons.shifts.unlisted(today) : undefined;
  const newNames = await findNewNames(comparisons);
  if (document.names === undefined) return { today, unlisted, newNames };
  const oddities = await findOddities(comparisons.shifts, today);
  return { today, unlisted, oddities, newNames, nearNames: document.names.near() };
}

/** Of each kind. More than these are only counted. */
const MAX_NEW_NAMES = 1_000;

async function findNewNames(comparisons: Comparisons): Promise<NewNames> {
  const found: Record<NamedTable, string[]> = { groups: [], locations: [], people: [] };
  for (const [table, names] of Object.entries(found) as [NamedTable, string[]][]) {
    if (comparisons[table].tally.added === 0) continue;
    for await (const changes of comparisons[table].changes())
      for (const { before, after } of changes)
        if (after && before === undefined && names.length < MAX_NEW_NAMES) names.push(after.name);
  }
  return found;
}

/** If no shift refers to a record of these tables, the record may change without a new revision of the account. */
const WITHOUT_REVISION: readonly Table[] = ['groups', 'locations', 'people'];

async function merge(job: Job, plan: Plan): Promise<ImportSummary> {
  const { stage, document, options } = job;
  let { summary } = plan;
  let isFirstTime = true;
  await stage.merge(async (transaction) => {
    const existing = await transaction.lockAccount(plan.given.slug);
    const isSame =
      isFirstTime && existing?.id === plan.existing?.id && existing?.revision === plan.existing?.revision;
    isFirstTime = false;
    await document.names?.confirm(existing?.id);
    const problems = new ProblemList(options.onProblems);
    const again = await compareTables(job, isSame ? WITHOUT_REVISION : TABLES, existing?.id, problems);
    if (options.tokens !== undefined && existing !== undefined) await stage.tokens.lock(existing.id);
    const tokens = await tokensFor(job, existing, problems);
    problems.check();
    const now = await planOf(job, plan.given, existing, { ...plan.comparisons, ...again }, tokens);
    await checkAllowed(job, now, problems);
    if (options.expected !== undefined && options.expected !== (await digestOf(now)))
      throw new ChangedSince();
    summary = now.summary;

    const accountId =
      existing !== undefined && summary.account === 'unchanged'
        ? existing.id
        : await transaction.saveAccount(now.settings);
    const { origin: { who, file, input } = BY_PROGRAM } = options;
    const counts = { account: summary.account, tables: summary.tables, tokens: summary.tokens };
    const entry = await stage.beginEntry(
      accountId,
      { action: 'import', who, file, counts },
      replacedBy(now, true),
    );
    await writeAll(now.comparisons, accountId, options.onProgress);
    if (now.tokens !== undefined) await stage.tokens.write(accountId, now.tokens);
    const undoRefusal = await entry.end(input?.());
    summary = { ...summary, undoRefusal, entryId: entry.id };
    await options.onEntry?.(entry.id);
  });
  return summary;
}

/** Within a merge, writes and removes everything that the comparisons found. */
export async function writeAll(
  comparisons: Comparisons,
  accountId: number,
  onProgress?: ImportOptions['onProgress'],
): Promise<void> {
  const { added, changed } = comparisons.shifts.tally;
  const onShifts = (done: number) => onProgress?.({ step: 'written', done, total: added + changed });
  for (const table of TABLES)
    await comparisons[table].write(accountId, table === 'shifts' ? onShifts : undefined);
  for (const table of TABLES.toReversed()) await comparisons[table].remove(accountId);
}

/** What is replaced, or why the import cannot be taken back; undefined if it changes nothing. */
function replacedBy(
  { existing, comparisons, summary }: Plan,
  isMerging: boolean,
): AsyncIterable<Uint8Array> | UndoRefusal | undefined {
  const { account, tables, tokens } = summary;
  if (tokens !== undefined && hasChanges(tokens)) return 'tokens';
  if (account === 'unchanged' && !TABLES.some((table) => hasChanges(tables[table]))) return undefined;
  return packReplaced(account === 'changed' ? existing : undefined, comparisons, isMerging);
}

function hasChanges({ added, changed, removed }: Tally): boolean {
  return added + changed + removed > 0;
}

/** The same before anything is written. */
async function foreseenRefusal(plan: Plan): Promise<UndoRefusal | undefined> {
  const replaced = replacedBy(plan, false);
  if (typeof replaced !== 'object') return replaced;
  return (await fits(replaced)) ? undefined : 'size';
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

/** Compares the document with the account, and puts its problems into words. */
async function compareTables(
  job: Job,
  tables: readonly Table[],
  accountId: number | undefined,
  problems: ProblemList,
): Promise<Partial<Comparisons>> {
  const { stage, document, options } = job;
  const comparisons: Partial<Record<Table, Comparison>> = {};
  for (const table of tables) {
    const comparison = await stage.compare(table, {
      accountId,
      unknown: document.unknown,
      removal: removalFrom(table, job),
      removesReferred: options.replace,
      isSheet: document.names !== undefined,
    });
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
      const reason = (await whyTooManyMonths(job, accountId)) ?? (await whyNotRemoved(job, comparison));
      if (reason !== undefined) problems.add({ place: '', ...reason });
      await problems.tell();
    }
    // A copy, which has tokens, is of an account that there is, however large.
    if (table !== 'shifts' && options.tokens === undefined) {
      const message = await whyTooManyRecords(stage, accountId, table, comparison.tally);
      if (message !== undefined) problems.add({ place: '', message });
      await problems.tell();
    }
    comparisons[table] = comparison;
  }
  return comparisons as Partial<Comparisons>;
}

/** Returns undefined when the account keeps to the limit. A month that once had shifts counts for ever. */
async function whyTooManyMonths(
  { stage, document }: Job,
  accountId: number | undefined,
): Promise<Omit<ImportProblem, 'place'> | undefined> {
  const months = new Set([...(await stage.months(accountId)), ...document.months]);
  if (months.size <= MAX_MONTHS) return undefined;
  const [most, many] = [MAX_MONTHS, months.size].map(inFull);
  return {
    message: `the account would have shifts in ${many} different months, those that once had shifts included: ${most} are the most`,
  };
}

/** Returns undefined when the account keeps to the limit, or when none are added. */
async function whyTooManyRecords(
  stage: Stage,
  accountId: number | undefined,
  table: keyof typeof MAX_RECORDS,
  { added, removed }: Tally,
): Promise<string | undefined> {
  const most = MAX_RECORDS[table];
  const many = added === 0 ? 0 : (await stage.count(table, accountId)) + added - removed;
  if (many <= most) return undefined;
  return `the account would have ${inFull(many)} ${table}: ${inFull(most)} are the most`;
}

/** A shift from 17:00 to 9:00 is this long; 9:00 in the evening was probably meant. */
const LONG_SHIFT_MINUTES = 16 * 60;
const USUAL_YEARS = 2;
/** Further ones are only counted. */
const MAX_KEPT = 3;

/**
 * Finds rows of a sheet that are unusual but may be intended: long shifts, far years, equal rows. Looks only at shifts
 * that will be written: unchanged ones were reported by an earlier import.
 */
function findOddities(shifts: Comparison<'shifts'>, today: string): Promise<Oddities> {
  const year = Number(today.slice(0, 4));
  return shifts.oddities(
    {
      longMinutes: LONG_SHIFT_MINUTES,
      firstDate: `${year - USUAL_YEARS}-01-01`,
      lastDate: `${year + USUAL_YEARS}-12-31`,
    },
    MAX_KEPT,
  );
}

/**
 * Lists what an import would change, record by record, and returns the digest of it. Only groups, locations and people
 * are kept in memory.
 */
async function tellChanges(stage: Stage, plan: Plan, tell: ChangeTeller): Promise<string> {
  const named = new Map<string, RecordOf<Table>>();
  const remember = (table: Table, record: RecordOf<Table> | undefined) => {
    if (record !== undefined && 'name' in record) named.set(`${table} ${record.id}`, record);
  };
  const find = (table: Table, id: number) => named.get(`${table} ${id}`);
  const nameOf: NameOf = (table, id) => (find(table, id) as RecordOf<'people'>)?.name ?? String(id);
  for (const table of TABLES.filter((one) => one !== 'shifts'))
    for await (const records of stage.records(table, plan.existing?.id))
      for (const record of records) remember(table, record);
  return digestOf(plan, async (table, changes) => {
    for (const { after } of changes) remember(table, after);
    await tell(
      changes.map((change) => ({ ...change, table })),
      nameOf,
      find as FindNamed,
    );
  });
}

/** A hash of the settings and of all records before and after an import, as far as it changes them. */
async function digestOf(
  { existing, settings, comparisons }: Plan,
  onChanges?: (table: Table, changes: readonly RecordChange<Table>[]) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  const both = [existing, settings];
  hash.update(
    JSON.stringify(both.map((one) => one && [one.slug, one.name, one.premium, one.timeZone, one.sort])),
  );
  for (const table of TABLES)
    for await (const changes of comparisons[table].changes()) {
      for (const { before = null, after = null } of changes)
        hash.update(JSON.stringify([table, before, after]));
      await onChanges?.(table, changes);
    }
  return hash.digest('hex');
}
