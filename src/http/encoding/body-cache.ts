/**
 * Caches response bodies that cost much to build for what they are: compressed pages, small ones, and pages that are
 * put together from many slices. Entity tags are the keys, so an entry never becomes stale. The cache has a budget in bytes. Builds in
 * progress have one too, because compressing hundreds of pages at once would take more memory than the cache.
 */

import { LRUCache } from 'lru-cache';
import { SMALL_BYTES } from '../protocol/exchange.ts';

/** Small bodies are strings in which each character is a byte, as they are sent. */
export type Body = Buffer | string;

export interface BodyCache {
  get(entityTag: string): Body | undefined;
  /** Whether this body was requested before, not long ago. */
  isRequestedAgain(entityTag: string): boolean;
  /**
   * Concurrent requests for the same body share one build. Returns undefined when the build would exceed the budget.
   */
  build(entityTag: string, job: BuildJob): Promise<Body> | undefined;
  counts(): { builds: number; hits: number; bytes: number };
}

export interface BuildJob {
  /** Roughly how much memory the job needs while it runs. */
  readonly memoryBytes: number;
  /** Whether other requests with the same entity tag may get this body, now or later. */
  readonly isCacheable: boolean;
  run(): Promise<Buffer>;
}

export interface BodyCacheBudget {
  readonly cacheBytes: number;
  readonly buildBytes: number;
}

const MAX_REQUESTED_TAGS = 10_000;

export function makeBodyCache(budget: BodyCacheBudget): BodyCache {
  const cache = new LRUCache<string, Body>({
    maxSize: budget.cacheBytes,
    sizeCalculation: (body, key) => body.length + key.length,
  });
  const requestedTags = new LRUCache<string, true>({ max: MAX_REQUESTED_TAGS });
  const pending = new Map<string, Promise<Body>>();
  let pendingBytes = 0;
  let builds = 0;
  let hits = 0;

  async function runJob({ memoryBytes, run }: BuildJob): Promise<Body> {
    builds++;
    pendingBytes += memoryBytes;
    try {
      return compact(await run());
    } finally {
      pendingBytes -= memoryBytes;
    }
  }

  async function runAndCache(entityTag: string, job: BuildJob): Promise<Body> {
    try {
      const body = await runJob(job);
      cache.set(entityTag, body);
      return body;
    } finally {
      pending.delete(entityTag);
    }
  }

  return {
    get(entityTag) {
      const body = cache.get(entityTag);
      if (body !== undefined) hits++;
      return body;
    },
    isRequestedAgain(entityTag) {
      const isAgain = requestedTags.get(entityTag) === true;
      requestedTags.set(entityTag, true);
      return isAgain;
    },
    build(entityTag, job) {
      const running = job.isCacheable ? pending.get(entityTag) : undefined;
      if (running !== undefined) return running;
      // A single build is always allowed, even if it alone exceeds the budget.
      if (pendingBytes > 0 && pendingBytes + job.memoryBytes > budget.buildBytes) return undefined;
      if (!job.isCacheable) return runJob(job);
      const started = runAndCache(entityTag, job);
      pending.set(entityTag, started);
      return started;
    },
    counts: () => ({ builds, hits, bytes: cache.calculatedSize }),
  };
}

/** Copies a body out of its buffer: compressors return the start of a much larger one. */
function compact(body: Buffer): Body {
  if (body.length <= SMALL_BYTES) return body.toString('latin1');
  if (body.buffer.byteLength === body.length) return body;
  const exact = Buffer.allocUnsafeSlow(body.length);
  exact.set(body);
  return exact;
}
