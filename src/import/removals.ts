/** What an import removes beside what it writes, and what it leaves. */

import { count } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type DateRange, FIRST_DATE, LAST_DATE, type Table } from '../store/records.ts';
import type { Comparison } from '../store/staging/comparison.ts';
import type { CompareOptions } from '../store/staging/outcome.ts';
import type { ImportProblem } from './problems.ts';
import type { CoveredDays, StagedDocument } from './stage-document.ts';

export interface RemovalOptions {
  /** Also remove what the document does not have. */
  readonly replace: boolean;
  /** Also remove the shifts of these days that the document does not have, and nothing else. */
  readonly replaceShifts?: DateRange | undefined;
  /**
   * Also remove the shifts that the document does not have, of the days and groups that it is the plan of. If they stay,
   * they are counted for a sheet, and for any document if somebody can be asked.
   */
  readonly replaceDays?: boolean | undefined;
  /** Somebody looks at what would change, and can be asked: nothing is imported before they chose what goes. */
  readonly isOnPage?: boolean | undefined;
  /** Refuse a document without shifts that would remove some: whatever wrote it has probably failed. */
  readonly refuseEmpty?: boolean | undefined;
  /** Refuse to remove most of what the removal covers: the document was probably cut off. */
  readonly refuseRemovals?: boolean | undefined;
  /** Do everything but the writing. */
  readonly dryRun: boolean;
}

interface Removing {
  readonly document: StagedDocument;
  readonly options: RemovalOptions;
}

/** Returns undefined when the options give the days, or when nothing is removed. */
export function replacedDays({
  document: { onlyDays },
  options: { replaceShifts },
}: Removing): DateRange | undefined {
  const days = replaceShifts && coveredDays(replaceShifts, onlyDays);
  return days === replaceShifts ? undefined : days;
}

export function removalFrom(table: Table, { document, options }: Removing): CompareOptions['removal'] {
  if (options.replace) return { days: undefined };
  if (table !== 'shifts') return undefined;
  if (options.replaceShifts !== undefined)
    return { days: coveredDays(options.replaceShifts, document.onlyDays) };
  const { covers, names } = document;
  if (covers === undefined || !(names || options.isOnPage || options.replaceDays)) return undefined;
  return { days: covers, isOfGroups: true, areKept: !options.replaceDays };
}

const MAX_GROUPS_TOLD = 3;

export async function leftShifts(
  { document, options }: Removing,
  shifts: Comparison<Table>,
): Promise<LeftShifts | undefined> {
  const { left: count } = shifts;
  if (count === 0 || document.covers === undefined || options.replace || options.replaceShifts)
    return undefined;
  const groups = await shifts.groupsOfLeft(MAX_GROUPS_TOLD);
  return { count, areKept: !options.replaceDays, groups, ...document.covers };
}

/**
 * One of several sheets covers only its own days, unless the user gave both ends of the range: "from today on" is only
 * meant to protect the past.
 */
function coveredDays(asked: DateRange, onlyDays: DateRange | undefined): DateRange {
  if (onlyDays === undefined || (asked.from !== undefined && asked.to !== undefined)) return asked;
  const { from = FIRST_DATE, to = LAST_DATE } = asked;
  const { from: first = FIRST_DATE, to: last = LAST_DATE } = onlyDays;
  return { from: from > first ? from : first, to: to < last ? to : last };
}

/**
 * Removing up to this many shifts needs no confirmation, unless all go and the sheet is about other days, or somebody can
 * be asked.
 */
const FEW_SHIFTS = 10;

/** Returns undefined when they may be removed. */
export async function whyNotRemoved(
  job: Removing,
  comparison: Comparison,
): Promise<Omit<ImportProblem, 'place'> | undefined> {
  const { options, document } = job;
  const { removed } = comparison.tally;
  const left = isChoiceMissing(options) ? await leftShifts(job, comparison) : undefined;
  if (left !== undefined) return askLeft(left);
  const option = options.replaceDays ? '--replace-days' : '--replace';
  if (document.shifts === 0) {
    if (!options.refuseEmpty || removed === 0) return undefined;
    const shifts = removed === 1 ? 'a shift' : `${removed} shifts`;
    return {
      message: `the file has no shifts at all, and ${option} would remove ${shifts}`,
      onPage: `The file has no shifts at all, and the import would remove ${shifts}.`,
      advice: '; if that is meant, give --allow-empty',
      fix: byOption('allow-empty', 'true'),
      ...(options.isOnPage && { offers: [KEEP] }),
    };
  }
  if (!options.refuseRemovals || removed === 0) return undefined;
  const [given, existing] = [await comparison.givenShifts(), await comparison.coveredShifts()];
  const { from, to } = options.replaceShifts ?? {};
  const isElsewhere = given.last < existing.first || existing.last < given.first;
  const isOpen = !options.replaceDays && (from === undefined || to === undefined);
  const isUnnoticed = removed === existing.count && isElsewhere && isOpen && !from && !to;
  const isMost = removed > (options.isOnPage ? 0 : FEW_SHIFTS) && removed > existing.count / 2;
  if (!isMost && !isUnnoticed) return undefined;
  const ownDays = `--from ${from ?? given.first} --to ${to ?? given.last}`;
  const many = removed === existing.count ? `all ${removed}` : `${removed} of the ${existing.count}`;
  return {
    message: `${option} would remove ${many} shifts that it covers`,
    onPage: `The import would remove ${many} shifts of these days and groups.`,
    advice:
      `${isOpen ? `; to replace only the days of the sheet, give ${ownDays}` : ''}` +
      '; if they are all meant to go, give --allow-removals (with --dry-run --show, it lists them)',
    fix: byOption('allow-removals', 'true'),
    ...(options.isOnPage && { offers: [KEEP] }),
  };
}

const KEEP = ['replace-days', 'false'] as const;

/** In a preview one still chooses. */
function isChoiceMissing({ isOnPage, dryRun, replaceDays }: RemovalOptions): boolean {
  return isOnPage === true && !dryRun && replaceDays === undefined;
}

/** Shifts of the days and groups of a document that it does not have. */
export interface LeftShifts extends CoveredDays {
  readonly count: number;
  /** Whether they stay. */
  readonly areKept: boolean;
  /** Some of the groups, and how many there are. */
  readonly groups: { readonly names: readonly string[]; readonly count: number };
}

/** Such as `12 shifts of Kitchen and Bar from 8 to 14 March 2027 are not in this file`. */
export function describeLeft({ count: many, groups, from, to, areOfSheets }: LeftShifts): string {
  const others = groups.count - groups.names.length;
  const names = [...groups.names, ...(others > 0 ? [count(others, 'other group', 'other groups')] : [])];
  const of = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);
  const ofSheets = many === 1 ? ', on the days of its sheet,' : ', on the days of their sheets,';
  const days = `${daysInWords(from, to)}${areOfSheets ? ofSheets : ''}`;
  return `${count(many, 'shift', 'shifts')} of ${of} ${days} ${many === 1 ? 'is' : 'are'} not in this file`;
}

/** Such as `from 8 to 14 March 2027`: what two days have in common is said once. */
function daysInWords(from: string, to: string): string {
  const partsOf = (date: string) =>
    new Date(`${date}T00:00Z`)
      .toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
      .split(' ');
  const last = partsOf(to);
  if (from === to) return `on ${last.join(' ')}`;
  const first = partsOf(from);
  while (first.length > 1 && first.at(-1) === last.at(first.length - 1)) first.pop();
  return `from ${first.join(' ')} to ${last.join(' ')}`;
}

/** What becomes of them, as a question. */
export function askLeft(left: LeftShifts): Omit<ImportProblem, 'place'> {
  return {
    message: describeLeft(left),
    advice: '; to remove them, give --replace-days',
    fix: byOption('replace-days', 'true', 'false'),
  };
}
