/**
 * A listing as an answer: its status, its headers and the chunks of its body.
 *
 * The shifts of a body are slices of month blocks, which are written to the socket as they are: copying them into one
 * buffer would cost more than the rest of the request. Two kinds of bodies are built in one piece and cached: compressed
 * ones, and those that are small or of many slices, if they are requested again.
 */

import type { Listing, ListingState } from '../../feed/feed.ts';
import type { PageLayout } from '../../listing/page.ts';
import type { ListedShift } from '../../listing/shift.ts';
import type { Body, BodyCache } from '../encoding/body-cache.ts';
import {
  type AcceptedEncodings,
  COMPRESS,
  chooseEncoding,
  compressionMemoryBytes,
  type Encoding,
  isTooSmallToCompress,
} from '../encoding/compression.ts';
import { entityTag } from '../encoding/conditional.ts';
import { type Answer, type HeaderList, SMALL_BYTES } from '../protocol/exchange.ts';
import { TooBusy } from '../protocol/problems.ts';

/** The data is private and may change at any moment: clients may store it, but have to revalidate it. */
export const CACHE_CONTROL = 'private, no-cache';
const VARY = 'Accept-Encoding, Authorization, Origin';

export async function answerListing(
  listing: Listing,
  link: string | undefined,
  encodings: AcceptedEncodings,
  bodyCache: BodyCache,
): Promise<{ readonly etag: string; readonly answer: Answer }> {
  const { encoding, chunks, bytes } =
    cachedBody(listing, encodings, bodyCache) ?? (await buildBody(listing, encodings, bodyCache));
  const etag = entityTag(listing.entityTag, encoding);
  const headers = stateHeaders(etag, listing);
  headers.push('content-type', 'application/json; charset=utf-8', 'content-length', bytes);
  if (link !== undefined) headers.push('link', link);
  if (encoding !== 'identity') headers.push('content-encoding', encoding);
  return { etag, answer: { status: 200, headers, chunks } };
}

export function notModified(etag: string, state: ListingState): Answer {
  return { status: 304, headers: stateHeaders(etag, state), chunks: [] };
}

function stateHeaders(
  etag: string,
  { listingTag, lastModified, revision, timeZone }: ListingState,
): HeaderList {
  // biome-ignore format: names and values side by side
  const headers = [
    'cache-control', CACHE_CONTROL,
    'vary', VARY,
    'etag', etag,
    'shiftfeed-listing', listingTag,
    'shiftfeed-revision', revision,
    'shiftfeed-time-zone', timeZone,
  ];
  if (lastModified !== undefined) headers.push('last-modified', lastModified);
  return headers;
}

/** Half of what Node's fetch accepts for all headers together. */
const MAX_HEADER_CHARACTERS = 8_192;

/** A page keeps its `PageLayout` object as long as nothing changes, so its header is written once for each path. */
const linkHeaders = new WeakMap<PageLayout, { readonly path: string; readonly header: string | undefined }>();

/**
 * The `Link` header (RFC 8288) names the other pages of a listing, with all filters kept. Each link repeats the whole
 * query, and clients refuse headers that are too large. So links are dropped until the header fits, `next` last of all.
 * `path` and `search` belong to the request that `layout` answers. Returns undefined when not even one link fits.
 */
export function linkHeader(path: string, search: string, layout: PageLayout): string | undefined {
  const cached = linkHeaders.get(layout);
  if (cached?.path === path) return cached.header;
  const header = writeLinks(path, search, layout);
  linkHeaders.set(layout, { path, header });
  return header;
}

/** Clients rarely follow the first of these, so it is dropped first. */
const DROP_ORDER = ['last', 'first', 'prev', 'next'];

function writeLinks(path: string, search: string, { page, totalPages }: PageLayout): string | undefined {
  const last = Math.max(1, totalPages);
  const pages: [string, number | undefined][] = [
    ['first', 1],
    ['prev', page > 1 ? Math.min(page - 1, last) : undefined],
    ['next', page < last ? page + 1 : undefined],
    ['last', last],
  ];
  const parameters = new URLSearchParams(search);
  const links = new Map<string, string>();
  for (const [rel, number] of pages) {
    if (number === undefined) continue;
    parameters.set('page', String(number));
    links.set(rel, `<${path}?${parameters}>; rel="${rel}"`);
  }
  const joined = () => [...links.values()].join(', ');
  for (const rel of DROP_ORDER) {
    if (joined().length > MAX_HEADER_CHARACTERS) links.delete(rel);
  }
  return links.size === 0 ? undefined : joined();
}

/** The JSON of a body after parsing. */
export interface ListingBody {
  readonly shifts: readonly ListedShift[];
  readonly meta: {
    readonly total: number;
    readonly page: number;
    readonly per_page: number;
    readonly total_pages: number;
  };
}

interface EncodedBody {
  readonly encoding: Encoding;
  readonly chunks: Answer['chunks'];
  readonly bytes: number;
}

const OPENING = '{"shifts":[';
/** Up to this many slices, writing them separately costs no more than one write. */
const MAX_CHEAP_SLICES = 2;

/** The body in the best encoding, if the cache has it. */
function cachedBody(
  { entityTag: tag }: Listing,
  [bestEncoding]: AcceptedEncodings,
  bodyCache: BodyCache,
): EncodedBody | undefined {
  const body = bodyCache.get(entityTag(tag, bestEncoding));
  return body === undefined ? undefined : inOnePiece(bestEncoding, body);
}

function inOnePiece(encoding: Encoding, body: Body): EncodedBody {
  return { encoding, chunks: [body], bytes: body.length };
}

/** Throws TooBusy when there is no memory left for compressing, and the client accepts nothing else. */
async function buildBody(
  { entityTag: tag, layout, cut }: Listing,
  encodings: AcceptedEncodings,
  bodyCache: BodyCache,
): Promise<EncodedBody> {
  const slices = cut();
  const closing = `],"meta":${encodeMeta(layout)}}`;
  const bytes = slices.reduce((sum, slice) => sum + slice.length, OPENING.length + closing.length);
  const uncompressed: EncodedBody = { encoding: 'identity', chunks: [OPENING, ...slices, closing], bytes };

  const encoding = chooseEncoding(encodings, bytes);
  const key = entityTag(tag, encoding);
  const kept = encoding === encodings[0] ? undefined : bodyCache.get(key);
  if (kept !== undefined) return inOnePiece(encoding, kept);
  const isCheap = slices.length <= MAX_CHEAP_SLICES && bytes > SMALL_BYTES;
  if (encoding === 'identity' && (isCheap || !bodyCache.isRequestedAgain(key))) return uncompressed;
  const body = await bodyCache.build(key, {
    memoryBytes: compressionMemoryBytes(encoding, bytes),
    // A small page is compressed only for clients that refuse it uncompressed. Others must not find it in the cache.
    isCacheable: encoding === 'identity' || !isTooSmallToCompress(bytes),
    run: () => COMPRESS[encoding](Buffer.concat([Buffer.from(OPENING), ...slices, Buffer.from(closing)])),
  });
  if (body !== undefined) return inOnePiece(encoding, body);
  if (encodings.includes('identity')) return uncompressed;
  throw new TooBusy();
}

function encodeMeta({ total, page, perPage, totalPages }: PageLayout): string {
  const meta: ListingBody['meta'] = { total, page, per_page: perPage, total_pages: totalPages };
  return JSON.stringify(meta);
}
