/**
 * Decides which variants of a page are popular. A page depends on the host and language of a request, and a client can
 * make up any number of them, each of which would have to be written. So only some have a page of their own.
 */

/** Enough for some languages at one or two addresses. */
const MAX_POPULAR = 24;
/** A variant that nobody has requested for this long makes room for another. */
const FORGOTTEN_AFTER_MS = 10 * 60_000;

export function knowPopular(clock: () => number): (variant: string) => boolean {
  const seenMs = new Map<string, number>();
  return (variant) => {
    const nowMs = clock();
    if (!seenMs.has(variant) && seenMs.size >= MAX_POPULAR) {
      for (const [other, atMs] of seenMs) if (nowMs - atMs > FORGOTTEN_AFTER_MS) seenMs.delete(other);
      if (seenMs.size >= MAX_POPULAR) return false;
    }
    seenMs.set(variant, nowMs);
    return true;
  };
}
