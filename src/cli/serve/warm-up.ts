/**
 * Prepares a server for its first request, while nobody waits for it:
 *
 * - connects to the database;
 * - has the thread that loads run what a load runs;
 * - asks itself for a listing, with a token that does not exist, so that the code for it is compiled;
 * - looks at the date, for which V8 sets up its calendars;
 * - collects the garbage of the start, which would otherwise be collected in the middle of the first request.
 */

import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Feed } from '../../feed/feed.ts';
import type { Loader } from '../../feed/loading/loader.ts';
import { todayIn } from '../../feed/pages/today.ts';

/** Those who waited for the server to start are answered by then. */
const AFTER_MS = 250;
const TIMEOUT_MS = 1_000;

export interface WarmUpOptions {
  readonly feed: Pick<Feed, 'checkHealth'>;
  readonly loader: Pick<Loader, 'warmUp'>;
  /** null: it is not asked. */
  readonly listing: ListingAddress | null;
}

export interface ListingAddress extends Pick<AddressInfo, 'address' | 'port'> {
  readonly path: string;
}

/** Returns a function that stops it before it begins. */
export function warmUpSoon(options: WarmUpOptions): () => void {
  // What fails here fails again for the first request, which then tells why.
  const timeout = setTimeout(() => void warmUp(options).catch(() => undefined), AFTER_MS);
  return () => clearTimeout(timeout);
}

async function warmUp({ feed, loader, listing }: WarmUpOptions): Promise<void> {
  await feed.checkHealth();
  await loader.warmUp();
  if (listing !== null) await ask(listing);
  // Any time zone but UTC, which has no rules.
  todayIn('Europe/Amsterdam', Date.now());
  collectGarbage();
}

/** Without Node's client, which shares code with its server: that would have to serve two purposes, and be slower. */
async function ask({ address, port, path }: ListingAddress): Promise<void> {
  const socket = connect(port, address);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
  const headers = ['Host: localhost', 'Authorization: Bearer none', 'Connection: close'];
  socket.write(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  await once(socket.resume(), 'close');
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect();
}
