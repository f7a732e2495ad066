/** `serve --demo`: an account to try Shiftfeed with, and a token for it. */

import { todayIn } from '@shiftfeed/common/zone';
import { DEMO_SLUG, DEMO_TIME_ZONE, demoDocument } from '../../demo/account.ts';
import { issueToken } from '../../feed/access/token.ts';
import { importDocument } from '../../import/import.ts';
import { StoreFailure } from '../../store/failure.ts';
import { DEFAULT_DATABASE_URL } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { Failure } from '../failure.ts';
import { lineToPaste } from '../help.ts';
import { needAccount, withStore } from '../options.ts';
import { print } from '../print.ts';

const TOKEN_DAYS = 30;
/** Each start revokes the earlier tokens with this label. */
const TOKEN_LABEL = 'serve --demo';

/** Adds the demo account. If the name is taken, that account stays as it is. */
export async function addDemoAccount(store: Store): Promise<void> {
  if ((await store.findAccount(DEMO_SLUG)) !== undefined) return;
  const document = demoDocument(todayIn(DEMO_TIME_ZONE, Date.now()));
  await importDocument(store, document, { replace: false, dryRun: false });
}

/**
 * Prints a request to try, and where a browser shows the same. This happens once the server listens, so that a failed
 * start makes no token. The server keeps running if it fails.
 */
export async function showDemo(
  databaseUrl: string,
  rootUrl: string,
  { hasPages, isTerminal }: { hasPages: boolean; isTerminal: boolean },
): Promise<void> {
  try {
    const token = await withStore(databaseUrl, { missing: 'fail' }, renewToken);
    const listing = `${rootUrl}/${DEMO_SLUG}/api/v1/shifts?per_page=3`;
    print(`Try it: curl -H 'Authorization: Bearer ${token}' '${listing}'`);
    // Browsers send no fragment, and the page removes it from the address at once.
    if (hasPages) print(`Explore it: ${rootUrl}/#account=${DEMO_SLUG}&token=${token}`);
    print(`Change it: ${lineToPaste('desk', DEMO_SLUG, ...databaseWords(databaseUrl))}`);
  } catch (error) {
    if (!(error instanceof Failure || error instanceof StoreFailure)) throw error;
    print(`There is no request to try. ${error.message}`);
  }
  // The lines on a terminal begin with where the docs are.
  if (hasPages && !isTerminal) print(`Read about it: ${rootUrl}/docs`);
}

/** An address of PostgreSQL may hold a password, so it is not repeated. */
function databaseWords(url: string): readonly string[] {
  return url === DEFAULT_DATABASE_URL || !url.startsWith('sqlite:') ? [] : ['--database', url];
}

/** Makes a token for the demo account and revokes the earlier ones. */
async function renewToken(store: Store): Promise<string> {
  const account = await needAccount(store, DEMO_SLUG);
  const tokens = await store.tokens(account.id);
  const nowMs = Date.now();
  const expiresAtMs = nowMs + TOKEN_DAYS * 24 * 3_600_000;
  const { text } = await issueToken(store, account, TOKEN_LABEL, expiresAtMs, nowMs);
  for (const { id, label, revokedAtMs } of tokens) {
    if (label === TOKEN_LABEL && revokedAtMs === null) await store.revokeToken(id, Date.now());
  }
  return text;
}
