/**
 * Reads uploads in processes of their own, a few at once, with limits of memory and time: a file that ends its reader
 * costs a sentence, and nobody else anything.
 *
 * What comes of it is JSON for the page. Shifts have the shape of the API, so that the calendar can show them. `readers`
 * also take imports back, because that may take as long. `recipeOf` and `answersOf` are in import/recipe.ts.
 *
 * A reader that is killed in the middle of an import leaves no doubt: just before it commits, it tells the id of its entry
 * in the history. Without that message nothing was committed. With it, the account is locked once, which waits for the end
 * of the killed transaction, and the history is asked for the entry.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeInLine } from '../import/describe.ts';
import { SMALLER } from '../import/read.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import {
  type Failed,
  type Imported,
  MAX_MEMORY_MB,
  type ReaderMessage,
  type ReaderResult,
  type ReaderTask,
  type Undone,
  type UndoTask,
} from './results.ts';

export type { Answer } from '../import/questions.ts';
export type * from './results.ts';

const MAX_AT_ONCE = 2;
const MAX_WAITING = 8;
const MAX_MS = 120_000;
/** Resident memory, the program itself and what the database keeps in memory included. */
const MAX_RESIDENT_MB = 768;
const LOOK_INTERVAL_MS = 200;

export interface RunOptions {
  /** Ends the reader, or the waiting for it. */
  readonly signal?: AbortSignal | undefined;
  /** Called when it is not waiting any more. */
  readonly onStart?: (() => void) | undefined;
}

export interface ReadersOptions {
  /** The script of the process. */
  readonly entry?: URL;
  readonly maxMs?: number;
  readonly maxResidentMb?: number;
}

/** Too many are waiting. */
export class ReadersBusy extends Error {}

export type Readers = ReturnType<typeof makeReaders>;

export function makeReaders(options: ReadersOptions = {}) {
  const waiting = new Set<() => void>();
  const running = new Set<ChildProcess>();
  let atWork = 0;
  const closing = new AbortController();

  async function turn(signal: AbortSignal): Promise<void> {
    if (atWork < MAX_AT_ONCE) {
      atWork++;
      return;
    }
    if (waiting.size >= MAX_WAITING)
      throw new ReadersBusy('Too many files are waiting to be read: try again in a minute.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const leave = () => {
      waiting.delete(resolve);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  async function perform<Result extends ReaderResult | Undone>(
    task: ReaderTask | UndoTask,
    { signal, onStart }: RunOptions,
  ): Promise<Result | Failed> {
    const stop = AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]);
    stop.throwIfAborted();
    await turn(stop);
    try {
      onStart?.();
      const child = startReader(options.entry ?? READER_PROCESS);
      running.add(child);
      try {
        return await (resultOf(child, task, stop, options) as Promise<Result | Failed>);
      } finally {
        running.delete(child);
      }
    } finally {
      const [next] = waiting;
      if (next === undefined) atWork--;
      else waiting.delete(next);
      next?.();
    }
  }

  return {
    /** Throws ReadersBusy, or the reason of the signal. */
    run: (task: ReaderTask, run: RunOptions = {}) => perform<ReaderResult>(task, run),
    undo: (task: Omit<UndoTask, 'kind'>, run: RunOptions = {}) =>
      perform<Undone>({ ...task, kind: 'undo' }, run),
    /** Ends all readers. */
    async close(): Promise<void> {
      closing.abort(new Error('The desk is closing.'));
      await Promise.all([...running].map((child) => ended(child)));
    },
  };
}

const READER_PROCESS = new URL('./reader-process.ts', import.meta.url);

/** Its output is dropped, because what ends a reader may quote the file. */
function startReader(entry: URL): ChildProcess {
  const child = fork(fileURLToPath(entry), {
    execArgv: [`--max-old-space-size=${MAX_MEMORY_MB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // It could not be started, or a message came too late for it. Both are seen by its end.
  child.on('error', () => undefined);
  return child;
}

type EndedBy = 'time' | 'memory' | 'stopped';

/** Throws the reason of `stop`. */
async function resultOf(
  child: ChildProcess,
  task: ReaderTask | UndoTask,
  stop: AbortSignal,
  { maxMs = MAX_MS, maxResidentMb = MAX_RESIDENT_MB }: ReadersOptions,
): Promise<ReaderResult | Undone> {
  let result: ReaderResult | Undone | undefined;
  let entryId: number | undefined;
  let endedBy: EndedBy | undefined;
  const end = (why: EndedBy) => {
    endedBy ??= why;
    child.kill('SIGKILL');
  };
  child.on('message', (message: ReaderMessage) => {
    if ('result' in message) result = message.result;
    else entryId = message.entryId;
  });
  const timer = setTimeout(() => end('time'), maxMs);
  const looking = setInterval(async () => {
    if ((await residentMb(child)) > maxResidentMb) end('memory');
  }, LOOK_INTERVAL_MS);
  using _stopping = addAbortListener(stop, () => end('stopped'));
  try {
    // An error can be ignored: the reader is gone, and its end is heard of.
    child.send(task, undefined, {}, () => undefined);
    await ended(child);
  } finally {
    clearTimeout(timer);
    clearInterval(looking);
  }
  if (result !== undefined) return result;
  stop.throwIfAborted();
  const why = whyEnded(child, endedBy, maxMs);
  return entryId === undefined || task.kind === 'read'
    ? { kind: 'failed', message: notDone(task, why) }
    : whetherDone(task, entryId, why);
}

/** Messages may arrive after the process has ended, until the channel is closed. */
async function ended(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    const isGone = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    if (isGone && !child.connected) resolve();
  };
  for (const event of ['exit', 'disconnect', 'error']) child.on(event, look);
  look();
  await promise;
}

/** 0 where the system does not tell. */
async function residentMb({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
}

/** As the end of a sentence. V8 aborts, and systems kill, what has no memory left. */
function whyEnded(
  { signalCode, exitCode }: ChildProcess,
  endedBy: EndedBy | undefined,
  maxMs: number,
): string {
  if (endedBy === 'time') return `it takes longer than ${maxMs / 1_000} seconds: ${SMALLER}`;
  const isMemory =
    endedBy === 'memory' || signalCode === 'SIGABRT' || signalCode === 'SIGKILL' || exitCode === 134;
  return isMemory
    ? `it takes more than ${MAX_MEMORY_MB} MB of memory: ${SMALLER}`
    : 'the process that reads it ended';
}

function notDone(task: ReaderTask | UndoTask, why: string): string {
  return task.kind === 'undo'
    ? `Nothing was taken back, because ${why}.`
    : `Nothing was imported: ${task.name} could not be read, because ${why}.`;
}

/** After a reader was killed that was about to commit. */
async function whetherDone(
  task: ReaderTask | UndoTask,
  entryId: number,
  why: string,
): Promise<Imported | Undone | Failed> {
  try {
    const store = await openStore(task.database, { missing: 'fail' });
    try {
      return (await foundInHistory(store, task, entryId)) ?? { kind: 'failed', message: notDone(task, why) };
    } finally {
      await store.close();
    }
  } catch {
    const sentence =
      'It is not known whether this was done, because the database does not answer: look at the history.';
    return { kind: 'failed', message: sentence };
  }
}

async function foundInHistory(
  store: Store,
  task: ReaderTask | UndoTask,
  entryId: number,
): Promise<Imported | Undone | undefined> {
  let accountId: number | undefined;
  await store.write(async (transaction) => {
    accountId = (await transaction.lockAccount(task.account))?.id;
    return false;
  });
  const history = accountId === undefined ? [] : await store.history(accountId);
  const entry = history.find(({ id, who }) => id === entryId && who === task.who);
  if (entry === undefined || accountId === undefined) return undefined;
  if (task.kind === 'undo') return { kind: 'undone', sentences: ['The import is taken back.'] };
  const last = await store.lastChange(accountId);
  return {
    kind: 'imported',
    headline: describeInLine(task.name, { ...entry.counts, slug: task.account, premium: true }),
    sentences: [],
    counts: entry.counts.tables,
    canUndo: last?.entry.id === entryId && last.refusal === undefined,
  };
}
