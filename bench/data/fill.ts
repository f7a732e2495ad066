/** Fills a database of Shiftfeed with an account by Shiftfeed's own import, month by month. */

import { hashToken } from '../../src/feed/access/token.ts';
import { importDocument } from '../../src/import/import.ts';
import type { Day } from '../../src/listing/calendar.ts';
import { openStore } from '../../src/store/open.ts';
import type { Account } from './account.ts';
import { monthlyDocuments } from './shifts.ts';

export interface Filling {
  readonly shifts: number;
  /** Of the import alone, without making up the shifts. */
  readonly seconds: number;
}

export async function fillAccount(databaseUrl: string, account: Account, today: Day): Promise<Filling> {
  const store = await openStore(databaseUrl, { missing: 'create' });
  let shifts = 0;
  let milliseconds = 0;
  for (const document of monthlyDocuments(account, today)) {
    const started = performance.now();
    await importDocument(store, document, { replace: false, dryRun: false });
    milliseconds += performance.now() - started;
    shifts += document.shifts.length;
  }
  const saved = await store.findAccount(account.slug);
  if (saved === undefined) throw new Error(`The account ${account.slug} was not imported.`);
  await store.addToken({
    accountId: saved.id,
    hash: hashToken(account.token),
    label: 'benchmark',
    createdAtMs: 0,
    expiresAtMs: null,
  });
  await store.close();
  return { shifts, seconds: milliseconds / 1000 };
}
