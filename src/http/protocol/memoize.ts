import { LRUCache } from 'lru-cache';

/** Longer strings rarely repeat, and would fill the memory. */
const MAX_KEY_LENGTH = 256;

/** Memoizes a function of one string, for the `maxEntries` strings that were used most recently. */
export function memoize<T extends object>(
  compute: (key: string) => T,
  maxEntries: number,
): (key: string) => T {
  const cache = new LRUCache<string, T>({ max: maxEntries });
  return (key) => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const value = compute(key);
    if (key.length <= MAX_KEY_LENGTH) cache.set(key, value);
    return value;
  };
}
