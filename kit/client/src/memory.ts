/** Remembers pages by their query, with their entity tags, up to a size. The least recently used is forgotten first. */

import type { ShiftPage } from './page.ts';

export interface Remembered {
  readonly etag: string;
  readonly page: ShiftPage;
  /** The size of the answer. */
  readonly bytes: number;
}

export interface Memory {
  find(query: string): Remembered | undefined;
  keep(query: string, remembered: Remembered): void;
  forget(query: string): void;
}

export function makeMemory(maxBytes: number): Memory {
  // A Map iterates in the order of insertion: the first entry was used longest ago.
  const entries = new Map<string, Remembered>();
  let bytes = 0;

  const forget = (query: string) => {
    bytes -= entries.get(query)?.bytes ?? 0;
    entries.delete(query);
  };

  return {
    forget,
    find(query) {
      const found = entries.get(query);
      if (found === undefined) return undefined;
      entries.delete(query);
      entries.set(query, found);
      return found;
    },
    keep(query, remembered) {
      forget(query);
      if (remembered.bytes > maxBytes) return;
      entries.set(query, remembered);
      bytes += remembered.bytes;
      for (const [oldest] of entries) {
        if (bytes <= maxBytes) break;
        forget(oldest);
      }
    },
  };
}
