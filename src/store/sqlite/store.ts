/** The embedded database as a command uses it: one connection, for as long as the command runs. */

import type { Store } from '../store.ts';
import { accountStore } from './accounts.ts';
import { connect } from './connection.ts';
import { doctorStore } from './doctor.ts';
import { explain, explainErrors } from './explain.ts';
import { exportStore } from './export.ts';
import { feedStore } from './feed.ts';
import { historyOf } from './follow.ts';
import { importStore } from './import.ts';
import { checkSchema, migrate } from './migrate.ts';
import { recordStore } from './records.ts';
import { tokenStore } from './tokens.ts';

/** For a command. `inspect` changes nothing: neither the file nor its schema. */
export async function openSqlite(path: string, mode: 'create' | 'existing' | 'inspect'): Promise<Store> {
  const database = connect(path, mode === 'create' ? 'create' : 'existing');
  const explaining = <Part extends object>(part: Part): Part => explainErrors(path, part);
  try {
    if (mode === 'inspect') {
      checkSchema(database, path);
      database.exec('PRAGMA query_only = ON');
    } else {
      await migrate(database, path);
    }
    return {
      mayLag: false,
      ...explaining(feedStore(database, { history: historyOf(path), isReader: false })),
      ...explaining(importStore(database, path)),
      ...explaining(accountStore(database, path)),
      ...explaining(recordStore(database, path)),
      ...explaining(tokenStore(database, path)),
      ...explaining(exportStore(database)),
      ...explaining(doctorStore(database)),
    };
  } catch (error) {
    database.close();
    throw explain(path, error);
  }
}
