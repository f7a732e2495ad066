/**
 * The one copy of a feed that all visitors share. It is renewed behind the scenes, at most every `max_age` seconds:
 * once it is there, nobody waits for the upstream. It outlives an upstream that is away, but not a token that was
 * revoked.
 */

import { ShiftfeedAccessError, ShiftfeedUnavailableError } from '@shiftfeed/client';
import type { Reading } from './upstream.ts';
import { within } from './within.ts';

export interface FeedCopy extends Reading {
  /** Another one whenever what is shown is different. */
  readonly version: number;
}

export interface CopyKeeper {
  /** The copy as it is in memory. Begins to renew it when that is due. */
  find(): FeedCopy | undefined;
  /** The same, but whoever comes before there is a copy waits for it, within a limit. */
  take(): Promise<FeedCopy | undefined>;
  /** For how many more seconds the copy is fresh; 0 when it is not. */
  freshSeconds(): number;
  /** How long ago the upstream said what the copy holds; 0 while nobody expects it to be newer. */
  ageSeconds(): number;
  /** When to come again if there is no copy. */
  retrySeconds(): number;
  /** Resolves when what is under way at the upstream is over. */
  settled(): Promise<void>;
}

export interface CopyKeeperOptions {
  readonly maxAgeSeconds: number;
  readonly read: (nowMs: number) => Promise<Reading>;
  readonly clock: () => number;
  /** Called after each attempt to renew the copy. */
  readonly onAttempt: (attempt: Attempt) => void;
  readonly firstWaitMs?: number;
}

export interface Attempt {
  readonly durationMs: number;
  /** Why it failed, if it did. Its message is for the owner and not for visitors. */
  readonly error?: unknown;
  /** The shifts changed so often that two states of them may meet in the copy, until it is renewed some seconds later. */
  readonly isMixed?: boolean;
}

/** How long the last good copy is shown while the upstream is away. */
const MAX_COPY_AGE_MS = 24 * 3_600_000;
/**
 * How soon to try again after a failure, when there is a copy and when there is none. Never sooner than `max_age`
 * allows.
 */
const RETRY_SECONDS = 60;
const RETRY_WITHOUT_COPY_SECONDS = 5;
/** How soon to read again what changed while it was read. */
const RETRY_MIXED_SECONDS = 5;
/** An upstream that asks for more patience than this is asked anyway. */
const MAX_RETRY_AFTER_SECONDS = 3_600;
const FIRST_WAIT_MS = 10_000;
/** How long a renewal that is due may take before the copy counts as old. */
const RENEWAL_MS = 60_000;
/**
 * A reading has deadlines of its own. One that hangs all the same, in what gets the token for instance, must not hang
 * for ever.
 */
const READ_LIMIT_MS = 90_000;

export function keepCopy(options: CopyKeeperOptions): CopyKeeper {
  const { maxAgeSeconds, read, clock, onAttempt, firstWaitMs = FIRST_WAIT_MS } = options;
  const memory = makeCopyMemory();
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  let attemptedMs = Number.NEGATIVE_INFINITY;
  let pauseSeconds = 0;
  let underWay: Promise<void> | undefined;

  function find(): FeedCopy | undefined {
    const nowMs = clock();
    // A clock that was set back must not stop everything until it has caught up.
    const isDue = nowMs - attemptedMs >= pauseSeconds * 1000 || nowMs < attemptedMs;
    // Workers that cancel a request cancel its timers, too: then only the clock tells that nothing will come any more.
    const isStuck = nowMs - attemptedMs > READ_LIMIT_MS;
    if (isDue && (underWay === undefined || isStuck)) {
      const renewal = renew(nowMs).finally(() => {
        if (underWay === renewal) underWay = undefined;
      });
      underWay = renewal;
    }
    return memory.find(nowMs);
  }

  async function renew(nowMs: number): Promise<void> {
    attemptedMs = nowMs;
    pauseSeconds = maxAgeSeconds;
    // An attempt that was given up may end after all, but a later one knows better: that the token was revoked, or that
    // there is a new one.
    const isGivenUp = () => attemptedMs !== nowMs;
    try {
      const reading = await beforeLimit(read(nowMs));
      if (isGivenUp()) return;
      const durationMs = clock() - nowMs;
      if (reading.isMixed) pauseSeconds = Math.min(maxAgeSeconds, RETRY_MIXED_SECONDS + durationMs / 1000);
      freshUntilMs = nowMs + pauseSeconds * 1000;
      memory.keep(reading, nowMs);
      tell(onAttempt, reading.isMixed ? { durationMs, isMixed: true } : { durationMs });
    } catch (error) {
      if (isGivenUp()) return;
      // A revoked token must end what it published.
      if (error instanceof ShiftfeedAccessError) memory.forget();
      pauseSeconds = pauseAfter(error, maxAgeSeconds, memory.find(nowMs) !== undefined);
      tell(onAttempt, { durationMs: clock() - nowMs, error });
    }
  }

  return {
    find,
    async take() {
      const found = find();
      if (found !== undefined || underWay === undefined) return found;
      await within(underWay, firstWaitMs);
      return memory.find(clock());
    },
    freshSeconds: () => secondsUntil(freshUntilMs, clock()),
    ageSeconds: () => (clock() < freshUntilMs + RENEWAL_MS ? 0 : memory.ageSeconds(clock())),
    retrySeconds: () => Math.max(1, secondsUntil(attemptedMs + pauseSeconds * 1000, clock())),
    settled: async () => underWay,
  };
}

interface CopyMemory {
  find(nowMs: number): FeedCopy | undefined;
  ageSeconds(nowMs: number): number;
  keep(reading: Reading, nowMs: number): void;
  forget(): void;
}

/** The last good copy. Readings that say the same are the same version. */
function makeCopyMemory(): CopyMemory {
  let copy: FeedCopy | undefined;
  let kept: Reading | undefined;
  let content = '';
  let version = 0;
  /** When the upstream last said what the copy holds. */
  let confirmedMs = Number.NEGATIVE_INFINITY;
  return {
    find(nowMs) {
      if (nowMs - confirmedMs > MAX_COPY_AGE_MS) copy = undefined;
      return copy;
    },
    ageSeconds: (nowMs) => Math.floor((nowMs - confirmedMs) / 1000),
    keep(reading, nowMs) {
      confirmedMs = nowMs;
      if (copy !== undefined && reading === kept) return;
      kept = reading;
      const newContent = JSON.stringify(reading);
      if (copy !== undefined && newContent === content) return;
      content = newContent;
      copy = { ...reading, version: ++version };
    },
    forget() {
      copy = undefined;
    },
  };
}

/** What listens is the owner's. That it fails must not end the process, which an unhandled rejection would. */
function tell(onAttempt: CopyKeeperOptions['onAttempt'], attempt: Attempt): void {
  try {
    onAttempt(attempt);
  } catch {
    // There is nobody else to tell.
  }
}

function pauseAfter(error: unknown, maxAgeSeconds: number, hasCopy: boolean): number {
  const pause = Math.min(maxAgeSeconds, hasCopy ? RETRY_SECONDS : RETRY_WITHOUT_COPY_SECONDS);
  const asked = error instanceof ShiftfeedUnavailableError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(pause, Math.min(asked, MAX_RETRY_AFTER_SECONDS));
}

function secondsUntil(ms: number, nowMs: number): number {
  return Math.max(0, Math.ceil((ms - nowMs) / 1000));
}

async function beforeLimit<T>(work: Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  await within(
    work.then((value) => {
      result = { value };
    }),
    READ_LIMIT_MS,
  );
  if (result === undefined) throw new Error(`There was no result within ${READ_LIMIT_MS} ms.`);
  return result.value;
}
