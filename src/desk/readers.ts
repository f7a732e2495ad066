/**
 * Runs tasks in processes of their own, a few at once, with limits of memory and time: a file that ends its reader costs a
 * sentence, and nobody else anything.
 *
 * A reader that is killed in the middle of an import leaves no doubt: just before it commits, it tells the id of its entry
 * in the history. Without that message nothing was committed. With it, the account is locked once, which waits for the end
 * of the killed transaction, and the history is asked for the entry.
 */

import type { ChildProcess } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describeInLine } from '../import/describe.ts';
import { SMALLER } from '../import/read.ts';
import { startProcess } from '../install/files.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { CLOSING } from './request.ts';
import type { ReaderMessage, ReaderResult, ReaderTask } from './task.ts';

const MAX_MEMORY_MB = 512;

const MAX_AT_ONCE = 2;
const MAX_WAITING_OF_ACCOUNT = 8;
const MAX_MS = 120_000;
/** How long an import or an undo may go on when the desk stops. Shorter than the process itself has to end. */
const STOP_MS = 12_000;
/** Resident memory, the program itself and what the database keeps in memory included. */
const MAX_RESIDENT_MB = 768;
const LOOK_INTERVAL_MS = 200;

export interface RunOptions {
  /** Ends the reader, or the waiting for it. */
  readonly signal?: AbortSignal | undefined;
  /** Called when it is not waiting any more. If it fails, so does the task. */
  readonly onStart?: (() => unknown) | undefined;
}

export interface ReadersOptions {
  /** Gets what is to be logged of a reader that failed. It tells nothing of the file. */
  readonly onProblem?: (message: string) => void;
  /** The script of the process. */
  readonly entry?: URL;
  /** In place of a process. */
  readonly perform?: (task: ReaderTask) => Promise<ReaderResult>;
  readonly maxMs?: number;
  readonly maxResidentMb?: number;
  readonly stopMs?: number;
}

/** Too many are waiting, or the desk is closing. */
export class ReadersBusy extends Error {}

export type Readers = ReturnType<typeof makeReaders>;

export function makeReaders(options: ReadersOptions = {}) {
  /** In the order of their turns: the first task of each account, then the second of each, and so on. */
  const waiting: Turn[] = [];
  const running = new Set<Promise<unknown>>();
  /** Ends all that wait or only read. Those that write go on until they are ended, too. */
  const closing = new AbortController();
  const ending = new AbortController();

  function queue(turn: Turn): void {
    const ofAccount = (name: string, turns: readonly Turn[]) =>
      turns.filter(({ account }) => account === name).length;
    const own = ofAccount(turn.account, waiting);
    if (own >= MAX_WAITING_OF_ACCOUNT)
      throw new ReadersBusy('Too many files are waiting to be read: try again in a minute.');
    const later = waiting.findIndex(({ account }, i) => ofAccount(account, waiting.slice(0, i)) > own);
    waiting.splice(later < 0 ? waiting.length : later, 0, turn);
  }

  function begin(): void {
    while (running.size < MAX_AT_ONCE) {
      const next = waiting.shift();
      if (next === undefined) return;
      const task = next.work().finally(() => {
        running.delete(task);
        begin();
      });
      running.add(task);
    }
  }

  return {
    /** Throws ReadersBusy, what `onStart` throws, or the reason of the signal. */
    async run(task: ReaderTask, { signal, onStart }: RunOptions = {}): Promise<ReaderResult> {
      const given = signal ? [signal] : [];
      const unwanted = AbortSignal.any([closing.signal, ...given]);
      unwanted.throwIfAborted();
      const stop = task.kind === 'read' ? unwanted : AbortSignal.any([ending.signal, ...given]);
      const { promise, resolve, reject } = Promise.withResolvers<ReaderResult>();
      const work = async () => {
        try {
          await onStart?.();
          unwanted.throwIfAborted();
          resolve(await (options.perform?.(task) ?? resultOf(task, stop, options)));
        } catch (error) {
          reject(error);
        }
      };
      const turn = { account: task.account, of: signal, work };
      queue(turn);
      using _leaving = addAbortListener(unwanted, () => {
        if (!waiting.includes(turn)) return;
        waiting.splice(waiting.indexOf(turn), 1);
        reject(unwanted.reason);
      });
      begin();
      return await promise;
    },
    /** How many have to end before the task with this signal begins: 0 if it has. */
    ahead: (signal: AbortSignal) => waiting.findIndex(({ of }) => of === signal) + 1,
    /** Ends all readers. Those that write have some time to finish. */
    async close(): Promise<void> {
      closing.abort(new ReadersBusy(CLOSING));
      const timer = setTimeout(() => ending.abort(closing.signal.reason), options.stopMs ?? STOP_MS);
      while (running.size > 0) await Promise.allSettled(running);
      clearTimeout(timer);
    },
  };
}

interface Turn {
  readonly account: string;
  readonly of: AbortSignal | undefined;
  /** Never rejects. */
  work(): Promise<void>;
}

const READER_PROCESS = new URL('./reader-process.ts', import.meta.url);

function startReader(entry: URL): ChildProcess {
  const child = startProcess(entry, { maxMemoryMb: MAX_MEMORY_MB });
  // It could not be started, or a message came too late for it. Both are seen by its end.
  child.on('error', () => undefined);
  return child;
}

type EndedBy = 'time' | 'memory' | 'stopped';

/** Throws the reason of `stop`. */
async function resultOf(
  task: ReaderTask,
  stop: AbortSignal,
  { entry = READER_PROCESS, onProblem, maxMs = MAX_MS, maxResidentMb = MAX_RESIDENT_MB }: ReadersOptions,
): Promise<ReaderResult> {
  const child = startReader(entry);
  let result: ReaderResult | undefined;
  let entryId: number | undefined;
  let endedBy: EndedBy | undefined;
  const end = (why: EndedBy) => {
    endedBy ??= why;
    child.kill('SIGKILL');
  };
  child.on('message', (message: ReaderMessage) => {
    if ('result' in message) result = message.result;
    else if ('problem' in message) onProblem?.(`A reader failed: ${message.problem}`);
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
  if (why === ENDED) onProblem?.(`A reader ended: ${child.signalCode ?? `code ${child.exitCode}`}.`);
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

const ENDED = 'the process that reads it ended';

/** As the end of a sentence. V8 aborts, and systems kill, what has no memory left. */
function whyEnded(
  { signalCode, exitCode }: ChildProcess,
  endedBy: EndedBy | undefined,
  maxMs: number,
): string {
  if (endedBy === 'time') return `it takes longer than ${maxMs / 1_000} seconds: ${SMALLER}`;
  const isMemory =
    endedBy === 'memory' || signalCode === 'SIGABRT' || signalCode === 'SIGKILL' || exitCode === 134;
  return isMemory ? `it takes more than ${MAX_MEMORY_MB} MB of memory: ${SMALLER}` : ENDED;
}

function notDone(task: ReaderTask, why: string): string {
  return task.kind === 'undo'
    ? `Nothing was taken back, because ${why}.`
    : `Nothing was imported: ${task.name} could not be read, because ${why}.`;
}

/** After a reader was killed that was about to commit. */
async function whetherDone(task: ReaderTask, entryId: number, why: string): Promise<ReaderResult> {
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
  task: ReaderTask,
  entryId: number,
): Promise<ReaderResult | undefined> {
  let accountId: number | undefined;
  await store.write(async (transaction) => {
    accountId = (await transaction.lockAccount(task.account))?.id;
    return false;
  });
  const history = accountId === undefined ? [] : await store.history(accountId);
  const entry = history.find(({ id, who }) => id === entryId && who === task.who);
  if (entry === undefined || accountId === undefined) return undefined;
  if (task.kind === 'undo') return { kind: 'undone', sentences: ['The import is taken back.'] };
  const last = await store.lastChangeAtOnce(accountId);
  return {
    kind: 'imported',
    headline: describeInLine(task.name, { ...entry.counts, slug: task.account, premium: true }),
    sentences: [],
    counts: entry.counts.tables,
    entry: last?.entry.id === entryId && last.refusal === undefined ? entryId : undefined,
  };
}
