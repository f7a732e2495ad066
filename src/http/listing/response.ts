/**
 * A listing as it goes out: head, slices, tail; or the same in one piece, compressed or not. Slices are parts of month
 * blocks and go to the socket as they are; gathering them first would cost more than everything else about
 * a request. Only a page of several slices that is asked for again is gathered, and then kept.
 */

import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listing } from '../../feed/feed.ts';
import type { PageLayout } from '../../listing/page.ts';
import type { ListedShift } from '../../listing/shift.ts';
import type { Bodies } from '../encoding/body-cache.ts';
import { bytesOfWork, COMPRESS, chooseEncoding, type Encoding, isSmall } from '../encoding/compression.ts';
import { TooBusy } from '../errors.ts';
import type { Unsent } from '../limits/unsent.ts';

/** What the bytes say. */
export interface ListingBody {
  readonly shifts: readonly ListedShift[];
  readonly meta: {
    readonly total: number;
    readonly page: number;
    readonly per_page: number;
    readonly total_pages: number;
  };
}

const HEAD = '{"shifts":[';
/** As many are as fast to write as one. */
const FEW_SLICES = 2;

/** What every answer to a listing says besides its own headers. */
export const PRIVATE_HEADERS = {
  // The data is private, and may change at any moment: keep it, but ask before showing it again.
  'cache-control': 'private, no-cache',
  vary: 'Accept-Encoding, Authorization, Origin',
} as const;

export function entityTag(tag: string, encoding: Encoding): string {
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;
}

/** The tags that the page may have: which encoding it gets depends on its size, too. */
export function entityTags(tag: string, encodings: readonly Encoding[]): string[] {
  return encodings.map((encoding) => entityTag(tag, encoding));
}

export interface EncodedResponse {
  readonly status: 200 | 304;
  readonly headers: OutgoingHttpHeaders;
  readonly chunks: readonly (string | Uint8Array)[];
}

/** What a listing is of. */
export interface ListedState {
  readonly revision: number;
  /** In which the dates and times of shifts are meant. */
  readonly timeZone: string;
}

function stateHeaders({ revision, timeZone }: ListedState): OutgoingHttpHeaders {
  return { 'shiftfeed-revision': revision, 'shiftfeed-time-zone': timeZone };
}

export function notModified(etag: string, state: ListedState): EncodedResponse {
  return { status: 304, headers: { ...PRIVATE_HEADERS, etag, ...stateHeaders(state) }, chunks: [] };
}

export async function encodeListing(
  listing: Listing,
  link: string | undefined,
  /** Best first, and at least one. */
  encodings: readonly Encoding[],
  bodies: Bodies,
): Promise<EncodedResponse> {
  const best = encodings[0] as Encoding;
  const { encoding, chunks, bytes } =
    keptPage(listing, best, bodies) ?? (await makePage(listing, encodings, bodies));
  return {
    status: 200,
    headers: {
      ...PRIVATE_HEADERS,
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

interface EncodedPage {
  readonly encoding: Encoding;
  readonly chunks: EncodedResponse['chunks'];
  readonly bytes: number;
}

function keptPage({ entityTag: tag }: Listing, encoding: Encoding, bodies: Bodies): EncodedPage | undefined {
  const body = bodies.find(entityTag(tag, encoding));
  return body && { encoding, chunks: [body], bytes: body.length };
}

async function makePage(
  { entityTag: tag, layout, cut }: Listing,
  encodings: readonly Encoding[],
  bodies: Bodies,
): Promise<EncodedPage> {
  const slices = cut();
  const tail = `],"meta":${encodeMeta(layout)}}`;
  const bytes = slices.reduce((sum, slice) => sum + slice.length, HEAD.length + tail.length);
  const plain: EncodedPage = { encoding: 'identity', chunks: [HEAD, ...slices, tail], bytes };
  const encoding = chooseEncoding(encodings, bytes);
  const isPlain = encoding === 'identity';
  if (isPlain && (slices.length <= FEW_SLICES || !bodies.isAskedAgain(entityTag(tag, encoding))))
    return plain;
  const body = await bodies.make(entityTag(tag, encoding), {
    bytes: bytesOfWork(encoding, bytes),
    // A small page is compressed only for those who take nothing else: others must not find it.
    isShared: !isSmall(bytes),
    run: () => COMPRESS[encoding](Buffer.concat([Buffer.from(HEAD), ...slices, Buffer.from(tail)])),
  });
  if (body !== undefined) return { encoding, chunks: [body], bytes: body.length };
  if (encodings.includes('identity')) return plain;
  throw new TooBusy();
}

function encodeMeta({ total, page, perPage, totalPages }: PageLayout): string {
  const meta: ListingBody['meta'] = { total, page, per_page: perPage, total_pages: totalPages };
  return JSON.stringify(meta);
}

/** Past Fastify, which would need the whole body in one piece. */
export function sendEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, chunks }: EncodedResponse,
  unsent: Unsent,
): FastifyReply {
  reply.hijack();
  const response: ServerResponse = reply.raw;
  // The client left while its answer was made.
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

/** Names and values in turn: put together as an object, they would take a tenth of the time of a small answer. */
function headerList(...groups: readonly OutgoingHttpHeaders[]): OutgoingHttpHeader[] {
  const list: OutgoingHttpHeader[] = [];
  for (const headers of groups) {
    for (const name in headers) list.push(name, headers[name] as OutgoingHttpHeader);
  }
  return list;
}

/** A server that stops closes connections whose responses have ended, sent or not: so end what is sent. */
function endWhenFlushed(response: ServerResponse, isFlushed: boolean): void {
  if (isFlushed) response.end();
  else response.once('drain', () => response.end());
}
