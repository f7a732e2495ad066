import type { LastImportStore } from '../last-import-store.ts';
import type { Connection } from './connection.ts';

export function lastImportStore(connection: Connection): LastImportStore {
  return {
    async lastImports(most) {
      const rows = await connection.ask<{ slug: string; succeeded_at: string }>({
        text: LAST_IMPORTS,
        values: [most],
      });
      return rows.map(({ slug, succeeded_at }) => ({ slug, succeededAtMs: Number(succeeded_at) }));
    },
  };
}

const LAST_IMPORTS = `
  SELECT slug, succeeded_at FROM shiftfeed.imports JOIN shiftfeed.accounts ON accounts.id = account_id
  ORDER BY succeeded_at LIMIT $1`;
