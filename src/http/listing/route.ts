/**
 * The one resource. Its route is the whole of a request in one place: who asks, what for, whether they have it
 * already, the page, and the bytes.
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Access, Feed } from '../../feed/feed.ts';
import { matchingTag, namesAny } from '../conditional.ts';
import type { Bodies } from '../encoding/body-cache.ts';
import { acceptedEncodings } from '../encoding/compression.ts';
import { PROBLEMS, sendProblem } from '../errors.ts';
import type { Unsent } from '../limits/unsent.ts';
import { noteRequest } from '../observe/request-log.ts';
import { startTiming, type Timing } from '../observe/server-timing.ts';
import { pathOf, splitUrl } from '../url.ts';
import { admit, type Limits } from './admission.ts';
import { linkHeader } from './links.ts';
import { parseQuery } from './parameters.ts';
import { encodeListing, entityTags, type ListedState, notModified, sendEncoded } from './response.ts';

const TAIL = 'api/v1/shifts';

export interface ListingOptions {
  readonly feed: Feed;
  readonly bodies: Bodies;
  readonly limits: Limits;
  readonly unsent: Unsent;
  readonly pathPrefix: string;
  readonly baseUrl: string | undefined;
  readonly logsRequests: boolean;
}

export function routeListing(app: FastifyInstance, options: ListingOptions): void {
  const { feed, bodies, limits, unsent, pathPrefix, baseUrl, logsRequests } = options;
  const path = `${pathPrefix}/:account/${TAIL}`;
  const root = baseUrl ?? pathPrefix;

  // Answered before a route is run, like every request that needs no look at its body.
  app.options(path, () => undefined);

  app.get<{ Params: { account: string } }>(path, async (request, reply) => {
    const { prefer, 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = request.headers;
    const timing = startTiming(prefer);
    const access = await admit(feed, limits, request, reply);
    timing?.lap('open');
    if (logsRequests) noteRequest(request, { token: access.tokenId });

    const { search } = splitUrl(request.url);
    const query = parseQuery(search);
    const encodings = acceptedEncodings(acceptEncoding);
    if (encodings.length === 0) return sendProblem(reply, PROBLEMS.notAcceptable);

    const known =
      ifNoneMatch && matchingTag(ifNoneMatch, entityTags(feed.entityTag(access, query), encodings));
    if (known) {
      annotate(reply, access, timing);
      return sendEncoded(request, reply, notModified(known, stateOf(access)), unsent);
    }

    const listing = await feed.list(access, query);
    timing?.lap('list');

    const link = linkHeader(`${root}/${access.snapshot.account.slug}/${TAIL}`, search, listing.layout);
    const encoded = await encodeListing(listing, link, encodings, bodies);
    timing?.lap('encode');

    annotate(reply, access, timing);
    // Which tag the page has is known only now.
    if (namesAny(ifNoneMatch)) {
      const { etag } = encoded.headers;
      return sendEncoded(request, reply, notModified(etag as string, listing), unsent);
    }
    return sendEncoded(request, reply, encoded, unsent);
  });
}

function stateOf({ snapshot }: Access): ListedState {
  return { revision: snapshot.revision, timeZone: snapshot.account.timeZone };
}

/** How old the answer is, when it was made without the database, and how long it took, if that was asked. */
function annotate(reply: FastifyReply, { staleMs }: Access, timing: Timing | undefined): void {
  if (staleMs !== undefined) reply.header('shiftfeed-stale', Math.ceil(staleMs / 1000));
  if (timing) reply.header('server-timing', timing.header());
}

/** Whether a URL is that of the listing, for methods that have no route. */
export function isListing(url: string, pathPrefix: string): boolean {
  const segments = pathOf(url).split('/').map(decodeURIComponent);
  const prefix = segments.splice(0, pathPrefix.split('/').length).join('/');
  const [account, ...tail] = segments;
  return prefix === pathPrefix && account !== '' && tail.join('/') === TAIL;
}
