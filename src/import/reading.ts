/**
 * Reads a file for an import: it is imported, or it is told what would come of that, or what is wrong with it. The
 * command line and the desk print the same value.
 */

import { formatDate } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { todayIn } from '@shiftfeed/common/zone';
import type { SheetReport } from '@shiftfeed/sheets';
import type { Account } from '../store/account.ts';
import type { OpenOptions } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { DocumentPart } from './document.ts';
import { timeZoneName } from './fields.ts';
import type { Trial } from './fixes.ts';
import { type ImportOptions, type ImportOrigin, type ImportSummary, importParts } from './import.ts';
import { makeInput } from './input.ts';
import { type Format, type ImportValues, removals, sheetOptions } from './options.ts';
import { type ImportProblem, ImportProblems } from './problems.ts';
import { beginReading, problemsIn, readParts, ThreadEnded } from './read.ts';

/** A file that can be opened from its beginning, several times if it is not standard input. */
export interface ImportFile {
  /** For messages. */
  readonly name: string;
  /** `onChunk` gets the bytes as they are read. Throws ReadingFailed. */
  open(onChunk?: (chunk: Uint8Array) => void): Promise<OpenedFile>;
  /** The same to look at it once more; undefined if that is not possible, or if it is too large. */
  openAgain(maxBytes: number): Promise<OpenedFile | undefined>;
}

export interface OpenedFile {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether all of it was read. */
  isRead(): boolean;
  /** Stops reading, even while waiting for bytes. */
  close(): void;
}

export type Reading =
  | { readonly kind: 'summary'; readonly summary: ImportSummary }
  | {
      readonly kind: 'problems';
      /** Such as "Nothing was imported: the document has 3 problems." */
      readonly headline: string;
      /** The first ones, unless they were told already. */
      readonly problems: readonly ImportProblem[];
      readonly count: number;
    };

export type WithStore = <T>(
  missing: OpenOptions['missing'],
  work: (store: Store) => Promise<T>,
) => Promise<T>;

/** What is told during an import, and what may end it. */
export interface ReadingOptions
  extends Pick<
    ImportOptions,
    | 'countsUnlisted'
    | 'refuses'
    | 'expected'
    | 'onEntry'
    | 'onProgress'
    | 'onChanges'
    | 'onTokenChanges'
    | 'onProblems'
  > {
  readonly withStore: WithStore;
  readonly nowMs: () => number;
  readonly origin: Omit<ImportOrigin, 'input'>;
  readonly maxMemoryMb?: number;
  /** Ends the reading. */
  readonly stop?: AbortSignal | undefined;
  /** Called after the reading. Throws if the file was written to meanwhile. */
  readonly confirm?: (() => Promise<void>) | undefined;
}

/** The file could not be read, or is not meant for the account. The message is a sentence. */
export class ReadingFailed extends Error {
  override readonly name = 'ReadingFailed';
}

/** `values` have a date in place of `today`, and do not contradict each other. Throws ReadingFailed and StoreFailure. */
export async function readFile(
  file: ImportFile,
  format: Format,
  values: ImportValues,
  options: ReadingOptions,
): Promise<Reading> {
  const { withStore, nowMs, origin, stop, confirm, maxMemoryMb, ...told } = options;
  const sheet = format === 'sheet' ? sheetOptions(values) : undefined;
  const input = makeInput(values, format);
  const opened = await file.open(input.add);
  const unchecked = readParts(opened.bytes, sheet, { stop, maxMemoryMb });
  const unread = readingFor(values.account, file.name, unchecked, { stop, confirm });
  try {
    const { parts, hasProblem } = await beginReading(unread);
    // If there is a problem at the beginning, nothing will be written.
    const dryRun = (values.dryRun ?? false) || hasProblem;
    const summary = await withStore(dryRun ? 'pretend' : 'create', (store) =>
      importParts(store, parts, {
        ...told,
        ...removals(values, format),
        withTokens: values.withTokens,
        dryRun,
        origin: { ...origin, input: () => (opened.isRead() ? input.end() : undefined) },
        today: (timeZone) => todayAt(timeZone, nowMs()),
      }),
    );
    return { kind: 'summary', summary };
  } catch (error) {
    if (!(error instanceof ImportProblems)) throw error;
    return { kind: 'problems', headline: error.message, problems: error.problems, count: error.count };
  } finally {
    // If the import failed, the document may still be open for reading.
    await unread.return(undefined);
    opened.close();
  }
}

/** Fails when the document is for another account, or when the reading thread ended too early. */
export async function* readingFor(
  account: string | undefined,
  name: string,
  parts: AsyncIterable<DocumentPart>,
  { stop, confirm }: Pick<ReadingOptions, 'stop' | 'confirm'> = {},
): AsyncGenerator<DocumentPart> {
  try {
    for await (const part of parts) {
      stop?.throwIfAborted();
      if ('account' in part && account !== undefined && part.account.slug !== account) {
        throw new ReadingFailed(
          `Nothing was imported: the document is for the account ${quote(part.account.slug)}, not ${quote(account)}.`,
        );
      }
      yield part;
    }
    await confirm?.();
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error;
    throw new ReadingFailed(`Nothing was imported: ${name} could not be read, because ${error.message}.`, {
      cause: error,
    });
  }
}

/** A larger file would make somebody wait for hints. */
const MAX_TRIED_BYTES = 1_000_000;
export const MAX_TRIED_PROBLEMS = 100;

/** Reads the file with other options, and imports nothing. undefined: it cannot be read again. */
export async function tryReading(
  file: ImportFile,
  values: ImportValues,
  stop?: AbortSignal,
): Promise<Trial | undefined> {
  const opened = await file.openAgain(MAX_TRIED_BYTES).catch(() => undefined);
  if (opened === undefined) return undefined;
  const parts = readParts(opened.bytes, sheetOptions(values), { stop });
  const problems: ImportProblem[] = [];
  let report: SheetReport | undefined;
  try {
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
export function todayFor(account: Account | undefined, { timeZone }: ImportValues, nowMs: number): string {
  if (timeZone !== undefined || account === undefined) return todayAt(timeZone ?? 'UTC', nowMs);
  if (timeZoneName(account.timeZone) !== undefined) return todayAt(account.timeZone, nowMs);
  throw new ReadingFailed(
    `The account ${account.slug} has the time zone ${quote(account.timeZone)}, which does not exist, so nobody knows ` +
      'what today is there: give another one with --time-zone.',
  );
}

/** Another program may have given the account a zone that does not exist. */
function todayAt(timeZone: string, nowMs: number): string {
  return formatDate(todayIn(timeZoneName(timeZone) ?? 'UTC', nowMs));
}
