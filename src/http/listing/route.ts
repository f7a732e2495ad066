/**
 * The listing of shifts, the one resource of the API. The route shows a whole request on one screen, with one typed
 * value per stage: who asks (access), for what (query), in which encodings, then the page (listing) and its bytes
 * (answer).
 */

import type { Access, Feed } from '../../feed/feed.ts';
import type { BodyCache } from '../encoding/body-cache.ts';
import { acceptedEncodings } from '../encoding/compression.ts';
import { entityTags, matchesAny, matchingTag } from '../encoding/conditional.ts';
import type { RequestTurns } from '../limits/turns.ts';
import { addToRequestLog } from '../observe/request-log.ts';
import { startTiming, type Timing } from '../observe/server-timing.ts';
import type { Answer, HeaderList } from '../protocol/exchange.ts';
import type { Route } from '../protocol/routes.ts';
import { admit, type TokenLimiters } from './admission.ts';
import { parseQuery } from './query.ts';
import { answerListing, linkHeader, notModified } from './response.ts';

export const PATH_IN_ACCOUNT = '/api/v1/shifts';

export interface ListingOptions extends TokenLimiters {
  readonly feed: Feed;
  readonly bodyCache: BodyCache;
  readonly turns: RequestTurns;
  /** The URL of the service for clients, for links. */
  readonly root: string;
  readonly logRequests: boolean;
}

export function listingRoute(options: ListingOptions): Route {
  const { feed, bodyCache, turns, root, logRequests } = options;
  return {
    path: `/:account${PATH_IN_ACCOUNT}`,
    hasOptions: true,
    at:
      (account, search) =>
      async (exchange): Promise<Answer> => {
        const {
          prefer,
          'accept-encoding': acceptEncoding,
          'if-none-match': ifNoneMatch,
        } = exchange.request.headers;
        const timing = prefer === undefined ? undefined : startTiming(prefer);

        const access = await admit(feed, options, exchange, account);
        timing?.lap('open');
        if (logRequests) addToRequestLog(exchange, { token: access.tokenId });

        const turn = turns.goOn(access.tokenHash, exchange.response);
        if (turn !== undefined) await turn;
        const query = parseQuery(search);
        const encodings = acceptedEncodings(acceptEncoding as string | undefined);

        if (ifNoneMatch !== undefined) {
          const state = feed.state(access, query);
          const freshTag = matchingTag(ifNoneMatch, entityTags(state.entityTag, encodings));
          if (freshTag !== undefined) {
            addDiagnostics(exchange.headers, access, timing);
            return notModified(freshTag, state);
          }
        }

        const listing = await feed.list(access, query);
        timing?.lap('list');

        const path = `${root}/${access.snapshot.account.slug}${PATH_IN_ACCOUNT}`;
        const link = linkHeader(path, search, listing.layout);
        const { etag, answer } = await answerListing(listing, link, encodings, bodyCache);
        timing?.lap('encode');

        addDiagnostics(exchange.headers, access, timing);
        // A 304 names the tag of the page, which depends on the encoding of the page.
        return matchesAny(ifNoneMatch) ? notModified(etag, listing) : answer;
      },
  };
}

/**
 * Adds how old the data is, if the database could not be asked, and how long each stage took, if the client wants to
 * know.
 */
function addDiagnostics(headers: HeaderList, { staleMs }: Access, timing: Timing | undefined): void {
  if (staleMs !== undefined) headers.push('shiftfeed-stale', Math.ceil(staleMs / 1000));
  if (timing) headers.push('server-timing', timing.header());
}
