/** Longer strings rarely repeat, and would fill the memory. */
const MAX_KEY_LENGTH = 256;
/** A large document has few different dates and times, and a row of a sheet fewer cells than half of this. */
const MAX_ENTRIES = 40_000;

/**
 * Memoizes a function of one string, for at most `maxEntries` strings. When the young half is full, it becomes the old
 * half, and the old one is forgotten. An old entry that is used becomes young again. That costs less than to note each
 * use in a list.
 */
export function memoize<T>(compute: (key: string) => T, maxEntries = MAX_ENTRIES): (key: string) => T {
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
    if (cached !== undefined || young.has(key)) return cached as T;
    const value = old.has(key) ? (old.get(key) as T) : compute(key);
    if (key.length <= MAX_KEY_LENGTH) remember(key, value);
    return value;
  };
}

/** More different questions than anybody answers one by one. */
const MAX_QUESTIONS = 1_000;

/**
 * Whether a question is new: each is asked once. Of more than are kept, all are, so that what is counted is never less
 * than there is.
 */
export function newQuestions(): (question: string) => boolean {
  const asked = new Set<string>();
  return (question) => {
    if (asked.has(question)) return false;
    if (asked.size < MAX_QUESTIONS) asked.add(question);
    return true;
  };
}
