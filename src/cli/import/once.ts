/** One import of a file: it is opened, read and imported, and what is wrong with it is told. */

import { formatDate } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { todayIn } from '@shiftfeed/common/zone';
import type { DocumentPart } from '../../import/document.ts';
import { timeZoneName } from '../../import/fields.ts';
import type { ChangeTeller, ImportSummary } from '../../import/import.ts';
import {
  contradictionIn,
  type Format,
  type ImportValues,
  keyOf,
  OPTION_NAMES,
  optionOf,
  removals,
  sheetOptions,
  withToday,
} from '../../import/options.ts';
import {
  countProblems,
  describeProblem,
  describeProblems,
  type ImportProblem,
  ImportProblems,
  listProblems,
  type ProblemTeller,
} from '../../import/problems.ts';
import { beginReading, readParts } from '../../import/read.ts';
import type { SheetReport } from '../../import/sheet/report.ts';
import { Failure } from '../failure.ts';
import { withStore } from '../options.ts';
import { describeChange, type ImportOutcome } from './describe.ts';
import { type OpenFile, openFile, readingFor } from './file.ts';
import { displayProgress, type ProgressDisplay } from './progress.ts';

/** What an import is told, and what only its command knows. */
export interface ImportCommandOptions extends ImportValues {
  readonly database: string;
  readonly show?: boolean;
  readonly quiet?: boolean;
  readonly allProblems?: boolean;
  readonly watch?: boolean;
  /** Files. */
  readonly report?: string;
  readonly recipe?: string;
  readonly saveRecipe?: string;
}

export interface Way {
  /** The arguments as they were typed. */
  readonly words: readonly string[];
  readonly guard?: Guard;
  /** By default, --all-problems writes to standard error. */
  readonly tellProblems?: ((lines: readonly string[]) => void) | undefined;
}

/** Lets a watch end the reading of a document. */
export interface Guard {
  /** Ends a thread that reads. */
  readonly stop: AbortSignal;
  /** Wraps what is read. */
  watch(parts: AsyncGenerator<DocumentPart>): AsyncGenerator<DocumentPart>;
}

export async function importOnce(
  file: string,
  format: Format,
  given: ImportCommandOptions,
  way: Way,
): Promise<ImportOutcome> {
  const options = await withToday(given, () => todayFor(given));
  const wrong = contradictionIn(options, format);
  if (wrong !== undefined) throw wrongUse(wrong);
  const sheet = format === 'sheet' ? sheetOptions(options) : undefined;
  const opened = await openFile(file, options.watch ?? false);
  let report: SheetReport | undefined;
  const unchecked = readParts(opened.bytes, sheet, way.guard?.stop);
  const reading = readingFor(options.account, opened.name, unchecked, (made) => {
    report = made;
  });
  const parts = way.guard === undefined ? reading : way.guard.watch(reading);
  try {
    if (sheet !== undefined && options.account === undefined) throw await accountMissing(parts, way.words);
    const summary = await importFile(opened, format, parts, options, way);
    return { summary, report };
  } finally {
    // If the import failed, the document may still be open for reading.
    await parts.return(undefined);
    opened.close();
  }
}

/** The date in the time zone that the account will have after the import. */
async function todayFor({ database, account: slug = '', timeZone }: ImportCommandOptions): Promise<string> {
  if (timeZone !== undefined) return todayAt(timeZone);
  const account = await withStore(database, { missing: 'pretend' }, (store) => store.findAccount(slug));
  if (account === undefined || timeZoneName(account.timeZone) !== undefined)
    return todayAt(account?.timeZone ?? 'UTC');
  throw new Failure(
    `The account ${slug} has the time zone ${quote(account.timeZone)}, which does not exist, so nobody knows ` +
      'what today is there: give another one with --time-zone.',
  );
}

/** Another program may have given the account a zone that does not exist. */
function todayAt(timeZone: string): string {
  return formatDate(todayIn(timeZoneName(timeZone) ?? 'UTC', Date.now()));
}

export const ACCOUNT_MISSING = 'Say with --account whose shifts these are: a sheet does not tell.';

export function wrongUse(sentence: string): Failure {
  return new Failure(sentence, { exitCode: 2 });
}

/** Also reports other problems, so that one command line can solve all of them. */
async function accountMissing(
  parts: AsyncGenerator<DocumentPart>,
  given: readonly string[],
): Promise<Failure> {
  const { problems } = await beginReading(parts);
  const fixes: Fix[] = [['--account', 'NAME'], ...problems.flatMap(({ fix }) => (fix ? [fix] : []))];
  const shown = problems.slice(0, MAX_SHOWN_PROBLEMS);
  return new Failure(
    [ACCOUNT_MISSING, ...listProblems(shown, problems.length), ...pasted(given, fixes)].join('\n'),
    { exitCode: 2 },
  );
}

const MAX_SHOWN_PROBLEMS = 20;

function pasted(given: readonly string[], fixes: readonly Fix[]): readonly string[] {
  return betterCommands(given, fixes).map((command, i) => `${i === 0 ? 'Try:' : 'Or: '} ${command}`);
}

async function importFile(
  opened: OpenFile,
  format: Format,
  unread: AsyncGenerator<DocumentPart>,
  options: ImportCommandOptions,
  { words, tellProblems }: Way,
): Promise<ImportSummary> {
  const { importParts } = await import('../../import/import.ts');
  const { parts, hasProblem } = await beginReading(unread);
  // If there is a problem at the beginning, nothing will be written.
  const isPretended = (options.dryRun ?? false) || hasProblem;
  const progress = options.quiet ? undefined : progressOf(opened);
  const fixes: Fix[] = [];
  const showChanges: ChangeTeller = async (changes, nameOf) => {
    progress?.clear();
    await written(
      process.stdout,
      changes.map((change) => describeChange(change, nameOf)),
    );
  };
  const showProblems: ProblemTeller = async (problems) => {
    progress?.clear();
    fixes.push(...problems.flatMap(({ fix }) => (fix ? [fix] : [])));
    const lines = problems.map((problem) => `  ${describeProblem(problem)}`);
    if (tellProblems === undefined) await written(process.stderr, lines);
    else tellProblems(lines);
  };
  try {
    const summary = await withStore(
      options.database,
      { missing: isPretended ? 'pretend' : 'create' },
      (store) =>
        importParts(store, parts, {
          ...removals(options, format),
          dryRun: isPretended,
          today: todayAt,
          countsUnlisted: !options.quiet || options.watch,
          onProgress: progress?.show,
          onChanges: options.show ? showChanges : undefined,
          onProblems: options.allProblems ? showProblems : undefined,
        }),
    );
    progress?.clear();
    return summary;
  } catch (error) {
    progress?.clear();
    if (!(error instanceof ImportProblems)) throw error;
    fixes.push(...error.problems.flatMap(({ fix }) => (fix ? [fix] : [])));
    const told = options.allProblems ? countProblems(error.count) : describeProblems(error);
    throw new Failure([told, ...pasted(words, fixes)].join('\n'), { cause: error });
  }
}

function progressOf({ size, bytesRead }: OpenFile): ProgressDisplay {
  return displayProgress({
    write: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY,
    nowMs: () => performance.now(),
    fractionRead: () => (size ? Math.min(1, bytesRead() / size) : undefined),
  });
}

/** Waits until the lines are written, so that they never pile up in memory. */
function written(stream: NodeJS.WriteStream, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write(`${lines.join('\n')}\n`, () => resolve());
  });
}

type Fix = NonNullable<ImportProblem['fix']>;

/** If only a human can tell which command is right, at most this many are shown. */
const MAX_COMMANDS = 3;

/**
 * The command lines that would solve the problems, ready to be pasted. `given` has the arguments after `import`. If
 * several commands are returned, one of them is right. If none is, no option would help.
 */
function betterCommands(given: readonly string[], fixes: readonly Fix[]): readonly string[] {
  const news = together(fixes).filter(([option]) => LISTS.has(option) || !given.includes(option));
  if (news.length === 0) return [];
  const count = Math.min(MAX_COMMANDS, Math.max(...news.map((fix) => fix.length - 1)));
  const begin = ['npx', 'shiftfeed', 'import', ...withoutSecrets(given)];
  return Array.from({ length: count }, (_, i) =>
    [...begin, ...news.flatMap(([option, first, ...others]) => [option, [first, ...others][i] ?? first])]
      .map(quoted)
      .join(' '),
  );
}

/** Options that take several values, and may be given several times. */
const LISTS: ReadonlySet<string> = new Set(
  OPTION_NAMES.filter((name) => optionOf(name).join).map((name) => `--${keyOf(name)}`),
);

/** Merges the options so that each occurs once. If an option has two values, the first counts; lists take all. */
function together(fixes: readonly Fix[]): readonly Fix[] {
  const byOption = new Map<string, Fix>();
  for (const fix of fixes) {
    const [option, value] = fix;
    const [, known] = byOption.get(option) ?? [];
    if (known === undefined) byOption.set(option, fix);
    else if (LISTS.has(option) && !known.split(',').includes(value)) {
      byOption.set(option, [option, `${known},${value}`]);
    }
  }
  return [...byOption.values()];
}

/** The address of a database may hold a password. */
function withoutSecrets(given: readonly string[]): readonly string[] {
  return given.map((word) => word.replace(/(postgres(?:ql)?:\/\/).*/, '$1…'));
}

function quoted(word: string): string {
  return /^[\w=./:,+@…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
