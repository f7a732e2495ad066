/**
 * The listing of shifts, the one resource of the API. The route is a whole request on one screen, one typed value a
 * stage: who asks (access), for what (query), in which encodings, then the page (listing) and its bytes (response).
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Access, Feed } from '../../feed/feed.ts';
import type { BodyCache } from '../encoding/body-cache.ts';
import { acceptedEncodings } from '../encoding/compression.ts';
import { entityTags, matchesAny, matchingTag } from '../encoding/conditional.ts';
import type { UnsentResponses } from '../limits/unsent.ts';
import { addToRequestLog } from '../observe/request-log.ts';
import { startTiming, type Timing } from '../observe/server-timing.ts';
import { pathOf, splitUrl } from '../protocol/url.ts';
import { admit, type TokenLimiters } from './admission.ts';
import { parseQuery } from './query.ts';
import { encodeListing, type ListingResponse, linkHeader, notModified, sendResponse } from './response.ts';

const PATH_IN_ACCOUNT = 'api/v1/shifts';

export interface ListingOptions {
  readonly feed: Feed;
  readonly bodyCache: BodyCache;
  readonly limiters: TokenLimiters;
  readonly unsent: UnsentResponses;
  readonly pathPrefix: string;
  readonly baseUrl: string | undefined;
  readonly logRequests: boolean;
}

export function serveListing(app: FastifyInstance, options: ListingOptions): void {
  const { feed, bodyCache, limiters, unsent, pathPrefix, baseUrl, logRequests } = options;
  const route = `${pathPrefix}/:account/${PATH_IN_ACCOUNT}`;
  const root = baseUrl ?? pathPrefix;

  // The router has to know the method; a hook answers it before any route runs.
  app.options(route, () => undefined);

  app.get<{ Params: { account: string } }>(route, async (request, reply) => {
    const { prefer, 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = request.headers;
    const timing = prefer === undefined ? undefined : startTiming(prefer);
    const send = (response: ListingResponse): FastifyReply => {
      addDiagnostics(reply, access, timing);
      return sendResponse(request, reply, response, unsent);
    };

    const access = await admit(feed, limiters, request, reply);
    timing?.lap('open');
    if (logRequests) addToRequestLog(request, { token: access.tokenId });

    const { search } = splitUrl(request.url);
    const query = parseQuery(search);
    const encodings = acceptedEncodings(acceptEncoding);

    if (ifNoneMatch !== undefined) {
      const state = feed.state(access, query);
      const freshTag = matchingTag(ifNoneMatch, entityTags(state.entityTag, encodings));
      if (freshTag !== undefined) return send(notModified(freshTag, state));
    }

    const listing = await feed.list(access, query);
    timing?.lap('list');

    const path = `${root}/${access.snapshot.account.slug}/${PATH_IN_ACCOUNT}`;
    const link = linkHeader(path, search, listing.layout);
    const response = await encodeListing(listing, link, encodings, bodyCache);
    timing?.lap('encode');

    // A 304 names the tag of the page, which depends on the encoding that the page got.
    return send(matchesAny(ifNoneMatch) ? notModified(response.headers.etag, listing) : response);
  });
}

/**
 * Says how old the data is, if the database could not be asked, and how long each stage took, if the client wants to
 * know.
 */
function addDiagnostics(reply: FastifyReply, { staleMs }: Access, timing: Timing | undefined): void {
  if (staleMs !== undefined) reply.header('shiftfeed-stale', Math.ceil(staleMs / 1000));
  if (timing) reply.header('server-timing', timing.header());
}

/** Whether a URL is that of a listing. For methods that have no route. */
export function isListingUrl(url: string, pathPrefix: string): boolean {
  const segments = pathOf(url).split('/').map(decodeURIComponent);
  const prefix = segments.splice(0, pathPrefix.split('/').length).join('/');
  const [account, ...rest] = segments;
  return prefix === pathPrefix && account !== '' && rest.join('/') === PATH_IN_ACCOUNT;
}
