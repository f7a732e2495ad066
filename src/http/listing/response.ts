/**
 * A listing as an HTTP response: its status, its headers and the chunks of its body, and how they reach the socket.
 *
 * The shifts of a body are slices of month blocks, which go to the socket as they are: copying them into one buffer
 * would cost more than the rest of the request. Only two kinds of bodies are built in one piece and cached: compressed
 * ones, and those of many slices that are requested again.
 */

import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listing, ListingState } from '../../feed/feed.ts';
import type { PageLayout } from '../../listing/page.ts';
import type { ListedShift } from '../../listing/shift.ts';
import type { BodyCache } from '../encoding/body-cache.ts';
import {
  type AcceptedEncodings,
  COMPRESS,
  chooseEncoding,
  compressionMemoryBytes,
  type Encoding,
  isTooSmallToCompress,
} from '../encoding/compression.ts';
import { entityTag } from '../encoding/conditional.ts';
import type { UnsentResponses } from '../limits/unsent.ts';
import { TooBusy } from '../protocol/problems.ts';

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

/** Half of what Node's fetch accepts for all headers together. */
const MAX_HEADER_CHARACTERS = 8_192;

/** A page keeps its `PageLayout` object as long as nothing changes, so its header is written once for each path. */
const linkHeaders = new WeakMap<PageLayout, { readonly path: string; readonly header: string | undefined }>();

/**
 * The `Link` header (RFC 8288) names the other pages of a listing, with all filters kept. Each link repeats the whole
 * query, and clients refuse headers that are too large. So links are dropped until the header fits, `next` last of all.
 * `path` and `search` belong to the request that `layout` answers. Returns undefined when not even one
 * link fits.
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

/** The JSON of a body, parsed. */
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
  readonly chunks: readonly (string | Uint8Array)[];
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
  return body && { encoding: bestEncoding, chunks: [body], bytes: body.length };
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
  if (encoding === 'identity' && (slices.length <= MAX_CHEAP_SLICES || !bodyCache.isRequestedAgain(key))) {
    return uncompressed;
  }
  const body = await bodyCache.build(key, {
    memoryBytes: compressionMemoryBytes(encoding, bytes),
    // A small page is compressed only for clients that refuse it uncompressed. Others must not find it in the cache.
    isCacheable: !isTooSmallToCompress(bytes),
    run: () => COMPRESS[encoding](Buffer.concat([Buffer.from(OPENING), ...slices, Buffer.from(closing)])),
  });
  if (body !== undefined) return { encoding, chunks: [body], bytes: body.length };
  if (encodings.includes('identity')) return uncompressed;
  throw new TooBusy();
}

function encodeMeta({ total, page, perPage, totalPages }: PageLayout): string {
  const meta: ListingBody['meta'] = { total, page, per_page: perPage, total_pages: totalPages };
  return JSON.stringify(meta);
}

/** Bypasses Fastify, which would need the whole body in one piece. */
export function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, chunks }: ListingResponse,
  unsent: UnsentResponses,
): FastifyReply {
  reply.hijack();
  const response: ServerResponse = reply.raw;
  // The client has disconnected in the meantime.
  if (response.destroyed) return reply;
  response.writeHead(status, headerList(reply.getHeaders() as OutgoingHttpHeaders, headers));
  let isFlushed = true;
  if (request.method !== 'HEAD' && chunks.length > 0) {
    unsent.add(response, request.socket, Number(headers['content-length']), chunks);
    for (const chunk of chunks) isFlushed = response.write(chunk, 'latin1');
  }
  endWhenFlushed(response, isFlushed);
  return reply;
}

/** Returns names and values in turn. Merging them into an object would take a tenth of the time of a small response. */
function headerList(...groups: readonly OutgoingHttpHeaders[]): OutgoingHttpHeader[] {
  const list: OutgoingHttpHeader[] = [];
  for (const headers of groups) {
    for (const name in headers) list.push(name, headers[name] as OutgoingHttpHeader);
  }
  return list;
}

/**
 * A response ends only when all of it was handed to the socket: a server that shuts down closes connections whose
 * responses have ended, even if some bytes are still buffered.
 */
function endWhenFlushed(response: ServerResponse, isFlushed: boolean): void {
  if (isFlushed) response.end();
  else response.once('drain', () => response.end());
}
