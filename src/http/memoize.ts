import { LRUCache } from 'lru-cache';

/** Longer texts are rarely sent again, and would take much memory. */
const MAX_TEXT_LENGTH = 256;

/** The same function, which works out the answers to the texts that it is asked most recently only once. */
export function remember<T extends object>(work: (text: string) => T, max: number): (text: string) => T {
  const known = new LRUCache<string, T>({ max });
  return (text) => {
    const answer = known.get(text);
    if (answer !== undefined) return answer;
    const worked = work(text);
    if (text.length <= MAX_TEXT_LENGTH) known.set(text, worked);
    return worked;
  };
}
