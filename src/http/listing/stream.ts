/** The stream of a listing: an event with the tag of the listing, whenever that is another one. */

import { acceptedIn } from '@shiftfeed/common/accept';
import type { Access } from '../../feed/access/freshness.ts';
import type { Feed } from '../../feed/feed.ts';
import type { Watcher } from '../../feed/watching.ts';
import type { Query } from '../../listing/filter.ts';
import type { Stream, Streams } from '../limits/streams.ts';
import type { Answer, Exchange, HeaderList } from '../protocol/exchange.ts';
import { MAX_STREAMS_OF_TOKEN, PROBLEMS } from '../protocol/problems.ts';

const HEADERS: Readonly<HeaderList> = [
  ...['content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-store'],
  // nginx would hold events back.
  ...['x-accel-buffering', 'no', 'vary', 'Accept, Authorization, Origin'],
];

export const EVENT_STREAM = /text\/event-stream/i;

/** Whoever accepts both equally well gets a page, as from a server without streams. */
export function prefersStream(accept: string): boolean {
  const weights = new Map(acceptedIn(accept).map(({ name, weight }) => [name.toLowerCase(), weight]));
  const weightOf = (...names: readonly string[]) =>
    weights.get(names.find((name) => weights.has(name)) ?? '') ?? 0;
  return weightOf('text/event-stream') > weightOf('application/json', 'application/*', '*/*');
}

export function streamChanges(
  exchange: Exchange,
  { feed, streams }: { readonly feed: Feed; readonly streams: Streams },
  access: Access,
  account: string,
  query: Query,
): Answer {
  const known = exchange.request.headers['last-event-id'];
  const quota = {
    holder: access.tokenHash,
    max: MAX_STREAMS_OF_TOKEN,
    problem: PROBLEMS.tooManyStreamsOfToken,
  };
  return streams.open(exchange, HEADERS, [quota], (stream) =>
    feed.watch(access, account, watcherOf(query, stream, known)),
  );
}

/** Made apart, so that a stream does not keep the account in memory as it was when the stream was opened. */
function watcherOf(query: Query, stream: Stream, first: string | string[] | undefined): Watcher {
  let known = first;
  return {
    query,
    tell({ listingTag: listing, of: { revision } }) {
      const data = JSON.stringify({ listing, revision });
      const isTold = listing === known || stream.say(`event: listing\nid: ${listing}\ndata: ${data}\n\n`);
      if (isTold) known = listing;
      return isTold;
    },
    end: stream.end,
  };
}
