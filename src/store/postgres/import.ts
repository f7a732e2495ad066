import type { PoolClient } from 'pg';
import type { AccountSettings } from '../account.ts';
import type { AccountTransaction, ImportStore } from '../import-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';
import type { Connection } from './connection.ts';
import { openStage } from './stage.ts';

export function importStore(connection: Connection): ImportStore {
  return {
    write: (work) => connection.writing((client) => work(accountTransaction(client))),

    // All in one transaction, because behind a pooler temporary tables end with it. It locks nothing of the account
    // before it merges.
    async stage(work) {
      let outcome: { result: Awaited<ReturnType<typeof work>> } | undefined;
      await connection.writing(async (client) => {
        await client.query(FOR_FEW_LONG_STATEMENTS);
        const stage = openStage(client, accountTransaction(client));
        outcome = { result: await work(stage) };
        return stage.hasMerged();
      });
      if (outcome === undefined) throw new Error('the work of a transaction was not done');
      return outcome.result;
    },
  };
}

/** Compiling a comparison of all columns takes longer than it saves, and sorting on disk longer than in memory. */
const FOR_FEW_LONG_STATEMENTS = "SET LOCAL jit = off; SET LOCAL work_mem = '32MB'";

function accountTransaction(client: PoolClient): AccountTransaction {
  return {
    async lockAccount(slug) {
      // One import at a time, even for an account that does not exist yet: two imports must not complete their records
      // from the same earlier state.
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [slug]);
      const { rows } = await client.query<AccountRow & { revision: string }>(
        `SELECT ${ACCOUNT_COLUMNS}, revision FROM shiftfeed.accounts WHERE slug = $1 FOR NO KEY UPDATE`,
        [slug],
      );
      return rows[0] && { ...accountOf(rows[0]), revision: Number(rows[0].revision) };
    },

    async saveAccount({ slug, name, premium, timeZone, sort }: AccountSettings) {
      const { rows } = await client.query<{ id: string }>(
        `INSERT INTO shiftfeed.accounts (slug, name, premium, time_zone, sort) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (slug) DO UPDATE SET
          name = excluded.name, premium = excluded.premium, time_zone = excluded.time_zone, sort = excluded.sort
        RETURNING id`,
        [slug, name, premium, timeZone, sort],
      );
      return Number(rows[0]?.id);
    },
  };
}
