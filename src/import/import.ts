/**
 * Imports a document: all of it or nothing. The records are staged first, without a lock. Then each is completed from
 * what the database has, checked, and marked to be written if that changes something. So importing an unchanged plan
 * again changes no revision. Only the merge at the end blocks other writers.
 */

import type { AccountSettings } from '../store/account.ts';
import type {
  AccountVersion,
  ComparedRecord,
  DateRange,
  ImportStore,
  RecordChange,
  Stage,
} from '../store/import-store.ts';
import { type Flaw, type RecordOf, TABLES, type Table } from '../store/records.ts';
import { type ChangeTeller, tellChanges } from './changes.ts';
import { completeRecord, isSameRecord, makeWhole } from './complete.ts';
import { type NameBook, openNameBook } from './csv/names.ts';
import type { SheetRow } from './csv/sheet.ts';
import type { DocumentPart, DocumentProblem } from './document.ts';
import type { GivenAccount } from './fields.ts';
import { placeInSheet, placeOf } from './place.ts';
import { ProblemList, type ProblemTeller, recordProblem, rowProblem } from './problems.ts';
import { keepingNames, REFERENCES } from './references.ts';
import { type ImportDocument, partsOf } from './whole-document.ts';

export interface ImportOptions {
  /** Also remove what the document does not have. */
  readonly replace: boolean;
  /** Also remove the shifts of these days that the document does not have, and nothing else. */
  readonly replaceShifts?: DateRange | undefined;
  /** Refuse a document without shifts that would remove some: whatever wrote it has probably failed. */
  readonly refuseEmpty?: boolean | undefined;
  /** Do everything but the writing. */
  readonly dryRun: boolean;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** In a dry run without problems, gets what would change, some records at a time. */
  readonly onChanges?: ChangeTeller | undefined;
  /** Gets the problems as they are found. Without it, the first ones are thrown. */
  readonly onProblems?: ProblemTeller | undefined;
}

/** How many shifts are done. The number may fall, when an import lets others write and begins again. */
export interface Progress {
  readonly step: 'read' | 'compared' | 'written';
  readonly done: number;
  /** How many there are, once that is known. */
  readonly total?: number | undefined;
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

/** Throws ImportProblems; then nothing has changed. */
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
    const job: Job = { stage, options, reading, hasRepeatedShifts: false };
    const plan = await makePlan(job, problems);
    if (!options.dryRun) return merge(job, plan);
    if (options.onChanges !== undefined)
      await tellChanges(stage, reading.names, plan.existing?.id, options.onChanges);
    return plan.summary;
  });
}

interface Job {
  readonly stage: Stage;
  readonly options: ImportOptions;
  readonly reading: Reading;
  hasRepeatedShifts: boolean;
}

/** The document, apart from the staged records. */
interface Reading {
  /** undefined: the account could not be read. */
  readonly account: GivenAccount | undefined;
  /** undefined: it is not a sheet, and its records have ids. */
  readonly names: NameBook | undefined;
  /** How many there are. */
  readonly shifts: number;
  /** The tables in the order of the document. */
  readonly tables: readonly Table[];
  /** Tables with records whose id could not be read. */
  readonly hidden: ReadonlySet<Table>;
}

/** What is marked to be written and removed, and the version of the account that it was compared with. */
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
  let names: NameBook | undefined;
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
    } else if ('rows' in part) {
      names ??= await openNameBook(
        stage,
        account && (await stage.findAccount(account.slug))?.id,
        part.hasAddresses,
      );
      await addRows(stage, names, part.rows);
      done += part.rows.length;
      onProgress?.({ step: 'read', done });
    } else {
      tables.add(part.table);
      if (part.table === 'shifts') await stage.add('shifts', part.records.map(makeWhole));
      else await stage.add(part.table, part.records);
      if (part.records.some(({ id }) => id === undefined)) hidden.add(part.table);
      if (part.table !== 'shifts') continue;
      done += part.records.length;
      onProgress?.({ step: 'read', done });
    }
  }
  return {
    account: hidden.has('account') ? undefined : account,
    names,
    shifts: done,
    tables: [...tables, ...TABLES.filter((table) => !tables.has(table))],
    hidden: hidden as ReadonlySet<Table>,
  };
}

async function addRows(stage: Stage, names: NameBook, rows: readonly SheetRow[]): Promise<void> {
  const { made, shifts } = names.settle(rows);
  for (const table of ['groups', 'locations', 'people'] as const) {
    if (made[table].length > 0) await stage.add(table, made[table]);
  }
  await stage.add(
    'shifts',
    shifts.map(makeWhole),
    rows.map(({ line }) => line - 1),
  );
}

async function makePlan(job: Job, problems: ProblemList): Promise<Plan> {
  const { account, names, tables } = job.reading;
  if (names !== undefined) await job.stage.separate();
  for (const table of tables) {
    const hasRepeated = await job.stage.findRepeated(table);
    if (table === 'shifts') job.hasRepeatedShifts = hasRepeated;
  }
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

/** Small tables. Their records may change without a new revision, if no shift refers to them. */
const FEW: readonly Table[] = ['groups', 'locations', 'people'];

async function merge(job: Job, plan: Plan): Promise<ImportSummary> {
  const { stage, options } = job;
  const { given } = plan;
  let { summary } = plan;
  let isFirstTime = true;
  await stage.merge(async (transaction) => {
    const existing = await transaction.lockAccount(given.slug);
    // After another time, the marks may be of what that found.
    const isSame =
      isFirstTime && existing?.id === plan.existing?.id && existing?.revision === plan.existing?.revision;
    isFirstTime = false;
    await job.reading.names?.confirm(stage, existing?.id);
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
      const { added, changed } = summary.tables.shifts;
      const onProgress = (done: number) =>
        options.onProgress?.({ step: 'written', done, total: added + changed });
      await transaction.save(table, accountId, table === 'shifts' ? onProgress : undefined);
    }
    for (const table of TABLES.toReversed()) {
      if (removalFrom(table, options) !== undefined) await transaction.remove(table, accountId);
    }
    // Also when nothing has changed: an operator wants to know whether the import ran.
    await transaction.noteImport(accountId);
  });
  return summary;
}

/** Which records are removed from this table if the document lacks them; undefined: none. */
function removalFrom(
  table: Table,
  { replace, replaceShifts }: ImportOptions,
): { readonly days: DateRange | undefined } | undefined {
  if (replace) return { days: undefined };
  return table === 'shifts' && replaceShifts !== undefined ? { days: replaceShifts } : undefined;
}

/** Marks what is to be written and removed, unless there are problems. */
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
    const isApart = table === 'shifts' && (await canCompareWholeShifts(job, accountId));
    for await (const records of stage.compare(table, accountId, isApart)) {
      await compareRecords(job, table, records, accountId, tally, problems);
    }
    if (isApart && problems.count === 0) await compareWholeShifts(job, accountId, tally);
    const removal = removalFrom(table, options);
    if (removal !== undefined) tally.removed = await stage.keepAbsent(table, accountId, removal.days);
    if (table === 'shifts') await refuseIfEmpty(job, tally.removed, problems);
    tallies[table] = tally;
  }
  return tallies;
}

async function refuseIfEmpty(
  { options, reading }: Job,
  removed: number,
  problems: ProblemList,
): Promise<void> {
  if (!options.refuseEmpty || reading.shifts > 0 || removed === 0 || problems.count > 0) return;
  const shifts = removed === 1 ? 'a shift' : `${removed} shifts`;
  const message = `the file has no shifts at all, and --replace would remove ${shifts}; if that is meant, give --allow-empty`;
  problems.add({ place: '', message });
  await problems.tell();
}

/** Whole shifts without problems need not be compared one by one. */
async function canCompareWholeShifts(job: Job, accountId: number | undefined): Promise<boolean> {
  const { stage, reading, options } = job;
  const { references } = stage;
  if (job.hasRepeatedShifts || reading.account === undefined || reading.names?.hasSharedNames()) return false;
  // What a shift keeps may be about to be removed.
  if (references.isFull || (references.hasKept && options.replace)) return false;
  for (const [field, table] of REFERENCES) {
    if (reading.hidden.has(table)) continue;
    const ids = [...references[field]];
    const missing = await findMissing(job, table, accountId, ids);
    if (ids.some((id) => missing(id) !== undefined)) return false;
  }
  return true;
}

async function compareWholeShifts(
  { stage, options, reading }: Job,
  accountId: number | undefined,
  tally: Tally,
): Promise<void> {
  const { added, changed, unchanged } = await stage.compareWholeShifts(accountId);
  tally.added += added;
  tally.changed += changed;
  tally.unchanged += unchanged;
  options.onProgress?.({ step: 'compared', done: reading.shifts, total: reading.shifts });
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
    const { existing: before } = compared;
    const given = keepingNames(reading.names, table, compared);
    const isKnown = reading.account !== undefined && given.id !== undefined;
    const isNew = isKnown ? before === undefined : undefined;
    const { record: after, flaws } = completeRecord(table, given, before, isNew);
    judged.push({ compared, record: after, flaws: [...flawsBefore(table, compared, reading), ...flaws] });
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
    options.onProgress?.({ step: 'compared', done: added + changed + unchanged, total: reading.shifts });
  }
  for (const { compared, flaws } of judged) {
    const { position, given } = compared;
    for (const flaw of flaws) {
      problems.add(
        reading.names === undefined
          ? recordProblem(table, position, given.id, flaw)
          : rowProblem(position, flaw),
      );
    }
  }
  await problems.tell();
  if (problems.count === 0) await stage.keep(table, changes);
}

interface Judged<T extends Table> {
  readonly compared: ComparedRecord<T>;
  readonly record: RecordOf<T>;
  /** In the order in which they are reported. */
  readonly flaws: Flaw[];
}

/** The flaws of a record that were found without the database. */
function flawsBefore<T extends Table>(
  table: T,
  { given, firstPosition }: ComparedRecord<T>,
  { names }: Reading,
): readonly Flaw[] {
  const flaws = given.flawed?.flaws ?? [];
  if (firstPosition === undefined) return flaws;
  const first =
    names === undefined ? placeOf(table, firstPosition) : placeInSheet(firstPosition + 1, undefined);
  const message = `${given.id} is the id of ${first} too`;
  return [{ path: ['id'], message }, ...flaws];
}

/** Says why a shift may not refer to an id; undefined when it may. */
type Missing = (id: number) => 'nowhere' | 'removed' | undefined;

/** A shift may refer to records that only the database has, unless they are about to be removed. */
async function findMissing(
  { stage, options }: Job,
  table: Table,
  accountId: number | undefined,
  ids: readonly number[],
): Promise<Missing> {
  const { added, inDatabase } = await stage.lookUp(table, accountId, ids);
  return (id) => {
    if (added.has(id)) return undefined;
    if (!inDatabase.has(id)) return 'nowhere';
    return options.replace ? 'removed' : undefined;
  };
}

async function judgeReferences(
  job: Job,
  shifts: readonly Judged<'shifts'>[],
  accountId: number | undefined,
): Promise<void> {
  const { reading } = job;
  for (const [field, table, noun] of REFERENCES) {
    if (reading.account === undefined || reading.hidden.has(table)) continue;
    const ids = new Set(shifts.map((shift) => referenceOf(shift, field)).filter((id) => id !== undefined));
    const missing = await findMissing(job, table, accountId, [...ids]);
    for (const shift of shifts) {
      const id = referenceOf(shift, field);
      const why = id === undefined ? undefined : missing(id);
      if (why === undefined) continue;
      const message =
        why === 'nowhere'
          ? `there is no ${noun} ${id} in the document or the account`
          : `${noun} ${id} is not in the document, so it would be removed`;
      shift.flaws.push({ path: [field], message });
    }
  }
}

/** undefined: none, or unknown. */
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
