/**
 * The stream of a feed for visitors. It tells them that what they can see is another, and nothing else. As long as
 * somebody listens, the stream of the upstream is listened to, and the copy is renewed whenever that tells of a change.
 */

import { ShiftfeedAccessError, ShiftfeedError } from '@shiftfeed/client';
import { NoStream, retryPauseMs, wait } from '@shiftfeed/client/reader';
import type { CopyKeeper } from './feed-copy.ts';
import type { Visitor } from './response.ts';
import type { Upstream } from './upstream.ts';

export interface Live {
  isFull(): boolean;
  /** `known` is the id of the last event that the visitor has. Returns what ends it. */
  join(visitor: Visitor, known: string | undefined): () => void;
}

export interface LiveOptions {
  readonly keeper: Pick<CopyKeeper, 'renew'>;
  readonly upstream: Pick<Upstream, 'hear' | 'days'>;
  /** A hash of what visitors can see, if there is a copy. Renews that if it is due, as a visit does. */
  readonly idNow: () => Promise<string | undefined>;
}

const MAX_VISITORS = 2_000;
/** After this many visitors are told, others get their turn. */
const TOLD_AT_ONCE = 100;
/** A feed that changes all the time is read no more often than this, and listened to so long without visitors. */
const LEAST_MS = 1_000;
/** How often to look whether it is another day, or whether the copy was renewed in its own rhythm. */
const BEAT_MS = 5_000;
/** How soon to try an upstream again that refuses, and one that has no streams. */
const REFUSED_MS = 30_000;
const DEAF_MS = 10 * 60_000;

export function openLive({ keeper, upstream, idNow }: LiveOptions): Live {
  /** With the id that each was told last. */
  const visitors = new Map<Visitor, string | undefined>();
  let listening: AbortController | undefined;
  let isRenewing = false;
  let isHeardAgain = false;

  async function tellAll(): Promise<void> {
    const id = await idNow().catch(() => undefined);
    if (id === undefined) return;
    let told = 0;
    for (const [visitor, known] of visitors) {
      if (known === id || !visitor.say(`event: shifts\nid: ${id}\ndata:\n\n`)) continue;
      visitors.set(visitor, id);
      told++;
      if (told % TOLD_AT_ONCE === 0) await wait(0, undefined);
    }
  }

  async function renew(): Promise<void> {
    isHeardAgain = isRenewing;
    if (isRenewing) return;
    isRenewing = true;
    do {
      isHeardAgain = false;
      await Promise.all([keeper.renew().then(tellAll), wait(LEAST_MS, undefined)]);
    } while (isHeardAgain);
    isRenewing = false;
  }

  async function listen(signal: AbortSignal): Promise<void> {
    let moving = new AbortController();
    let days = '';
    const beating = setInterval(() => {
      void tellAll();
      // The stream is of other days now.
      if (upstream.days() !== days) moving.abort();
    }, BEAT_MS);
    while (!signal.aborted) {
      moving = new AbortController();
      days = upstream.days();
      let pauseMs = retryPauseMs(Math.random());
      try {
        for await (const _ of upstream.hear(AbortSignal.any([signal, moving.signal]))) void renew();
      } catch (error) {
        pauseMs = pauseMsAfter(error) ?? pauseMs;
        // When a token is revoked, what it published must disappear.
        if (error instanceof ShiftfeedAccessError) void renew();
      }
      await wait(pauseMs, signal).catch(() => undefined);
    }
    clearInterval(beating);
  }

  function endIfNobodyListens(): void {
    if (visitors.size > 0) return;
    listening?.abort();
    listening = undefined;
  }

  return {
    isFull: () => visitors.size >= MAX_VISITORS,
    join(visitor, known) {
      visitors.set(visitor, known);
      void tellAll();
      if (listening === undefined) {
        listening = new AbortController();
        void listen(listening.signal);
      }
      return () => {
        visitors.delete(visitor);
        if (visitors.size === 0) setTimeout(endIfNobodyListens, LEAST_MS);
      };
    },
  };
}

function pauseMsAfter(error: unknown): number | undefined {
  if (error instanceof NoStream) return DEAF_MS;
  return error instanceof ShiftfeedError && error.status !== undefined ? REFUSED_MS : undefined;
}

const COMMENT_MS = 15_000;
const encoder = new TextEncoder();

/** As a body, where there is no server that keeps streams. */
export function streamOf(join: (visitor: Visitor) => () => void): ReadableStream<Uint8Array> {
  let leave = () => {};
  return new ReadableStream(
    {
      start(controller) {
        const say = (text: string) => {
          const isRead = (controller.desiredSize ?? 0) > 0;
          if (isRead) controller.enqueue(encoder.encode(text));
          return isRead;
        };
        controller.enqueue(encoder.encode(`retry: ${Math.round(retryPauseMs(Math.random()))}\n\n`));
        const left = join({ say });
        const commenting = setInterval(() => {
          if (say(':\n\n')) return;
          leave();
          controller.error(new Error('The visitor reads nothing.'));
        }, COMMENT_MS);
        leave = () => {
          clearInterval(commenting);
          left();
        };
      },
      cancel: () => leave(),
    },
    { highWaterMark: 8 },
  );
}
