/**
 * The listing of shifts, the one resource of the API. The route shows a whole request on one screen, with one typed
 * value per stage: who asks (access), for which page, in which encodings, then its rows (cut page) and its bytes
 * (answer).
 */

import type { Feed } from '../../feed/feed.ts';
import type { CutPage } from '../../feed/page.ts';
import type { Query } from '../../listing/filter.ts';
import { acceptedEncodings, type BodyCache, freshTag, matchesAny } from '../encoding/bodies.ts';
import type { Streams } from '../limits/streams.ts';
import type { RequestTurns } from '../limits/turns.ts';
import { addToRequestLog } from '../observe/request-log.ts';
import type { Answer, Exchange, HeaderList } from '../protocol/exchange.ts';
import type { Route } from '../protocol/routes.ts';
import { admit, type TokenLimiters } from './admission.ts';
import { parseQuery } from './query.ts';
import { answerPage, type Links, makeLinks, notModified } from './response.ts';
import { EVENT_STREAM, prefersStream, streamChanges } from './stream.ts';

export const PATH_IN_ACCOUNT = '/api/v1/shifts';

export interface ListingOptions extends TokenLimiters {
  readonly feed: Feed;
  readonly bodyCache: BodyCache;
  readonly turns: RequestTurns;
  readonly streams: Streams;
  /** The URL of the service for clients, for links. */
  readonly root: string;
  readonly logRequests: boolean;
}

export function listingRoute(options: ListingOptions): Route {
  const { feed, bodyCache, turns, root, logRequests } = options;

  function at(account: string, search: string) {
    /** Parsed once for each URL, and only for those who may read: others are not told what is wrong with it. */
    let asked: { readonly query: Query; readonly links: Links } | undefined;
    const parse = () => ({
      query: parseQuery(search),
      links: makeLinks(`${root}/${account}${PATH_IN_ACCOUNT}`, search),
    });

    return async (exchange: Exchange): Promise<Answer> => {
      const { headers } = exchange.request;
      const { accept, prefer, 'accept-encoding': accepted, 'if-none-match': ifNoneMatch } = headers;
      const timing = prefer === undefined ? undefined : startTiming(prefer);

      const access = await admit(feed, options, exchange, account);
      timing?.lap('open');
      if (logRequests) addToRequestLog(exchange, { token: access.tokenId });

      const turn = turns.goOn(access.tokenHash, exchange.response);
      if (turn !== undefined) await turn;
      asked ??= parse();
      if (accept !== undefined && EVENT_STREAM.test(accept) && prefersStream(accept))
        return streamChanges(exchange, options, access, account, asked.query);
      const encodings = acceptedEncodings(accepted as string | undefined);
      const page = access.snapshot.page(asked.query, access.nowMs);

      const fresh = ifNoneMatch && freshTag(ifNoneMatch, page.tags, encodings);
      if (fresh) {
        addDiagnostics(exchange.headers, access, timing);
        return notModified(fresh, page, access.nowMs);
      }

      const cut = feed.fromMemory(page) ?? (await feed.load(page, access));
      timing?.lap('list');

      const { etag, answer } = await answerPage(cut, access.nowMs, asked.links, encodings, bodyCache);
      timing?.lap('encode');

      addDiagnostics(exchange.headers, cut.staleMs === undefined ? access : cut, timing);
      // A 304 names the tag of the page, which depends on the encoding of the page.
      return ifNoneMatch && matchesAny(ifNoneMatch) ? notModified(etag, cut.page, access.nowMs) : answer;
    };
  }

  return { path: `/:account${PATH_IN_ACCOUNT}`, hasOptions: true, at };
}

/**
 * Adds how old the data is, if the database could not be asked, and how long each stage took, if the client wants to
 * know.
 */
function addDiagnostics(
  headers: HeaderList,
  { staleMs }: Pick<CutPage, 'staleMs'>,
  timing: Timing | undefined,
): void {
  if (staleMs !== undefined) headers.push('shiftfeed-stale', Math.ceil(staleMs / 1000));
  if (timing) headers.push('server-timing', timing.header());
}

/** The `Server-Timing` header says how long each stage took. Clients ask for it by `Prefer: server-timing`. */
interface Timing {
  /** Ends a stage, which began at the end of the previous one. */
  lap(stage: string): void;
  header(): string;
}

/** Returns undefined unless the client asks for it. */
function startTiming(prefer: string | string[]): Timing | undefined {
  if (!/(?:^|,) *server-timing *(?:[,;]|$)/i.test(String(prefer))) return undefined;
  const stages: string[] = [];
  let startedMs = performance.now();
  return {
    lap(stage) {
      const endedMs = performance.now();
      stages.push(`${stage};dur=${(endedMs - startedMs).toFixed(3)}`);
      startedMs = endedMs;
    },
    header: () => stages.join(', '),
  };
}
