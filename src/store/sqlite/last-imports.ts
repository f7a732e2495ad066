import { DatabaseSync } from 'node:sqlite';
import type { LastImportStore } from '../last-import-store.ts';
import { explained } from './explain.ts';

/** Opens the file for each reading, because it may have been replaced. */
export function lastImportStore(path: string): LastImportStore {
  return {
    async lastImports(most) {
      return explained(path, () => {
        using database = new DatabaseSync(path, { readOnly: true, timeout: 0 });
        const rows = database.prepare(LAST_IMPORTS).all(most);
        return rows.map(({ slug, succeeded_at }) => ({
          slug: String(slug),
          succeededAtMs: Number(succeeded_at),
        }));
      });
    },
  };
}

const LAST_IMPORTS = `
  SELECT slug, succeeded_at FROM imports JOIN accounts ON accounts.id = account_id
  ORDER BY succeeded_at LIMIT ?`;
