/**
 * The one copy of a feed that all visitors share. It is renewed in the background, at most every `max_age` seconds:
 * once there is a copy, nobody waits for the upstream. It survives an outage of the upstream, but not the revocation of
 * the token.
 */

import { ShiftfeedAccessError, ShiftfeedUnavailableError } from '@shiftfeed/client';
import type { Bodies } from './bodies.ts';
import type { ReadFeed, Reading } from './upstream.ts';

/** Never changes. When what is shown changes, another copy takes its place, and what was written of it goes with it. */
export interface FeedCopy extends Reading {
  /** What was written of it. */
  readonly bodies: Bodies;
}

export interface CopyKeeper {
  /** The copy in memory. Starts to renew it if that is due. */
  find(): FeedCopy | undefined;
  /** The same, but visitors who come before there is a copy wait for it, up to a limit. */
  take(): Promise<FeedCopy | undefined>;
  /** For how many more seconds the copy is fresh; 0 if it is not. */
  freshSeconds(nowMs: number): number;
  /** How long ago the upstream confirmed the copy; 0 as long as the copy is as new as the feed allows. */
  ageSeconds(nowMs: number): number;
  /** When to try again if there is no copy. */
  retrySeconds(): number;
  /** Renews the copy now. What began before does not count. Never rejects. */
  renew(): Promise<void>;
  /** Resolves when the running requests to the upstream are done. */
  settled(): Promise<void>;
}

export interface CopyKeeperOptions {
  readonly maxAgeSeconds: number;
  readonly read: ReadFeed;
  readonly clock: () => number;
  /** Makes the memory for what is written of a copy. */
  readonly makeBodies: () => Bodies;
  /** Called after each attempt to renew the copy. */
  readonly onAttempt: (attempt: Attempt) => void;
  readonly firstWaitMs?: number;
}

export interface Attempt {
  readonly durationMs: number;
  /** Why it failed, if it did. The message is for the owner, not for visitors. */
  readonly error?: unknown;
  /** Whether the shifts changed so often that the copy may mix two states, until it is renewed some seconds later. */
  readonly isMixed?: boolean;
}

/** How long the last good copy is shown while the upstream is unavailable. */
const MAX_COPY_AGE_MS = 24 * 3_600_000;
/**
 * How soon to try again after a failure, when there is a copy and when there is none. Never sooner than `max_age`
 * allows.
 */
const RETRY_SECONDS = 60;
const RETRY_WITHOUT_COPY_SECONDS = 5;
/** How soon to read again if the shifts changed during the reading. */
const RETRY_MIXED_SECONDS = 5;
/** If the upstream asks for a longer pause than this, it is asked again anyway. */
const MAX_RETRY_AFTER_SECONDS = 3_600;
const FIRST_WAIT_MS = 10_000;
/** How long a renewal that is due may take before the copy counts as old. */
const RENEWAL_MS = 60_000;
/**
 * A reading has deadlines of its own. This one is for a reading that hangs nevertheless, for instance while getting the
 * token.
 */
const READ_LIMIT_MS = 90_000;

export function keepCopy(options: CopyKeeperOptions): CopyKeeper {
  const { maxAgeSeconds, read, clock, makeBodies, onAttempt, firstWaitMs = FIRST_WAIT_MS } = options;
  const memory = makeCopyMemory(makeBodies);
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  let attemptedMs = Number.NEGATIVE_INFINITY;
  let pauseSeconds = 0;
  let underWay: Promise<void> | undefined;

  function find(): FeedCopy | undefined {
    const nowMs = clock();
    const sinceMs = nowMs - attemptedMs;
    // If the clock was set back, do not wait until it has caught up.
    const isDue = sinceMs >= pauseSeconds * 1000 || sinceMs < 0;
    // Workers that cancel a request also cancel its timers. Then only the clock shows that the reading will never end.
    if (isDue && (underWay === undefined || sinceMs > READ_LIMIT_MS)) underWay = renew(nowMs);
    return memory.find(nowMs);
  }

  async function renew(nowMs: number): Promise<void> {
    attemptedMs = nowMs;
    pauseSeconds = maxAgeSeconds;
    // An attempt that was given up may still end, but the result of a later one takes precedence: it may have found
    // that the token was revoked, or that there is a new one.
    const isGivenUp = () => attemptedMs !== nowMs;
    try {
      const reading = await within(read(nowMs), READ_LIMIT_MS);
      if (isGivenUp()) return;
      if (reading === undefined) throw new Error(`There was no result within ${READ_LIMIT_MS} ms.`);
      const durationMs = clock() - nowMs;
      const { isMixed } = reading;
      if (isMixed) pauseSeconds = Math.min(maxAgeSeconds, RETRY_MIXED_SECONDS + durationMs / 1000);
      freshUntilMs = nowMs + pauseSeconds * 1000;
      memory.keep(reading, nowMs);
      tell(onAttempt, { durationMs, ...(isMixed && { isMixed }) });
    } catch (error) {
      if (isGivenUp()) return;
      // When a token is revoked, what it published must disappear.
      if (error instanceof ShiftfeedAccessError) memory.forget();
      pauseSeconds = pauseAfter(error, maxAgeSeconds, memory.find(nowMs) !== undefined);
      tell(onAttempt, { durationMs: clock() - nowMs, error });
    } finally {
      if (!isGivenUp()) underWay = undefined;
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
    freshSeconds: (nowMs) => secondsUntil(freshUntilMs, nowMs),
    ageSeconds: (nowMs) => (nowMs < freshUntilMs + RENEWAL_MS ? 0 : memory.ageSeconds(nowMs)),
    retrySeconds: () => Math.max(1, secondsUntil(attemptedMs + pauseSeconds * 1000, clock())),
    async renew() {
      await underWay;
      pauseSeconds = 0;
      find();
      await underWay;
    },
    settled: async () => underWay,
  };
}

/** The last good copy. Readings with the same content keep it. */
function makeCopyMemory(makeBodies: () => Bodies) {
  let copy: FeedCopy | undefined;
  let kept: Reading | undefined;
  /** When the upstream last confirmed the content of the copy. */
  let confirmedMs = Number.NEGATIVE_INFINITY;

  function forget(): void {
    copy?.bodies.close();
    copy = undefined;
  }

  return {
    find(nowMs: number): FeedCopy | undefined {
      if (nowMs - confirmedMs > MAX_COPY_AGE_MS) forget();
      return copy;
    },
    ageSeconds: (nowMs: number) => Math.floor((nowMs - confirmedMs) / 1000),
    keep(reading: Reading, nowMs: number): void {
      confirmedMs = nowMs;
      if (copy !== undefined && (reading === kept || JSON.stringify(reading) === JSON.stringify(kept)))
        return;
      kept = reading;
      forget();
      copy = { ...reading, bodies: makeBodies() };
    },
    forget,
  };
}

/** The listener belongs to the owner. If it fails, neither the visit nor the process must. */
export function tell<T>(listener: (told: T) => void, told: T): void {
  try {
    listener(told);
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

/** Waits for work, but no longer than a limit. Then the result is undefined. */
export async function within<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
