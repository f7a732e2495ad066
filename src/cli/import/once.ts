/** One import of a file: it is opened, read and imported, and what is wrong with it is told. */

import { formatDate } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { todayIn } from '@shiftfeed/common/zone';
import type { DocumentPart } from '../../import/document.ts';
import { timeZoneName } from '../../import/fields.ts';
import type { ChangeTeller, ImportOrigin, ImportSummary } from '../../import/import.ts';
import {
  contradictionIn,
  type Format,
  type ImportValues,
  removals,
  sheetOptions,
  withToday,
} from '../../import/options.ts';
import {
  describeProblem,
  type ImportProblem,
  ImportProblems,
  listProblems,
  type ProblemTeller,
} from '../../import/problems.ts';
import { beginReading, problemsIn, readParts, ThreadEnded } from '../../import/read.ts';
import type { SheetReport } from '../../import/sheet/report.ts';
import type { Fix } from '../../store/records.ts';
import type { TokenChange } from '../../store/staging/tokens.ts';
import { Failure } from '../failure.ts';
import { openToRead, reasonOf } from '../files.ts';
import { withStore } from '../options.ts';
import { describeChange, describeTokenChange } from './describe.ts';
import { hintsFor, type Trial } from './hints.ts';
import { displayProgress } from './progress.ts';
import { makeInput, originOf, recognise } from './recognise.ts';

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
  const options = await withToday(given, () => todayFor(given));
  const wrong = contradictionIn(options, format);
  if (wrong !== undefined) throw wrongUse(wrong);
  const same = await recognise(file, format, options, watch);
  if (same !== undefined) return same;
  const sheet = format === 'sheet' ? sheetOptions(options) : undefined;
  const input = makeInput(options, format);
  const opened = await openFile(file, watch !== undefined, input.add);
  const unchecked = readParts(opened.bytes, sheet, watch?.stop);
  const parts = readingFor(options.account, opened.name, unchecked, watch);
  const hint: Hint = (problems, fixes) =>
    hintsFor(problems, fixes, words, options, (values) => tryReading(file, values, watch));
  try {
    if (sheet !== undefined && options.account === undefined) throw await accountMissing(parts, hint);
    const origin = { ...originOf(file), input: () => (opened.isRead() ? input.end() : undefined) };
    return await importFile(opened, format, parts, options, origin, hint, watch);
  } finally {
    // If the import failed, the document may still be open for reading.
    await parts.return(undefined);
    opened.close();
  }
}

/** The command lines that would solve problems, with those of which only the fixes are known. */
type Hint = (problems: readonly ImportProblem[], fixes: readonly Fix[]) => Promise<readonly string[]>;

/** A larger file would make somebody wait for hints. */
const MAX_TRIED_BYTES = 1_000_000;
const MAX_TRIED_PROBLEMS = 100;

/** Reads the file with other options, and imports nothing. undefined: it cannot be read again. */
async function tryReading(file: string, values: ImportValues, watch?: Watch): Promise<Trial | undefined> {
  if (file === '-') return undefined;
  const opened = await openFile(file, true).catch(() => undefined);
  if (opened === undefined) return undefined;
  const parts = readParts(opened.bytes, sheetOptions(values), watch?.stop);
  const problems: ImportProblem[] = [];
  let report: SheetReport | undefined;
  try {
    if ((opened.bytesInAll ?? 0) > MAX_TRIED_BYTES) return undefined;
    for await (const part of parts) {
      problems.push(...problemsIn(part).slice(0, MAX_TRIED_PROBLEMS - problems.length));
      if ('rows' in part) report = part.report;
    }
    return { problems, report };
  } catch {
    return undefined;
  } finally {
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

/** Large files are read in fewer steps. */
const CHUNK_BYTES = 128 * 1024;

/** A watched file has to be one: a pipe in its place would be waited for without end. */
async function openFile(file: string, isWatched: boolean, onChunk?: (chunk: Uint8Array) => void) {
  const name = file === '-' ? 'Standard input' : file;
  const unreadable = (error: unknown) =>
    new Failure(`${name} could not be read: ${reasonOf(error)}.`, { cause: error });
  const opened =
    file === '-'
      ? undefined
      : await openToRead(file, { orPipe: !isWatched }).catch((error: unknown) => {
          throw unreadable(error);
        });
  const found = await opened?.stat();
  const stream = opened?.createReadStream({ highWaterMark: CHUNK_BYTES }) ?? process.stdin;
  // The reader gets the error from its loop. Without this listener, Node would end the process.
  stream.on('error', () => undefined);
  let bytesRead = 0;
  let isRead = false;
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream) {
        bytesRead += (chunk as Uint8Array).length;
        onChunk?.(chunk);
        yield chunk;
      }
      isRead = true;
    } catch (error) {
      throw unreadable(error);
    }
  }
  return {
    /** For messages. */
    name,
    bytes: counted(),
    bytesInAll: found?.size,
    /** How much of it was read, from 0 to 1; undefined if its size is unknown, as that of standard input. */
    fractionRead: () => (found?.isFile() && found.size > 0 ? Math.min(1, bytesRead / found.size) : undefined),
    /** Whether all of it was read. */
    isRead: () => isRead,
    /** Stops reading, even while waiting for bytes. */
    close: () => stream.destroy(),
  };
}

/** Fails when the document is for another account, or when the reading thread ended too early. */
export async function* readingFor(
  account: string | undefined,
  name: string,
  parts: AsyncIterable<DocumentPart>,
  watch?: Watch,
): AsyncGenerator<DocumentPart> {
  try {
    for await (const part of parts) {
      watch?.stop.throwIfAborted();
      if ('account' in part && account !== undefined && part.account.slug !== account) {
        throw new Failure(
          `Nothing was imported: the document is for the account ${quote(part.account.slug)}, not ${quote(account)}.`,
        );
      }
      yield part;
    }
    await watch?.confirm();
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error;
    throw new Failure(`Nothing was imported: ${name} could not be read, because ${error.message}.`, {
      cause: error,
    });
  }
}

/** Also reports other problems, so that one command line can solve all of them. */
async function accountMissing(parts: AsyncGenerator<DocumentPart>, hint: Hint): Promise<Failure> {
  const { problems } = await beginReading(parts);
  const hints = await hint(problems, [['--account', 'NAME']]);
  return wrongUse([ACCOUNT_MISSING, ...listProblems(problems, problems.length), ...hints].join('\n'));
}

async function importFile(
  { fractionRead }: Awaited<ReturnType<typeof openFile>>,
  format: Format,
  unread: AsyncGenerator<DocumentPart>,
  options: ImportCommandOptions,
  origin: ImportOrigin,
  hint: Hint,
  watch: Watch | undefined,
): Promise<ImportSummary> {
  const { importParts } = await import('../../import/import.ts');
  const { parts, hasProblem } = await beginReading(unread);
  // If there is a problem at the beginning, nothing will be written.
  const isPretended = (options.dryRun ?? false) || hasProblem;
  const progress = options.quiet ? undefined : displayProgress(process.stderr, fractionRead);
  const shown: ImportProblem[] = [];
  const showChanges: ChangeTeller = async (changes, nameOf) => {
    progress?.clear();
    await written(
      process.stdout,
      changes.map((change) => describeChange(change, nameOf)),
    );
  };
  const showTokenChanges = (changes: readonly TokenChange[]) =>
    written(process.stdout, changes.map(describeTokenChange));
  const showProblems: ProblemTeller = async (problems) => {
    progress?.clear();
    shown.push(...problems.filter(({ fix }, i) => fix !== undefined || i < MAX_TRIED_PROBLEMS));
    const lines = problems.map((problem) => `  ${describeProblem(problem)}`);
    if (watch === undefined) await written(process.stderr, lines);
    else watch.tellProblems(lines);
  };
  try {
    return await withStore(options.database, { missing: isPretended ? 'pretend' : 'create' }, (store) =>
      importParts(store, parts, {
        ...removals(options, format),
        withTokens: options.withTokens,
        dryRun: isPretended,
        origin,
        today: todayAt,
        countsUnlisted: !options.quiet || watch !== undefined,
        onProgress: progress?.show,
        onChanges: options.show ? showChanges : undefined,
        onTokenChanges: options.show ? showTokenChanges : undefined,
        onProblems: options.allProblems ? showProblems : undefined,
      }),
    );
  } catch (error) {
    if (!(error instanceof ImportProblems)) throw error;
    const { message, problems, count } = error;
    const told = options.allProblems ? [] : listProblems(problems, count);
    const hints = await hint([...shown, ...problems], []);
    throw new Failure([message, ...told, ...hints].join('\n'), { cause: error });
  } finally {
    progress?.clear();
  }
}

/** Waits until the lines are written, so that they never pile up in memory. */
function written(stream: NodeJS.WriteStream, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write(`${lines.join('\n')}\n`, () => resolve());
  });
}
