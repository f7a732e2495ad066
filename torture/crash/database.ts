/** Whether a database is whole, seen by a process that has nothing to do with those that were killed. */

import { DatabaseSync } from 'node:sqlite';
import { shiftfeed } from '../../test/support/cli-in-process.ts';

/** Throws when a page, an index, a trigger or a reference is not as it should be. */
export async function checkWhole(databaseUrl: string): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) checkFile(databaseUrl.slice('sqlite:'.length));
  const { code, stdout, stderr } = await shiftfeed(['doctor'], { databaseUrl });
  if (code !== 0) throw new Error(`The doctor found: ${stdout}${stderr}`);
}

export function checkFile(path: string): void {
  const database = new DatabaseSync(path);
  try {
    const { integrity_check } = database.prepare('PRAGMA integrity_check').get() ?? {};
    if (integrity_check !== 'ok') throw new Error(`The database is corrupt: ${integrity_check}`);
    const dangling = database.prepare('PRAGMA foreign_key_check').all();
    if (dangling.length > 0) throw new Error(`${dangling.length} references lead nowhere.`);
  } finally {
    database.close();
  }
}
