/** Those who read: each request goes the way of a real one through the feed, and what comes back is judged. */

import type { Feed } from '../../src/feed/feed.ts';
import type { CutPage, Page } from '../../src/feed/page.ts';
import { Refusal } from '../../src/feed/refusal.ts';
import { parseQuery } from '../../src/http/listing/query.ts';
import type { Query } from '../../src/listing/filter.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import { type OracleQuery, toSearch } from '../../test/listing/oracle.ts';
import type { Database } from './database.ts';
import type { FakeLoader } from './fake-store.ts';
import type { Asked, Judge } from './judge.ts';
import type { Scheduler } from './scheduler.ts';

export interface Request {
  readonly token: { readonly text: string; readonly hash: string } | undefined;
  readonly slug: string;
  readonly query: OracleQuery;
  readonly kind: 'list' | 'state';
}

export type Client = ReturnType<typeof makeClient>;

interface ClientOptions {
  readonly feed: Feed;
  readonly judge: Judge;
  readonly scheduler: Scheduler;
  readonly database: Database;
  readonly loader: FakeLoader;
  readonly cacheBudgetBytes: number;
  readonly trace: (text: string) => void;
}

/** Who listens, with the tag that they were told last. */
interface Stream {
  readonly request: Request;
  tag: string | undefined;
  leave: () => void;
}

export function makeClient(options: ClientOptions) {
  const { judge, scheduler, database, trace } = options;
  const open = new Map<number, Asked>();
  const counts = { answers: 0, refusals: 0, unavailable: 0, told: 0 };
  const streams = new Set<Stream>();
  let late: string[] = [];
  let { feed } = options;
  let broken: unknown;
  let lastNumber = 0;
  let lastFailure: unknown;

  async function answer(number: number, request: Request, asked: Asked, of: Feed): Promise<void> {
    try {
      const access = await of.open(request.token?.hash, request.slug);
      const { id: accountId } = access.snapshot.account;
      const granted = { atMs: scheduler.nowMs(), accountId, staleMs: access.staleMs };
      const page = access.snapshot.page(queryOf(request.query), access.nowMs);
      if (request.kind === 'state') return judge.state(asked, granted, page);
      const cut = of.fromMemory(page) ?? (await of.load(page, access));
      // What a process says that was ended, nobody hears.
      if (!open.has(number)) return;
      trace(`answer  ${number} revision ${cut.page.of.revision} ${access.staleMs ?? ''}`);
      judge.listing(asked, { ...granted, pageStaleMs: cut.staleMs }, cut.page, bodyOf(cut));
      checkMemory(of, options);
      counts.answers++;
    } catch (error) {
      if (!open.has(number)) return;
      if (error instanceof Refusal) counts.refusals++;
      if (error instanceof StoreFailure) counts.unavailable++;
      trace(`error   ${number} ${error}`.split('\n', 1)[0] as string);
      if (!(error instanceof Refusal)) lastFailure = error;
      judge.error(asked, error);
    }
  }

  /** Only states that were there are told. */
  function hear(request: Request, { of, listingTag }: Page): void {
    trace(`told    ${request.slug} ${searchOf(request.query)} revision ${of.revision} ${listingTag}`);
    const wasThere = database.states.some(({ accounts }) =>
      accounts.some(({ account, revision }) => account.id === of.account.id && revision === of.revision),
    );
    if (!wasThere) broken ??= new Error(`A stream was told revision ${of.revision}, which never was.`);
    counts.told++;
    ask({ ...request, kind: 'list' });
  }

  async function listen(request: Request, of: Feed): Promise<void> {
    const access = await of.open(request.token?.hash, request.slug);
    if (of !== feed) return;
    const stream: Stream = { request, tag: undefined, leave: () => undefined };
    stream.leave = of.watch(access, request.slug, {
      query: queryOf(request.query),
      tell(page) {
        if (stream.tag !== page.listingTag) hear(request, page);
        stream.tag = page.listingTag;
        return true;
      },
      end() {
        streams.delete(stream);
        stream.leave();
      },
    });
    streams.add(stream);
  }

  async function check({ request, tag }: Stream): Promise<void> {
    const now = await feed
      .open(request.token?.hash, request.slug)
      .then(({ snapshot, nowMs }) => snapshot.page(queryOf(request.query), nowMs).listingTag)
      .catch(String);
    if (now !== tag) late.push(`A stream of ${request.slug} was told ${tag}, and its listing has ${now}.`);
  }

  function ask(request: Request): void {
    const number = ++lastNumber;
    const { slug, query, token } = request;
    trace(`ask     ${number} ${request.kind} ${slug} as ${token?.text} ${searchOf(query)}`);
    const asked = {
      slug,
      query,
      tokenHash: token?.hash,
      moment: database.moments.length - 1,
      step: scheduler.step(),
      askedMs: scheduler.nowMs(),
      shown: judge.shown(),
    };
    open.set(number, asked);
    lastFailure = undefined;
    answer(number, request, asked, feed)
      .catch((error: unknown) => {
        if (open.has(number)) broken ??= new Error(`Request ${number}: ${error}`, { cause: error });
      })
      .finally(() => open.delete(number));
  }

  return {
    ask,
    /** Listens to the stream of the listing, and asks for it whenever that tells something. */
    listen: (request: Request) => void listen(request, feed).catch(() => undefined),
    /** Asks whether each stream was told the tag that its listing has now, or has ended if it is refused now. */
    checkStreams(): void {
      late = [];
      for (const stream of streams) {
        const number = ++lastNumber;
        open.set(number, {} as Asked);
        void check(stream).finally(() => open.delete(number));
      }
    },
    /** Those that were told something else, when they were last checked. */
    lateStreams: (): readonly string[] => late,
    /** Another process takes over. Nobody waits for answers of the one before. */
    restart(next: Feed): void {
      feed = next;
      open.clear();
      for (const { leave } of streams) leave();
      streams.clear();
      judge.forget();
    },
    hasOpen: () => open.size > 0,
    /** Throws what is wrong with an answer, if something is. */
    throwBroken(): void {
      if (broken !== undefined) throw broken;
    },
    /** Throws if one of the latest requests was answered with a failure of the database. */
    expectNoFailure(): void {
      if (lastFailure !== undefined) throw new Error(`The database is well, and yet: ${lastFailure}`);
    },
    counts: () => counts,
  };
}

const parsed = new WeakMap<OracleQuery, { readonly search: string; readonly query: Query }>();

/** A history asks the same few queries again and again. As in the route, the same URL is the same query. */
function parsedOf(query: OracleQuery) {
  const known = parsed.get(query);
  if (known !== undefined) return known;
  const search = toSearch(query);
  const made = { search, query: parseQuery(search) };
  parsed.set(query, made);
  return made;
}

function searchOf(query: OracleQuery): string {
  return parsedOf(query).search;
}

function queryOf(query: OracleQuery): Query {
  return parsedOf(query).query;
}

/** As http/listing/response.ts puts it together. */
function bodyOf({ layout, slices }: CutPage): string {
  const { total, page, perPage, totalPages } = layout;
  const meta = JSON.stringify({ total, page, per_page: perPage, total_pages: totalPages });
  return `{"shifts":[${Buffer.concat(slices())}],"meta":${meta}}`;
}

/** The memory of cached months is counted here by itself. */
function checkMemory(feed: Feed, { loader, cacheBudgetBytes }: ClientOptions): void {
  const bytes = loader.buffers.filter(feed.isCached).reduce((sum, { byteLength }) => sum + byteLength, 0);
  const counted = feed.counts().cachedBytes;
  if (bytes > counted) throw new Error(`${bytes} bytes are cached, and ${counted} counted.`);
  if (counted > cacheBudgetBytes) throw new Error(`${counted} bytes are cached, of ${cacheBudgetBytes}.`);
}
