/**
 * Bodies that took some work: compressed pages, and pages that are scattered over many slices. One that is asked for
 * again is made once and then kept, within a budget in bytes; its entity tag says whether it is the same.
 */

import { LRUCache } from 'lru-cache';

export interface Bodies {
  find(entityTag: string): Buffer | undefined;
  /** Whether this body was asked for before, not long ago. */
  isAskedAgain(entityTag: string): boolean;
  /** Those who wait for the same body share the work. */
  make(entityTag: string, work: () => Promise<Buffer>): Promise<Buffer>;
  counts(): { made: number; found: number; bytes: number };
}

const MAX_REMEMBERED_TAGS = 10_000;

export function keepBodies(budgetBytes: number): Bodies {
  const kept = new LRUCache<string, Buffer>({
    maxSize: budgetBytes,
    sizeCalculation: (body, key) => body.length + key.length,
  });
  const asked = new LRUCache<string, true>({ max: MAX_REMEMBERED_TAGS });
  const underWay = new Map<string, Promise<Buffer>>();
  let made = 0;
  let found = 0;

  async function makeAndKeep(entityTag: string, work: () => Promise<Buffer>): Promise<Buffer> {
    try {
      const body = trim(await work());
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
      const awaited = underWay.get(entityTag);
      if (awaited !== undefined) return awaited;
      made++;
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
