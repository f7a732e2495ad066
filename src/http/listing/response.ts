/** A listing as an HTTP response: its status, its headers and the chunks of its body. */

import type { OutgoingHttpHeaders } from 'node:http';
import type { Listing, ListingState } from '../../feed/feed.ts';
import { entityTag } from '../conditional.ts';
import type { BodyCache } from '../encoding/body-cache.ts';
import type { AcceptedEncodings } from '../encoding/compression.ts';
import { buildBody, cachedBody, type EncodedBody } from './body.ts';

export interface ListingResponse {
  readonly status: 200 | 304;
  readonly headers: OutgoingHttpHeaders & { readonly etag: string };
  readonly chunks: EncodedBody['chunks'];
}

export const CACHE_HEADERS = {
  // The data is private and may change at any moment: clients may store it, but have to revalidate it.
  'cache-control': 'private, no-cache',
  vary: 'Accept-Encoding, Authorization, Origin',
} as const;

export async function encodeListing(
  listing: Listing,
  link: string | undefined,
  encodings: AcceptedEncodings,
  bodyCache: BodyCache,
): Promise<ListingResponse> {
  const { encoding, chunks, bytes } =
    cachedBody(listing, encodings, bodyCache) ?? (await buildBody(listing, encodings, bodyCache));
  return {
    status: 200,
    headers: {
      ...CACHE_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      etag: entityTag(listing.entityTag, encoding),
      ...(link === undefined ? {} : { link }),
      ...stateHeaders(listing),
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      'content-length': bytes,
    },
    chunks,
  };
}

export function notModified(etag: string, state: ListingState): ListingResponse {
  return { status: 304, headers: { ...CACHE_HEADERS, etag, ...stateHeaders(state) }, chunks: [] };
}

function stateHeaders({ listingTag, lastModified, revision, timeZone }: ListingState) {
  return {
    'shiftfeed-listing': listingTag,
    'shiftfeed-revision': revision,
    'shiftfeed-time-zone': timeZone,
    ...(lastModified === undefined ? {} : { 'last-modified': lastModified }),
  };
}
