/** Longer strings rarely repeat, and would fill the memory. */
const MAX_KEY_LENGTH = 256;

/**
 * Memoizes a function of one string, for at most `maxEntries` strings. When the young half is full, it becomes the old
 * half, and the old one is forgotten. An old entry that is used becomes young again. That costs less than to note each
 * use in a list.
 */
export function memoize<T extends object | string>(
  compute: (key: string) => T,
  maxEntries: number,
): (key: string) => T {
  let young = new Map<string, T>();
  let old = young;
  function remember(key: string, value: T): void {
    if (young.size >= maxEntries / 2) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }

  return (key) => {
    const cached = young.get(key);
    if (cached !== undefined) return cached;
    const value = old.get(key) ?? compute(key);
    if (key.length <= MAX_KEY_LENGTH) remember(key, value);
    return value;
  };
}
