/** Draws everything that is left to chance from a seed, so that a trial can be repeated. */

import { randomFrom } from '@shiftfeed/common/random';

export type Draw = ReturnType<typeof makeDraw>;

/** Other streams of the same seed have nothing to do with each other. */
export function makeDraw(seed: number, stream = '') {
  const next = randomFrom(hashOf(`${seed}/${stream}`));

  /** From `min` to `max`, both included. */
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  const pick = <T>(list: readonly T[]) => list[integer(0, list.length - 1)] as T;

  function shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = integer(0, i);
      [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T];
    }
    return shuffled;
  }

  return {
    integer,
    pick,
    shuffle,
    chance: (probability: number) => next() < probability,
    /** At least one of them and at most so many, each once. */
    some: <T>(list: readonly T[], max: number) =>
      shuffle(list).slice(0, integer(1, Math.min(max, list.length))),
    /** One of the keys, by their weights. */
    weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
      const entries = Object.entries<number>(weights) as [K, number][];
      let rest = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        rest -= weight;
        if (rest < 0) return key;
      }
      return (entries.at(-1) as [K, number])[0];
    },
  };
}

/** FNV-1a, and a last stir. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
