/** One import of a file: it is opened, read and imported, and what is wrong with it is told. */

import { basename } from 'node:path';
import { newQuestions } from '@shiftfeed/common/memoize';
import type { Fix, Way } from '@shiftfeed/common/reason';
import { columnName, describeChange, named } from '../../import/describe.ts';
import {
  fixesOf,
  laterProblems,
  type Trial,
  type TryOut,
  typedWays,
  valuesWith,
  waysToFix,
} from '../../import/fixes.ts';
import type { ChangeTeller, ImportSummary } from '../../import/import.ts';
import {
  contradictionIn,
  type Format,
  type ImportValues,
  sheetOptions,
  withToday,
} from '../../import/options.ts';
import {
  type Audience,
  describeProblem,
  type ImportProblem,
  listProblems,
  type ProblemTeller,
} from '../../import/problems.ts';
import {
  aboutNewPeople,
  beginReading,
  MAX_TRIED_PROBLEMS,
  makeInput,
  peopleOf,
  ReadingFailed,
  type ReadingOptions,
  readFile,
  readingFor,
  todayFor,
  tryReading,
} from '../../import/read.ts';
import { withoutPassword } from '../database-url.ts';
import { Failure, wrongUse } from '../failure.ts';
import { openToRead } from '../files.ts';
import { lineToPaste } from '../help.ts';
import { COMMAND_LINE, withStore } from '../options.ts';
import { type FileOfCommand, fileOf } from './file.ts';
import { readIsolated } from './isolated.ts';
import { displayProgress } from './progress.ts';
import { FileFailure } from './report-file.ts';

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

/** What a watch adds to an import. */
export interface Watch {
  /** Ends the reading. */
  readonly stop: AbortSignal;
  /** Called after the reading. Fails if the file was written to meanwhile. */
  confirm(): Promise<void>;
  /** Gets what --all-problems writes to standard error otherwise. */
  tellProblems(lines: readonly string[]): void;
}

/** `words` are the arguments as they were typed after `import`. */
export async function importOnce(
  file: string,
  format: Format,
  given: ImportCommandOptions,
  words: readonly string[],
  watch?: Watch,
): Promise<ImportSummary> {
  try {
    const options = await withToday(given, () => today(given));
    const wrong = contradictionIn(options, format);
    if (wrong !== undefined) throw wrongUse(wrong);
    const same = await recognise(file, format, options, watch);
    if (same !== undefined) return same;
    const opened = fileOf(file, watch !== undefined);
    const people = () => peopleIn(options);
    const hint: Hint = (problems, fixes) =>
      hintsFor(problems, fixes, words, options, (values) =>
        tryReading(opened, values, people, { read: readIsolated, stop: watch?.stop }),
      );
    if (format === 'sheet' && options.account === undefined)
      throw await accountMissing(opened, options, hint);
    return await importFile(opened, format, options, originOf(file), hint, watch);
  } catch (error) {
    if (!(error instanceof ReadingFailed)) throw error;
    throw new Failure(error.message, { cause: error.cause });
  }
}

/** The command lines that would solve problems, with those of which only the fixes are known. */
type Hint = (problems: readonly ImportProblem[], fixes: readonly Fix[]) => Promise<readonly string[]>;

async function today(given: ImportCommandOptions): Promise<string> {
  const { database, account: slug = '', timeZone } = given;
  const account =
    timeZone === undefined
      ? await withStore(database, { missing: 'pretend' }, (store) => store.findAccount(slug))
      : undefined;
  return todayFor(account, given, Date.now());
}

async function peopleIn({ database, account = '' }: ImportCommandOptions): Promise<readonly string[]> {
  return withStore(database, { missing: 'pretend' }, (store) => peopleOf(store, account));
}

export const ACCOUNT_MISSING = 'Say with --account whose shifts these are: a sheet does not tell.';

/** Also reports other problems, so that one command line can solve all of them. */
async function accountMissing(file: FileOfCommand, values: ImportValues, hint: Hint): Promise<Failure> {
  const opened = await file.open();
  const all = aboutNewPeople(readIsolated(opened.bytes, sheetOptions(values)), async () => []);
  const parts = readingFor(undefined, file.name, all);
  try {
    const { problems } = await beginReading(parts);
    const hints = await hint(problems, [[['account', '', 'gap']]]);
    const told = (audience: Audience) => [
      ACCOUNT_MISSING,
      ...listProblems(problems, problems.length, audience),
    ];
    return fileFailure(told, hints, 2);
  } finally {
    await parts.return(undefined);
    opened.close();
  }
}

async function importFile(
  file: FileOfCommand,
  format: Format,
  options: ImportCommandOptions,
  origin: ReadingOptions['origin'],
  hint: Hint,
  watch: Watch | undefined,
): Promise<ImportSummary> {
  const progress = options.quiet ? undefined : displayProgress(process.stderr, file.fractionRead);
  const shown: ImportProblem[] = [];
  const isNewFix = newQuestions();
  const showChanges: ChangeTeller = async (changes, nameOf) => {
    progress?.clear();
    await written(
      process.stdout,
      changes.map((change) => describeChange(change, nameOf)),
    );
  };
  const showProblems: ProblemTeller = async (problems) => {
    progress?.clear();
    for (const one of problems) {
      const isNew = fixesOf([one]).some((fix) => isNewFix(JSON.stringify(fix)));
      if (shown.length < (isNew ? MAX_HINTED_PROBLEMS : MAX_TRIED_PROBLEMS)) shown.push(one);
    }
    const lines = problems.map((problem) => `  ${describeProblem(problem)}`);
    if (watch === undefined) await written(process.stderr, lines);
    else watch.tellProblems(lines);
  };
  try {
    const reading = await readFile(file, format, options, {
      withStore: (missing, work) => withStore(options.database, { missing }, work),
      read: readIsolated,
      nowMs: Date.now,
      origin,
      stop: watch?.stop,
      confirm: watch && (() => watch.confirm()),
      countsUnlisted: !options.quiet || watch !== undefined,
      onProgress: progress?.show,
      onChanges: options.show ? showChanges : undefined,
      onProblems: options.allProblems ? showProblems : undefined,
    });
    if (reading.kind === 'summary') return reading.summary;
    const told = (audience: Audience) => [
      reading.headline,
      ...(options.allProblems ? [] : listProblems(reading.problems, reading.count, audience)),
    ];
    throw fileFailure(told, await hint([...shown, ...reading.problems], []));
  } finally {
    progress?.clear();
  }
}

function fileFailure(
  told: (audience: Audience) => readonly string[],
  hints: readonly string[],
  exitCode: 1 | 2 = 1,
): FileFailure {
  return new FileFailure([...told('operator'), ...hints].join('\n'), told('planner').join('\n'), {
    exitCode,
  });
}

/** A command line with more options than these would not be pasted. */
const MAX_HINTED_PROBLEMS = 300;

/** Waits until the lines are written, so that they never pile up in memory. */
export function written(stream: NodeJS.WriteStream, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write(`${lines.join('\n')}\n`, () => resolve());
  });
}

const MAX_LATER = 10;

/**
 * The command lines that would solve the problems of a sheet, ready to be pasted. Each is tried before it is shown: what
 * it would leave out is told, and so is what would still be wrong. `words` are the arguments as they were typed after
 * `import`, and `given` what they say.
 */
async function hintsFor(
  known: readonly ImportProblem[],
  more: readonly Fix[],
  words: readonly string[],
  given: ImportValues,
  tryOut: TryOut,
): Promise<readonly string[]> {
  const fixes = [...more, ...fixesOf(known)];
  if (fixes.length === 0) return [];
  const isTyped = (key: string) => words.includes(`--${key}`);
  const trials = new Map<string, Promise<Trial | undefined>>();
  const tryWay = (way: readonly Way[]) =>
    trials.getOrInsertComputed(JSON.stringify(way), () => tryOut(valuesWith(given, way)));
  const later = await laterProblems(fixes, tryWay, isTyped);
  const lines = later.slice(0, MAX_LATER).map((problem) => `  then ${describeProblem(problem)}`);
  for (const [i, way] of waysToFix([...fixes, ...fixesOf(later)], isTyped).entries()) {
    lines.push(`${i === 0 ? 'Try:' : 'Or: '} ${commandWith(words, way)}`);
    const trial = await tryWay(way);
    if (trial !== undefined)
      lines.push(...whatCameOf(trial, [...known, ...later], way).map((line) => `     ${line}`));
  }
  return lines;
}

function whatCameOf({ problems, report }: Trial, known: readonly ImportProblem[], way: readonly Way[]) {
  const told = new Set(known.map(describeProblem));
  const [problem] = problems.filter((one) => !told.has(describeProblem(one)));
  // What is to be filled in may solve it.
  if (problem !== undefined && !way.some(([, , gap]) => gap))
    return [`It then tells: ${describeProblem(problem)}`];
  const columns = (report?.cells.columns ?? []).map(columnName);
  return columns.length === 0 ? [] : [`It leaves out the ${named(columns, 'column', 'columns')}.`];
}

function commandWith(words: readonly string[], way: readonly Way[]): string {
  return lineToPaste('import', ...words.map(withoutPassword), ...typedWays(way));
}

/** What the history says of where an import came from. `-` is standard input. */
function originOf(file: string): { readonly who: string; readonly file: string } {
  return { who: COMMAND_LINE, file: file === '-' ? 'standard input' : basename(file) };
}

/**
 * Recognises a file that was imported with the same options before, so that an unchanged one need not be read. Returns
 * undefined if the file has to be read. What cannot be opened here is left to whoever reads it, to say why.
 */
async function recognise(
  file: string,
  format: Format,
  options: ImportValues & { readonly database: string },
  watch?: { readonly stop: AbortSignal; confirm(): Promise<void> },
): Promise<ImportSummary | undefined> {
  if (file === '-' || options.dryRun) return undefined;
  const handle = await openToRead(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  await using opened = handle;
  const { size } = await opened.stat();
  return await withStore(options.database, { missing: 'pretend' }, async (store) => {
    if (!(await store.isSizeKnown(size))) return undefined;
    const input = makeInput(options, format);
    for await (const chunk of opened.createReadStream({ autoClose: false })) {
      watch?.stop.throwIfAborted();
      input.add(chunk);
    }
    await watch?.confirm();
    const same = await store.repeatImport(input.end(), originOf(file));
    if (same === undefined) return undefined;
    const { slug, premium } = same.account;
    const { account, tables } = same.counts;
    return { slug, premium, account, tables, sameAsAtMs: same.atMs };
  });
}
