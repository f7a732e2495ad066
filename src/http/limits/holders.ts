/**
 * Who holds the connections, by address. When there are too many connections, or too many requests that were sent
 * ahead, whoever holds most of them has to give way.
 */

/** What one address holds. */
export interface Holder<C> {
  readonly address: string;
  /** The first one was opened first. */
  readonly open: Set<C>;
  /** Those on which no request is under way. The first one has been idle the longest. */
  readonly idle: Set<C>;
  /** How many requests arrived before the earlier ones of their connection were answered. */
  ahead: number;
}

export interface Holders<C> {
  /** Adds a connection, which is idle at first. */
  add(address: string, connection: C): Holder<C>;
  remove(holder: Holder<C>, connection: C): void;
  /**
   * The connection that makes room for a new one of this address: the longest idle one of whoever holds most. If all of
   * them are busy, the oldest has to go, unless the address itself would then hold as many.
   */
  findRoom(address: string): C | undefined;
  /** Adds to `ahead`, or subtracts from it. */
  countAhead(holder: Holder<C>, count: number): void;
  /** Whether all together have sent too many requests ahead, and this holder more than its share. */
  hasTooManyAhead(holder: Holder<C>): boolean;
}

export function makeHolders<C>(maxAhead: number): Holders<C> {
  const holders = new Map<string, Holder<C>>();
  let ahead = 0;
  return {
    add(address, connection) {
      const holder = holders.get(address) ?? { address, open: new Set(), idle: new Set(), ahead: 0 };
      holders.set(address, holder);
      holder.open.add(connection);
      holder.idle.add(connection);
      return holder;
    },
    remove(holder, connection) {
      holder.open.delete(connection);
      holder.idle.delete(connection);
      if (holder.open.size === 0) holders.delete(holder.address);
    },
    findRoom(address) {
      const own = holders.get(address)?.open.size ?? 0;
      let most: Holder<C> | undefined;
      for (const holder of holders.values()) {
        if (most === undefined || holder.open.size > most.open.size) most = holder;
      }
      if (most === undefined) return undefined;
      const [longestIdle] = most.idle;
      const [oldest] = most.open;
      return longestIdle ?? (most.open.size > own + 1 ? oldest : undefined);
    },
    countAhead(holder, count) {
      holder.ahead += count;
      ahead += count;
    },
    hasTooManyAhead: (holder) => ahead >= maxAhead && holder.ahead >= maxAhead / holders.size,
  };
}
