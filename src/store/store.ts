/**
 * The contract between Shiftfeed and its databases. It has a part for each of its users: the import writes, the command
 * line administers; what a server needs is in feed-store.ts and server-store.ts. The comments in these parts are the
 * contract, and one shared suite checks both implementations.
 */

import { accountStore } from './admin/accounts.ts';
import { deskStore } from './admin/desk.ts';
import { doctorStore, type OwnChecks } from './admin/doctor.ts';
import { exportStore } from './admin/export.ts';
import { historyStore } from './admin/history.ts';
import { recordStore } from './admin/records.ts';
import { tokenStore } from './admin/tokens.ts';
import type { Database } from './database.ts';
import type { PoolCounts } from './feed-store.ts';
import type { ImportStore } from './staging/stage.ts';

/** What commands need. */
export type Store = ImportStore &
  ReturnType<typeof adminStore> & {
    /** Left out for a database without a pool. */
    readonly poolCounts?: () => PoolCounts;
    close(): Promise<void>;
  };

/** What the command line needs. Its statements are the same on both databases. */
export function adminStore(database: Database, checks: OwnChecks) {
  return {
    ...accountStore(database),
    ...recordStore(database),
    ...tokenStore(database),
    ...exportStore(database),
    ...historyStore(database),
    ...deskStore(database),
    ...doctorStore(database, checks),
  };
}
