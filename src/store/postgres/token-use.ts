import type { TokenUseStore } from '../token-use-store.ts';
import type { Connection } from './connection.ts';

export function tokenUseStore(connection: Connection): TokenUseStore {
  return {
    async writeUses(uses) {
      await connection.ask({
        text: WRITE,
        values: [uses.map(({ tokenHash }) => tokenHash), uses.map(({ atMs }) => atMs)],
      });
    },
  };
}

/** Updates in the order of ids, so that two servers cannot deadlock. */
const WRITE = `
  WITH later AS (
    SELECT id, used.at FROM unnest($1::text[], $2::bigint[]) AS used (hash, at) JOIN shiftfeed.tokens USING (hash)
    WHERE last_used_at IS NULL OR last_used_at < used.at ORDER BY id FOR NO KEY UPDATE OF tokens
  )
  UPDATE shiftfeed.tokens SET last_used_at = later.at FROM later WHERE tokens.id = later.id`;
