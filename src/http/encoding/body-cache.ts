/**
 * Bodies that took some work: compressed pages, and pages that are scattered over many slices. One that is asked for
 * again is made once and then kept, within a budget in bytes; its entity tag says whether it is the same. The memory that
 * work takes while it is under way has a limit, too: compressing hundreds of pages at once would take more than the cache.
 */

import { LRUCache } from 'lru-cache';

export interface Bodies {
  find(entityTag: string): Buffer | undefined;
  /** Whether this body was asked for before, not long ago. */
  isAskedAgain(entityTag: string): boolean;
  /** Those who wait for the same body share the work. undefined when there is no room for it now. */
  make(entityTag: string, work: BodyWork): Promise<Buffer> | undefined;
  counts(): { made: number; found: number; bytes: number };
}

export interface BodyWork {
  /** About what the work takes while it is under way. */
  readonly bytes: number;
  /** Whether others who ask for the same entity tag may have the body, now or later. */
  readonly isShared: boolean;
  run(): Promise<Buffer>;
}

export interface BodiesBudget {
  readonly keptBytes: number;
  readonly workBytes: number;
}

const MAX_REMEMBERED_TAGS = 10_000;

export function keepBodies(budget: BodiesBudget): Bodies {
  const kept = new LRUCache<string, Buffer>({
    maxSize: budget.keptBytes,
    sizeCalculation: (body, key) => body.length + key.length,
  });
  const asked = new LRUCache<string, true>({ max: MAX_REMEMBERED_TAGS });
  const underWay = new Map<string, Promise<Buffer>>();
  let bytesUnderWay = 0;
  let made = 0;
  let found = 0;

  async function make({ bytes, run }: BodyWork): Promise<Buffer> {
    made++;
    bytesUnderWay += bytes;
    try {
      return trim(await run());
    } finally {
      bytesUnderWay -= bytes;
    }
  }

  async function makeAndKeep(entityTag: string, work: BodyWork): Promise<Buffer> {
    try {
      const body = await make(work);
      kept.set(entityTag, body);
      return body;
    } finally {
      underWay.delete(entityTag);
    }
  }

  return {
    find(entityTag) {
      const body = kept.get(entityTag);
      if (body !== undefined) found++;
      return body;
    },
    isAskedAgain(entityTag) {
      const isKnown = asked.get(entityTag) === true;
      asked.set(entityTag, true);
      return isKnown;
    },
    make(entityTag, work) {
      const awaited = work.isShared ? underWay.get(entityTag) : undefined;
      if (awaited !== undefined) return awaited;
      // One at a time there may always be, however small the budget is.
      if (bytesUnderWay > 0 && bytesUnderWay + work.bytes > budget.workBytes) return undefined;
      if (!work.isShared) return make(work);
      const making = makeAndKeep(entityTag, work);
      underWay.set(entityTag, making);
      return making;
    },
    counts: () => ({ made, found, bytes: kept.calculatedSize }),
  };
}

/** Without the memory around it: compressors return the beginning of a much larger buffer. */
function trim(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.length) return body;
  const exact = Buffer.allocUnsafeSlow(body.length);
  exact.set(body);
  return exact;
}
