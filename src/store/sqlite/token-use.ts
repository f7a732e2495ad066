import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { TokenUseStore } from '../token-use-store.ts';
import { explained } from './explain.ts';

/**
 * Opens the file for each write, because it may have been replaced, and never creates it. The request thread is blocked
 * meanwhile, so this waits neither for locks nor, as a rule, for the disk: a power cut may lose the write.
 */
export function tokenUseStore(path: string): TokenUseStore {
  return {
    async writeUses(uses) {
      explained(path, () => {
        using database = new DatabaseSync(existing(path), { timeout: 0 });
        database.exec('PRAGMA synchronous = NORMAL');
        database.prepare(WRITE).run(JSON.stringify(uses));
      });
    },
  };
}

function existing(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  return url;
}

const WRITE = `
  UPDATE tokens SET last_used_at = used.at
  FROM (SELECT value ->> 'tokenHash' AS hash, value ->> 'atMs' AS at FROM json_each(?)) AS used
  WHERE tokens.hash = used.hash AND (last_used_at IS NULL OR last_used_at < used.at)`;
