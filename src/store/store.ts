/**
 * The contract between Shiftfeed and its databases. It has a part for each of its users: the feed reads, the import
 * writes, the command line administers. The comments in these parts are the contract, and one shared suite checks both
 * implementations.
 */

import type { AccountStore } from './account-store.ts';
import type { DoctorStore } from './doctor-store.ts';
import type { ExportStore } from './export-store.ts';
import type { FeedStore } from './feed-store.ts';
import type { ImportStore } from './import-store.ts';
import type { RecordStore } from './record-store.ts';
import type { TokenStore } from './token-store.ts';

export type Store = FeedStore &
  ImportStore &
  AccountStore &
  RecordStore &
  TokenStore &
  ExportStore &
  DoctorStore & { close(): Promise<void> };
