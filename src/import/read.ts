/**
 * Reads a file for an import: it is imported, or it is told what would come of that, or what is wrong with it. The
 * command line and the desk print the same value.
 */

import { createHash } from 'node:crypto';
import { formatDate } from '@shiftfeed/common/days';
import { lookAhead } from '@shiftfeed/common/look-ahead';
import { newQuestions } from '@shiftfeed/common/memoize';
import { foldName } from '@shiftfeed/common/names';
import { quote } from '@shiftfeed/common/quote';
import { todayIn } from '@shiftfeed/common/zone';
import { readSheet, type SheetReport, type SheetRow } from '@shiftfeed/sheets';
import packageInfo from '../../package.json' with { type: 'json' };
import type { Account } from '../store/account.ts';
import { inputOf } from '../store/admin/history.ts';
import type { OpenOptions } from '../store/open.ts';
import { TABLES } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { DocumentPart } from './document.ts';
import { RECORD_FIELDS, timeZoneName } from './fields.ts';
import type { Trial } from './fixes.ts';
import { type ImportOptions, type ImportOrigin, type ImportSummary, importParts } from './import.ts';
import {
  type Format,
  type ImportValues,
  namesOf,
  OPTION_NAMES,
  removals,
  type SheetTask,
  sheetOptions,
} from './options.ts';
import { type ImportProblem, ImportProblems, rowProblem } from './problems.ts';
import type { RemovalOptions } from './removals.ts';

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

export type ReadResult = { readonly kind: 'summary'; readonly summary: ImportSummary } | ReadProblems;

export interface ReadProblems {
  readonly kind: 'problems';
  /** Such as "Nothing was imported: the document has 3 problems." */
  readonly headline: string;
  /** The first ones, unless they were told already. */
  readonly problems: readonly ImportProblem[];
  /** How many there are in all. */
  readonly count: number;
}

type WithStore = <T>(missing: OpenOptions['missing'], work: (store: Store) => Promise<T>) => Promise<T>;

/** What is told during an import, and what may end it. */
export interface ReadingOptions
  extends Omit<ImportOptions, Exclude<keyof RemovalOptions, 'isOnPage'> | 'tokens' | 'today' | 'origin'> {
  readonly withStore: WithStore;
  readonly nowMs: () => number;
  readonly origin: Omit<ImportOrigin, 'input'>;
  /** Keeps files that were made to do harm away from this process, unless it is there for one file. */
  readonly read?: PartsReader;
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
): Promise<ReadResult> {
  const { withStore, nowMs, origin, stop, confirm, read = readParts, ...told } = options;
  const sheet = format === 'sheet' ? sheetOptions(values) : undefined;
  const input = makeInput(values, format);
  const opened = await file.open(input.add);
  const { account = '' } = values;
  const unchecked = aboutNewPeople(read(opened.bytes, sheet, stop), () =>
    withStore('pretend', (store) => peopleOf(store, account)),
  );
  const unread = readingFor(values.account, file.name, unchecked, { stop, confirm });
  try {
    const { parts, hasProblem } = await beginReading(unread);
    // If there is a problem at the beginning, nothing will be written.
    const dryRun = (values.dryRun ?? false) || hasProblem;
    const summary = await withStore(dryRun ? 'pretend' : 'create', (store) =>
      importParts(store, parts, {
        ...told,
        ...removals(values, format),
        dryRun,
        origin: { ...origin, input: () => (opened.isRead() ? input.end() : undefined) },
        today: (timeZone) => todayAt(timeZone, nowMs()),
      }),
    );
    return { kind: 'summary', summary: withoutTold(summary, values) };
  } catch (error) {
    if (!(error instanceof ImportProblems)) throw error;
    return { kind: 'problems', headline: error.message, problems: error.problems, count: error.count };
  } finally {
    // If the import failed, the document may still be open for reading.
    await unread.return(undefined);
    opened.close();
  }
}

/** The names of the people of an account, if there is one. */
export async function peopleOf(store: Store, slug: string): Promise<readonly string[]> {
  const account = await store.findAccount(slug);
  if (account === undefined) return [];
  return (await Array.fromAsync(store.names('people', account.id))).flat().map(({ name }) => name);
}

/** Nobody is asked about names that the account has, nor twice about what has the same answer. */
export async function* aboutNewPeople(
  parts: AsyncIterable<DocumentPart>,
  people: () => Promise<readonly string[]>,
): AsyncGenerator<DocumentPart> {
  const isNew = newQuestions();
  let known: ReadonlySet<string> | undefined;
  for await (const part of parts) {
    if (!('rows' in part) || !part.rows.some(asksForPerson)) {
      yield part;
      continue;
    }
    known ??= new Set((await people()).map(foldName));
    const names = known;
    const rows = part.rows.map((row) => {
      const { flawed, ...shift } = row.shift;
      if (flawed === undefined || !asksForPerson(row)) return row;
      const flaws = flawed.flaws.filter(
        ({ unlessPerson: name, fix }) =>
          name === undefined || (!names.has(foldName(name)) && isNew(JSON.stringify(fix))),
      );
      return { ...row, shift: flaws.length === 0 ? shift : { ...shift, flawed: { ...flawed, flaws } } };
    });
    yield { ...part, rows };
  }
}

function asksForPerson({ shift: { flawed } }: SheetRow): boolean {
  return flawed?.flaws.some(({ unlessPerson }) => unlessPerson !== undefined) ?? false;
}

/** Of people who were told, it is clear that they are meant. */
function withoutTold(summary: ImportSummary, { people = new Map() }: ImportValues): ImportSummary {
  const told = new Set([...people.values()].flatMap(namesOf).map(foldName));
  const nearNames = summary.nearNames?.filter(
    ({ table, name }) => table !== 'people' || !told.has(foldName(name)),
  );
  return { ...summary, nearNames };
}

/** Fails when the document is for another account, or when its reader ended too early. */
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
    if (!(error instanceof ReaderEnded)) throw error;
    throw new ReadingFailed(`Nothing was imported: ${name} could not be read, because ${error.message}.`, {
      cause: error,
    });
  }
}

/** A larger file would make somebody wait for hints. */
const MAX_TRIED_BYTES = 1_000_000;
export const MAX_TRIED_PROBLEMS = 100;

/**
 * Reads the file with other options, and imports nothing. `people` are those of the account. undefined: it cannot be read
 * again.
 */
export async function tryReading(
  file: ImportFile,
  values: ImportValues,
  people: () => Promise<readonly string[]>,
  { read = readParts, stop }: Pick<ReadingOptions, 'read' | 'stop'> = {},
): Promise<Trial | undefined> {
  const opened = await file.openAgain(MAX_TRIED_BYTES).catch(() => undefined);
  if (opened === undefined) return undefined;
  const parts = aboutNewPeople(read(opened.bytes, sheetOptions(values), stop), people);
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

/**
 * Without `sheet` options, the document is JSON. Code that reads a format is loaded when it is needed: other commands start
 * faster without it.
 */
export const readParts: PartsReader = async function* (bytes, sheet) {
  if (sheet === undefined) {
    const { readDocument } = await import('./json/read.ts');
    yield* readDocument(bytes);
  } else {
    yield { account: sheet.account };
    for await (const part of readSheet(bytes, sheet, RECORD_FIELDS))
      yield 'problem' in part ? { problem: part.problem, hides: part.hidesRows ? TABLES : [] } : part;
  }
};

export type PartsReader = (
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetTask | undefined,
  stop?: AbortSignal,
) => AsyncGenerator<DocumentPart>;

/** Whatever reads the document ended before it did. The message says why. */
export class ReaderEnded extends Error {}

/** What to do if a file takes too much of something. */
export const SMALLER = 'save the rows and columns of the plan in a file of their own, and import that';

/** The database is opened after this many records were read. */
const RECORDS_READ_FIRST = 1_000;

/**
 * Reads the first parts, so that no database is created for a file that cannot be read or that begins with a problem.
 */
export async function beginReading(unread: AsyncGenerator<DocumentPart>): Promise<{
  readonly parts: AsyncGenerator<DocumentPart>;
  /** The problems that can be told without the database. */
  readonly problems: readonly ImportProblem[];
  readonly hasProblem: boolean;
}> {
  let records = 0;
  const { first, failure, all } = await lookAhead(unread, (part) => {
    records += 'table' in part ? part.records.length : 'rows' in part ? part.rows.length : 1;
    return records >= RECORDS_READ_FIRST;
  });
  if (failure !== undefined) throw failure.error;
  return { parts: all, problems: first.flatMap(problemsIn), hasProblem: first.some(isFlawed) };
}

export function problemsIn(part: DocumentPart): readonly ImportProblem[] {
  if ('problem' in part) return [part.problem];
  if (!('rows' in part)) return [];
  return part.rows.flatMap(({ position, shift }) =>
    (shift.flawed?.flaws ?? []).map((flaw) => rowProblem(position, flaw)),
  );
}

function isFlawed(part: DocumentPart): boolean {
  if ('rows' in part) return part.rows.some(({ shift }) => shift.flawed !== undefined);
  return 'problem' in part || ('table' in part && part.records.some(({ flawed }) => flawed !== undefined));
}

/**
 * What an import is recognised by when the same is imported again, collected while the file is read. What comes of a file
 * depends on its bytes, on the options, on the version that reads it, and on the account.
 */
export function makeInput(values: ImportValues, format: Format) {
  const given = OPTION_NAMES.filter((name) => name !== 'dryRun').map((name) => {
    const value = values[name];
    return [name, value instanceof Map ? [...value] : value];
  });
  const hash = createHash('sha256').update(JSON.stringify([packageInfo.version, format, given]));
  let bytes = 0;
  let ended: string | undefined;
  return {
    add(chunk: Uint8Array): void {
      hash.update(chunk);
      bytes += chunk.length;
    },
    /** At the end of the file. An import that starts over asks again. */
    end(): string {
      ended ??= inputOf(bytes, hash.digest('hex'));
      return ended;
    },
  };
}
