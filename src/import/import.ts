/**
 * Imports a document: all of it or nothing. The records are staged first, without a lock. Then the database compares
 * them with what it has and tells which have a problem. Only what changes something is written, so importing an
 * unchanged plan again changes no revision. Only the merge at the end blocks other writers.
 */

import type { AccountSettings } from '../store/account.ts';
import type { AccountVersion } from '../store/admin/accounts.ts';
import type {
  Comparisons,
  DateRange,
  ImportStore,
  Oddities,
  Tally,
  Unlisted,
} from '../store/import-store.ts';
import { TABLES, type Table } from '../store/records.ts';
import { tellChanges } from './changes.ts';
import { compareTables, coveredDays } from './compare.ts';
import type { DocumentPart } from './document.ts';
import type { GivenAccount } from './fields.ts';
import type { ImportOptions, Job } from './job.ts';
import { findOddities } from './oddities.ts';
import { ProblemList } from './problems.ts';
import type { NearName } from './sheet/near-names.ts';
import { stageDocument } from './stage-document.ts';
import { type ImportDocument, partsOf } from './whole-document.ts';

export interface ImportSummary {
  readonly slug: string;
  readonly account: 'added' | 'changed' | 'unchanged';
  readonly tables: Readonly<Record<Table, Tally>>;
  /** The date in the account's time zone; undefined when the import was given no clock. */
  readonly today?: string | undefined;
  /** The days on which shifts were replaced; set only when one of several sheets decides them. */
  readonly replacedDays?: DateRange | undefined;
  /** Whether tokens of the account are live. */
  readonly premium: boolean;
  /** Shifts of the document that are not listed. */
  readonly unlisted?: Unlisted | undefined;
  /** Only for a sheet. */
  readonly oddities?: Oddities | undefined;
  /** Only for a sheet: new names that are nearly the same as other names. */
  readonly nearNames?: readonly NearName[] | undefined;
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
    const document = await stageDocument(stage, parts, problems, options.onProgress);
    const job = { stage, document, options };
    const plan = await makePlan(job, problems);
    const warnings = { ...(await findWarnings(job, plan)), replacedDays: replacedDays(job) };
    if (!options.dryRun) return { ...(await merge(job, plan)), ...warnings };
    if (options.onChanges !== undefined) {
      await tellChanges(stage, plan.existing?.id, plan.comparisons, options.onChanges);
    }
    return { ...plan.summary, ...warnings };
  });
}

/** What is to be written and removed, and the version of the account that it was compared with. */
interface Plan {
  readonly given: GivenAccount;
  readonly existing: AccountVersion | undefined;
  readonly settings: AccountSettings;
  readonly comparisons: Comparisons;
  readonly summary: ImportSummary;
}

async function makePlan(job: Job, problems: ProblemList): Promise<Plan> {
  const { account, tables } = job.document;
  const existing = account && (await job.stage.findAccount(account.slug));
  const comparisons = await compareTables(job, tables, existing?.id, problems);
  problems.check();
  if (account === undefined) throw new Error('a document without an account is a problem of the document');
  return planOf(account, existing, comparisons as Comparisons);
}

function planOf(given: GivenAccount, existing: AccountVersion | undefined, comparisons: Comparisons): Plan {
  const settings = completeAccount(given, existing);
  const account =
    existing === undefined ? 'added' : isSameAccount(settings, existing) ? 'unchanged' : 'changed';
  const tables = {
    groups: comparisons.groups.tally,
    locations: comparisons.locations.tally,
    people: comparisons.people.tally,
    shifts: comparisons.shifts.tally,
  };
  return {
    given,
    existing,
    settings,
    comparisons,
    summary: { slug: given.slug, account, tables, premium: settings.premium },
  };
}

/** Returns undefined when the options give the days, or when nothing is removed. */
function replacedDays({ document: { onlyDays }, options: { replaceShifts } }: Job): DateRange | undefined {
  if (onlyDays === undefined || replaceShifts === undefined) return undefined;
  const isTold = replaceShifts.from !== undefined && replaceShifts.to !== undefined;
  return isTold ? undefined : coveredDays(replaceShifts, onlyDays);
}

/** Warnings about the imported shifts. */
async function findWarnings(
  { document, options }: Job,
  { settings, comparisons }: Plan,
): Promise<Pick<ImportSummary, 'today' | 'unlisted' | 'oddities' | 'nearNames'>> {
  const today = options.today?.(settings.timeZone);
  if (today === undefined) return {};
  const unlisted = options.countsUnlisted ? await comparisons.shifts.unlisted(today) : undefined;
  if (document.names === undefined) return { today, unlisted };
  const oddities = await findOddities(comparisons.shifts, today);
  return { today, unlisted, oddities, nearNames: document.names.near() };
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
    await document.names?.confirm(stage, existing?.id);
    const problems = new ProblemList(options.onProblems);
    const again = await compareTables(job, isSame ? WITHOUT_REVISION : TABLES, existing?.id, problems);
    problems.check();
    const now = planOf(plan.given, existing, { ...plan.comparisons, ...again });
    summary = now.summary;

    const accountId =
      existing !== undefined && summary.account === 'unchanged'
        ? existing.id
        : await transaction.saveAccount(now.settings);
    const { added, changed } = summary.tables.shifts;
    const onProgress = (done: number) =>
      options.onProgress?.({ step: 'written', done, total: added + changed });
    for (const table of TABLES) {
      await transaction.write(now.comparisons[table], accountId, table === 'shifts' ? onProgress : undefined);
    }
    for (const table of TABLES.toReversed()) await transaction.remove(now.comparisons[table], accountId);
    // Noted even when nothing has changed: an operator wants to know whether the import ran.
    await transaction.noteImport(accountId);
  });
  return summary;
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
