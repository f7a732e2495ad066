/**
 * Finds out whether a database lies on the disk of another machine. Processes that use SQLite's write-ahead log share
 * memory and locks, which network file systems do not offer.
 */

import { statfsSync } from 'node:fs';

/** Linux tells them by these numbers. FUSE is left out: it may also be a disk of this machine. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
]);

/** The name of the network file system that a file is on; undefined if it is on none that we know of. */
export function networkFileSystemOf(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return NETWORK_FILE_SYSTEMS.get(statfsSync(path).type);
  } catch {
    // Whoever opens the file finds out what is wrong with it.
    return undefined;
  }
}
