/**
 * Bodies in the content encodings that clients accept: which encoding a client gets, whether it has the body already, and
 * a cache of bodies that cost much to build for what they are. These are compressed pages, small ones, and pages that
 * are put together from many slices.
 */

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { encodingsAmong } from '@shiftfeed/common/accept';
import { LRUCache } from 'lru-cache';
import type { Encoding } from '../../feed/page.ts';
import { SMALL_BYTES } from '../protocol/exchange.ts';
import { PROBLEMS, Refused } from '../protocol/problems.ts';

/** Best first, and never empty. */
export type AcceptedEncodings = readonly [Encoding, ...Encoding[]];

/**
 * When a client accepts several equally well, it gets the first of these. They are sorted by the cost of decompressing.
 */
const acceptedIn = encodingsAmong<Encoding>(['zstd', 'br', 'gzip', 'identity']);
const UNCOMPRESSED: AcceptedEncodings = ['identity'];

const MIN_COMPRESSED_BYTES = 1024;
const BROTLI_QUALITY = 4;
/** The most memory that a compressor takes, not counting copies of the body. */
const COMPRESSOR_BYTES = 2 * 1024 * 1024;
const COPIES_OF_BODY = 3;

const brotli = promisify(brotliCompress);

export const COMPRESS: { readonly [E in Encoding]: (body: Buffer) => Promise<Buffer> } = {
  identity: async (body) => body,
  zstd: promisify<Buffer, Buffer>(zstdCompress),
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** Reads the Accept-Encoding header. Throws Refused when it rules out every encoding. */
export function acceptedEncodings(acceptEncoding: string | undefined): AcceptedEncodings {
  if (acceptEncoding === undefined) return UNCOMPRESSED;
  const accepted = acceptedIn(acceptEncoding);
  if (accepted.length === 0) throw new Refused(PROBLEMS.notAcceptable);
  return accepted as AcceptedEncodings;
}

/** The best of the accepted encodings for a body of this size. */
export function chooseEncoding(accepted: AcceptedEncodings, bodyBytes: number): Encoding {
  return isTooSmallToCompress(bodyBytes) && accepted.includes('identity') ? 'identity' : accepted[0];
}

export function isTooSmallToCompress(bodyBytes: number): boolean {
  return bodyBytes < MIN_COMPRESSED_BYTES;
}

/** Roughly how much memory it takes to compress a body of this size, or only to assemble it. */
export function compressionMemoryBytes(encoding: Encoding, bodyBytes: number): number {
  return COPIES_OF_BODY * bodyBytes + (encoding === 'identity' ? 0 : COMPRESSOR_BYTES);
}

/** Whether an `If-None-Match` header matches any entity tag (RFC 9110, 13.1.2). */
export function matchesAny(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*';
}

/**
 * The entity tag that an `If-None-Match` header lists, of those that a response may get: its encoding also depends on
 * its size, which may not be known yet.
 */
export function freshTag(
  ifNoneMatch: string,
  tags: Readonly<Record<Encoding, string>>,
  encodings: AcceptedEncodings,
): string | undefined {
  const possible = encodings.map((encoding) => tags[encoding]);
  // Most clients send the one tag that they were given.
  if (possible.includes(ifNoneMatch)) return ifNoneMatch;
  // The comparison is weak: a prefix W/ makes no difference.
  const listed = new Set(ifNoneMatch.match(/"[^"]*"/g));
  return possible.find((tag) => listed.has(tag));
}

/** Small bodies are strings in which each character is a byte, as they are sent. */
export type Body = Buffer | string;

export type BodyCache = ReturnType<typeof makeBodyCache>;

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

/**
 * Entity tags are the keys, so an entry never becomes stale. The cache has a budget in bytes. Builds in progress have one
 * too, because compressing hundreds of pages at once would take more memory than the cache.
 */
export function makeBodyCache(budget: BodyCacheBudget) {
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
    get(entityTag: string): Body | undefined {
      const body = cache.get(entityTag);
      if (body !== undefined) hits++;
      return body;
    },
    /** Whether this body was requested before, not long ago. */
    isRequestedAgain(entityTag: string): boolean {
      const isAgain = requestedTags.get(entityTag) === true;
      requestedTags.set(entityTag, true);
      return isAgain;
    },
    /**
     * Concurrent requests for the same body share one build. Returns undefined when the build would exceed the budget.
     */
    build(entityTag: string, job: BuildJob): Promise<Body> | undefined {
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
