/**
 * Prepares a server for its first request, while nobody waits for it:
 *
 * - connects to the database;
 * - has the thread that loads run what a load runs;
 * - asks itself for a listing, with a token that does not exist, so that the code up to there is compiled;
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
import { PATH_IN_ACCOUNT } from '../../http/listing/route.ts';
import type { ServiceOptions } from '../../http/service.ts';

/** Those who waited for the server to start are answered by then. */
const AFTER_MS = 250;
const TIMEOUT_MS = 1_000;

export interface WarmUpOptions {
  readonly feed: Pick<Feed, 'checkHealth'>;
  readonly loader: Pick<Loader, 'warmUp'>;
  /** null: it is not asked. */
  readonly listing: ListingAddress | null;
}

interface ListingAddress extends Pick<AddressInfo, 'address' | 'port'> {
  readonly path: string;
}

/** Where the server can ask itself for a listing, unless that would be counted, logged or limited. */
export function unobservedListing(
  { address, port }: Pick<AddressInfo, 'address' | 'port'>,
  {
    metrics,
    logRequests = false,
    failedTokenLimit,
    pathPrefix = '',
  }: Pick<ServiceOptions, 'metrics' | 'logRequests' | 'failedTokenLimit' | 'pathPrefix'>,
): ListingAddress | null {
  const isObserved = metrics !== undefined || logRequests || failedTokenLimit !== undefined;
  return isObserved ? null : { address, port, path: `${pathPrefix}/-${PATH_IN_ACCOUNT}` };
}

/** Returns a function that stops it. */
export function warmUpSoon(options: WarmUpOptions): () => void {
  const stopping = new AbortController();
  // What fails here fails again for the first request, which then tells why.
  const timeout = setTimeout(() => void warmUp(options, stopping.signal).catch(() => undefined), AFTER_MS);
  return () => {
    clearTimeout(timeout);
    stopping.abort();
  };
}

async function warmUp({ feed, loader, listing }: WarmUpOptions, stopping: AbortSignal): Promise<void> {
  // Not waited for, because its thread has a low priority.
  loader.warmUp().catch(() => undefined);
  const isConnected = await feed.checkHealth().then(
    () => true,
    () => false,
  );
  if (isConnected && listing !== null && !stopping.aborted) await ask(listing).catch(() => undefined);
  if (stopping.aborted) return;
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
