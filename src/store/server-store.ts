import { KEPT_MS } from './admin/history.ts';
import type { Queries } from './database.ts';
import type { PoolCounts } from './feed-store.ts';

export type ServerStore = ReturnType<typeof serverStore>;

export interface LastImport {
  readonly slug: string;
  readonly succeededAtMs: number;
}

interface ServerStoreParts {
  /** Left out for a database without a pool. */
  readonly poolCounts?: () => PoolCounts;
  /** The version of the schema that this Shiftfeed needs. */
  readonly neededSchema: number;
  /** Selects the `version` of the schema that the database has. */
  readonly schemaQuery: string;
  /** Selects by how many `seconds` a standby is behind. Left out for a database that has no standby. */
  readonly lagQuery?: string;
  close(): Promise<void>;
}

/** Each may have megabytes of old records. */
const FORGOTTEN_AT_ONCE = 10;
const DAY_MS = 86_400_000;

/** Forgets imports that are too old, now and every day, until the function that it returns is called. */
export function forgetDaily(store: Pick<ServerStore, 'forgetOldImports'>): () => void {
  // What fails now is tried again tomorrow, or by somebody else.
  const forget = () => void store.forgetOldImports().catch(() => undefined);
  forget();
  const timer = setInterval(forget, DAY_MS).unref();
  return () => clearInterval(timer);
}

type Run = <T>(mode: 'ro' | 'rw', work: (queries: Queries) => Promise<T>) => Promise<T>;

/** What a server needs beside the feed. `run` gives a database that can be read or also written. */
export function serverStore(run: Run, { schemaQuery, lagQuery, ...parts }: ServerStoreParts) {
  return {
    /**
     * Stores uses that are later than the stored ones, in milliseconds by the hexadecimal SHA-256 of the token, which
     * names the same token in every copy of a database. Never waits, and lets everybody else go first: fails when the
     * database is being written to, is unavailable, or is read-only.
     */
    writeUses: (uses: ReadonlyMap<string, number>) =>
      run('rw', async ({ dialect: { main, locked }, all }) => {
        const at = 'CAST(CAST(used.value AS text) AS bigint)';
        // Locked in the order of ids, so that two servers cannot deadlock.
        const later = locked(
          `SELECT tokens.id, ${at} AS at FROM json_each($1) AS used JOIN ${main}.tokens ON tokens.hash = used.key
          WHERE last_used_at IS NULL OR last_used_at < ${at} ORDER BY tokens.id`,
          'NO KEY UPDATE',
        );
        await all(
          `WITH later AS (${later})
          UPDATE ${main}.tokens SET last_used_at = later.at FROM later WHERE tokens.id = later.id`,
          [JSON.stringify(Object.fromEntries(uses))],
        );
      }),

    /** Forgets entries of the history that are too old, and what their imports replaced. Waits for no lock. */
    forgetOldImports: () => forgetOldImports(run),

    /**
     * When the last imports succeeded: one entry for each account that had an import; if there are more than `most`, the
     * oldest ones. Never waits for a lock.
     */
    lastImports: (most: number) =>
      run('ro', ({ dialect: { main }, all }) =>
        all<LastImport>(
          `SELECT slug, succeeded_at AS "succeededAtMs"
          FROM ${main}.imports JOIN ${main}.accounts ON accounts.id = account_id ORDER BY succeeded_at LIMIT $1`,
          [most],
        ),
      ),

    /** The version of the schema that the database has. */
    schemaVersion: () =>
      run('ro', async ({ all }) => (await all<{ version: number }>(schemaQuery))[0]?.version ?? 0),

    /** By how many seconds a standby is behind its primary, undefined for a database that is not a standby. */
    lagSeconds: async () => {
      if (lagQuery === undefined) return undefined;
      const [row] = await run('ro', ({ all }) => all<{ seconds: number | null }>(lagQuery));
      return row?.seconds ?? undefined;
    },

    ...parts,
  };
}

async function forgetOldImports(run: Run): Promise<void> {
  for (let isMore = true; isMore; ) {
    // Entries are numbered in the order of their times, so the first ones are the oldest.
    const old = await run('ro', ({ dialect: { main, nowMs }, all }) =>
      all<{ id: number }>(
        `SELECT id FROM (SELECT id, at FROM ${main}.import_history ORDER BY id LIMIT ${FORGOTTEN_AT_ONCE}) AS oldest
        WHERE at < ${nowMs} - ${KEPT_MS}`,
      ),
    );
    isMore = old.length === FORGOTTEN_AT_ONCE;
    if (old.length === 0) return;
    const ids = old.map(({ id }) => id).join(', ');
    await run('rw', ({ dialect: { main }, all }) =>
      all(`DELETE FROM ${main}.import_history WHERE id IN (${ids})`),
    );
  }
}
