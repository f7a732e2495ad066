/**
 * Records when tokens are used, by the hour. A request only records the use in memory, and a timer writes it later, so
 * a request never writes. A failed write is tried again; uses that are not written before the process ends are lost.
 */

import { isAway } from '../../store/failure.ts';
import type { ServerStore } from '../../store/server-store.ts';
import type { Clock } from '../waiting.ts';

export interface TokenUses {
  note(tokenHash: string): void;
  /** Writes the uses since the last write. Never rejects; resolves to the reason if they could not be written. */
  write(): Promise<unknown>;
}

const HOUR_MS = 3_600_000;
/** Beyond this number, uses are forgotten and written again, which changes nothing. */
const MAX_KNOWN_TOKENS = 100_000;

export function keepTokenUses(store: Pick<ServerStore, 'writeUses'>, clock: Clock): TokenUses {
  /** The last recorded hour of each token. */
  const known = new Map<string, number>();
  let unwritten = new Map<string, number>();
  /** After a failure, the earliest time of the next attempt. */
  let resumeMs = Number.NEGATIVE_INFINITY;

  return {
    note(tokenHash) {
      const nowMs = clock();
      const hourMs = nowMs - (nowMs % HOUR_MS);
      if (known.get(tokenHash) === hourMs) return;
      if (known.size >= MAX_KNOWN_TOKENS) known.clear();
      known.set(tokenHash, hourMs);
      unwritten.set(tokenHash, hourMs);
    },

    async write() {
      if (unwritten.size === 0 || clock() < resumeMs) return undefined;
      const uses = unwritten;
      unwritten = new Map();
      try {
        await store.writeUses(uses);
        return undefined;
      } catch (error) {
        // Uses that were recorded meanwhile are newer.
        unwritten = new Map([...uses, ...unwritten]);
        if (!isAway(error)) resumeMs = clock() + HOUR_MS;
        return error;
      }
    },
  };
}
