/** The embedded database as a command uses it: one connection, for as long as the command runs. */

import type { MigrationListener } from '../schema-version.ts';
import { adminStore, type Store } from '../store.ts';
import { connect } from './connection.ts';
import { databaseOn } from './database.ts';
import { explain, explainErrors } from './explain.ts';
import { importStore } from './import.ts';
import { checkSchema, migrate, SQLITE_CHECKS } from './schema.ts';

/** For a command. `inspect` changes nothing: neither the file nor its schema. */
export async function openSqlite(
  path: string,
  mode: 'create' | 'existing' | 'inspect',
  listener: MigrationListener = {},
): Promise<Store> {
  const database = connect(path, mode === 'create' ? 'create' : 'existing');
  try {
    if (mode === 'inspect') {
      checkSchema(database, path, 'write');
      database.exec('PRAGMA query_only = ON');
    } else {
      await migrate(database, path, listener);
    }
    return {
      ...explainErrors(path, importStore(database, path)),
      ...adminStore(databaseOn(database, path), SQLITE_CHECKS),
      close: async () => database.close(),
    };
  } catch (error) {
    database.close();
    throw explain(path, error);
  }
}
