/**
 * The whole service in this process: a real database and a real port, with a clock that the test sets.
 */

import { promisify } from 'node:util';
import { pino } from 'pino';
import { type FeedCounts, makeFeed } from '../../src/feed/feed.ts';
import { loadPages } from '../../src/feed/loading/load-pages.ts';
import { type Loader, startLoader } from '../../src/feed/loading/loader.ts';
import type { ListingBody } from '../../src/http/listing/response.ts';
import { type ServiceOptions as AppOptions, makeService } from '../../src/http/service.ts';
import { type ImportSummary, importDocument } from '../../src/import/import.ts';
import { makeScratch } from '../../src/listing/build-month.ts';
import { listen } from '../../src/server/listening.ts';
import { NO_CONNECTIONS } from '../../src/store/feed-store.ts';
import { openReader, openStore, type ReaderOptions } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Cleanup, type DatabaseKind, newStoreUrl } from './database.ts';
import { assertDescribed } from './description.ts';
import { addToken } from './filled-database.ts';
import { ANY_PORT } from './server-options.ts';
import { LIMIT_MS } from './until.ts';

export interface Service {
  readonly url: string;
  readonly databaseUrl: string;
  readonly store: Store;
  /** Milliseconds since 1970; a test may move it. */
  nowMs: number;
  /** Imports a document as `shiftfeed import` does. */
  import(document: unknown, options?: { replace?: boolean }): Promise<ImportSummary>;
  /** A live token of the account. */
  token(slug: string, expiresAtMs?: number): Promise<string>;
  /** Requests any path. The response is held to the description of the API. */
  fetch(target: string, init?: RequestInit): Promise<Response>;
  /** Requests the listing in the same way. `query` starts with a question mark or is empty. */
  get(slug: string, query: string, token?: string, init?: RequestInit): Promise<Response>;
  /** The parsed body of a successful listing. */
  list(slug: string, query: string, token: string): Promise<ListingBody>;
  counts(): FeedCounts;
  /** As before it stops. */
  drain(): void;
  /** How many streams are open. */
  streams(): number;
  /** How many connections are open. */
  connections(): Promise<number>;
}

export interface ServiceOptions {
  /** An instant such as 2026-11-15T12:00:00Z. */
  readonly now: string;
  readonly database?: DatabaseKind;
  /** A database that is there already, because another service uses it, too. */
  readonly databaseUrl?: string;
  /** How the service reaches the database, if not directly. */
  readonly through?: (databaseUrl: string) => Promise<string>;
  readonly cacheBudgetBytes?: number;
  readonly staleIfErrorMs?: number;
  readonly eagerRows?: number;
  /** Waits no longer for the database than a real server does, which may be too short on a busy machine. */
  readonly impatient?: boolean;
  /** Loads in a thread, as a real service does. */
  readonly hasThread?: boolean;
  readonly app?: Partial<AppOptions>;
}

/** Puts the clock of a service that tests share back when the test ends, however it ends. */
export function putClockBack(context: Cleanup, service: Service): void {
  const { nowMs } = service;
  context.after(() => {
    service.nowMs = nowMs;
  });
}

export async function startService(context: Cleanup, options: ServiceOptions): Promise<Service> {
  const { now, database = 'sqlite', cacheBudgetBytes = 64 * 1024 * 1024, staleIfErrorMs = 0 } = options;
  const databaseUrl = options.databaseUrl ?? (await newStoreUrl(context, database));
  const store = await openStore(databaseUrl, { missing: 'create' });
  const readUrl = (await options.through?.(databaseUrl)) ?? databaseUrl;
  const waits = options.impatient ? {} : { waitMs: LIMIT_MS };
  const reader = await openReader(readUrl, waits);
  const loader = options.hasThread ? startLoader(readUrl, waits) : loadHere(readUrl, waits);
  const clock = () => service.nowMs;
  const feed = makeFeed({
    store: reader,
    loader,
    clock,
    cacheBudgetBytes,
    staleIfErrorMs,
    ...(options.impatient ? {} : { freshnessDeadlineMs: LIMIT_MS }),
    ...(options.eagerRows === undefined ? {} : { eagerRows: options.eagerRows }),
  });
  const app = makeService({
    feed,
    clock,
    logger: pino({ level: 'silent' }),
    bodyCacheBytes: 1_000_000,
    ...options.app,
  });
  const { url } = await listen(app.server, ANY_PORT);
  context.after(async () => {
    app.server.closeAllConnections();
    await app.close();
    await loader.close();
    await reader.close();
    await store.close();
  });

  const service: Service = {
    url,
    databaseUrl,
    store,
    nowMs: Temporal.Instant.from(now).epochMilliseconds,
    import: (document, { replace = false } = {}) =>
      importDocument(store, document, { replace, dryRun: false }),
    token: async (slug, expiresAtMs) => (await addToken(store, slug, expiresAtMs)).token,
    async fetch(target, init = {}) {
      const response = await fetch(service.url + target, init);
      const { status, statusText, headers } = response;
      const body = await response.text();
      assertDescribed({ method: init.method ?? 'GET', target, status, headers, body });
      return new Response(body === '' ? null : body, { status, statusText, headers });
    },
    get(slug, query, token, init = {}) {
      // Compression is tested on its own; fetch would ask for it, and unpack it, by itself.
      const headers = new Headers({
        'accept-encoding': 'identity',
        ...(init.headers as Record<string, string>),
      });
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      return service.fetch(`/${slug}/api/v1/shifts${query}`, { ...init, headers });
    },
    async list(slug, query, token) {
      const response = await service.get(slug, query, token);
      const body = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${body}`);
      return JSON.parse(body);
    },
    counts: feed.counts,
    drain: app.drain,
    streams: () => app.counts().streams,
    connections: () => promisify(app.server.getConnections.bind(app.server))(),
  };
  return service;
}

/** What a thread does that loads, without the thread: to start one takes longer than most tests. */
function loadHere(databaseUrl: string, options: ReaderOptions): Loader {
  const scratch = makeScratch();
  const opening = openReader(databaseUrl, options);
  return {
    ready: async () => void (await opening),
    load: async (request) => loadPages(await opening, request, scratch),
    poolCounts: async () => (await opening).poolCounts?.() ?? NO_CONNECTIONS,
    close: async () => (await opening).close(),
  };
}
