/**
 * Writes a listing: head, slices, tail. The slices are parts of month blocks and go to the socket as they
 * are; gathering them into one buffer first would cost more than everything else about a request.
 */

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listing } from '../feed/feed.ts';
import type { Page } from '../listing/page.ts';
import type { ListedShift } from '../listing/shift.ts';
import { type Compressor, chooseEncoding, type Encoding } from './compression.ts';

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

export function sendNotModified(reply: FastifyReply, etag: string, revision: number): FastifyReply {
  const tagHeader = etag === '*' ? {} : { etag };
  return reply
    .code(304)
    .headers({ ...PRIVATE_HEADERS, ...tagHeader, 'shiftfeed-revision': revision })
    .send();
}

export interface Response {
  readonly listing: Listing;
  readonly link: string;
  /** Best first, and at least one. */
  readonly encodings: readonly Encoding[];
  readonly compressor: Compressor;
}

export async function sendListing(
  request: FastifyRequest,
  reply: FastifyReply,
  { listing, link, encodings, compressor }: Response,
): Promise<void> {
  const tail = `],"meta":${encodeMeta(listing)}}`;
  const bytes = listing.slices.reduce((sum, slice) => sum + slice.length, HEAD.length + tail.length);
  const encoding = chooseEncoding(encodings, bytes);
  const etag = entityTag(listing.tag, encoding);
  const headers: OutgoingHttpHeaders = {
    ...PRIVATE_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    etag,
    link,
    'shiftfeed-revision': listing.revision,
  };
  if (encoding === 'identity') {
    write(request, reply, { ...headers, 'content-length': bytes }, [HEAD, ...listing.slices, tail]);
    return;
  }
  const whole = () => Buffer.concat([Buffer.from(HEAD), ...listing.slices, Buffer.from(tail)]);
  const body = await compressor.compress(etag, encoding, whole);
  write(request, reply, { ...headers, 'content-encoding': encoding, 'content-length': body.length }, [body]);
}

function write(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: OutgoingHttpHeaders,
  chunks: readonly (string | Uint8Array)[],
): void {
  reply.hijack();
  const response: ServerResponse = reply.raw;
  response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers });
  let isFlushed = true;
  if (request.method !== 'HEAD') {
    for (const chunk of chunks) isFlushed = response.write(chunk, 'latin1');
  }
  endWhenFlushed(response, isFlushed);
}

/** A server that stops closes connections whose responses have ended, sent or not: so end what is sent. */
function endWhenFlushed(response: ServerResponse, isFlushed: boolean): void {
  if (isFlushed) response.end();
  else response.once('drain', () => response.end());
}

function encodeMeta({ total, page, perPage, totalPages }: Page): string {
  const meta: ListingBody['meta'] = { total, page, per_page: perPage, total_pages: totalPages };
  return JSON.stringify(meta);
}
