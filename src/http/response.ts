/**
 * A listing as it goes out: head, slices, tail; or the same compressed. The slices are parts of month blocks and
 * go to the socket as they are; gathering them into one buffer first would cost more than everything else about
 * a request.
 */

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listing } from '../feed/feed.ts';
import { type Compressor, type Encoding, MIN_COMPRESSED_BYTES } from './compression.ts';

const HEAD = '{"shifts":[';

/** What every answer to a listing says besides its own headers. */
export const PRIVATE_HEADERS = {
  // The data is private, and may change at any moment: keep it, but ask before showing it again.
  'cache-control': 'private, no-cache',
  vary: 'Accept-Encoding, Authorization, Origin',
} as const;

function entityTag(tag: string, encoding: Encoding): string {
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;
}

/** The tags that the page may have: which encoding it gets depends on its size, too. */
export function entityTags(tag: string, encodings: readonly Encoding[]): string[] {
  return encodings.map((encoding) => entityTag(tag, encoding));
}

export function notModified(etag: string, revision: number): EncodedResponse {
  const tagHeader = etag === '*' ? {} : { etag };
  return {
    status: 304,
    headers: { ...PRIVATE_HEADERS, ...tagHeader, 'shiftfeed-revision': revision },
    chunks: [],
  };
}

export interface EncodedResponse {
  readonly status: 200 | 304;
  readonly headers: OutgoingHttpHeaders;
  readonly chunks: readonly (string | Uint8Array)[];
}

export async function encodeListing(
  listing: Listing,
  link: string,
  /** Best first, and at least one. */
  encodings: readonly Encoding[],
  compressor: Compressor,
): Promise<EncodedResponse> {
  const tail = `],"meta":${encodeMeta(listing)}}`;
  const bytes = listing.slices.reduce((sum, slice) => sum + slice.length, HEAD.length + tail.length);
  const isSmall = bytes < MIN_COMPRESSED_BYTES && encodings.includes('identity');
  const encoding = isSmall ? 'identity' : (encodings[0] as Encoding);
  const etag = entityTag(listing.tag, encoding);
  const headers: OutgoingHttpHeaders = {
    ...PRIVATE_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    etag,
    link,
    'shiftfeed-revision': listing.revision,
  };
  if (encoding === 'identity') {
    return {
      status: 200,
      headers: { ...headers, 'content-length': bytes },
      chunks: [HEAD, ...listing.slices, tail],
    };
  }
  const whole = () => Buffer.concat([Buffer.from(HEAD), ...listing.slices, Buffer.from(tail)]);
  const body = await compressor.compress(etag, encoding, whole);
  return {
    status: 200,
    headers: { ...headers, 'content-encoding': encoding, 'content-length': body.length },
    chunks: [body],
  };
}

/** Past Fastify, which would need the whole body in one piece. */
export function sendEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, chunks }: EncodedResponse,
): FastifyReply {
  reply.hijack();
  const response: ServerResponse = reply.raw;
  response.writeHead(status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers });
  let isFlushed = true;
  if (request.method !== 'HEAD') {
    for (const chunk of chunks) isFlushed = response.write(chunk, 'latin1');
  }
  endWhenFlushed(response, isFlushed);
  return reply;
}

/** A server that stops closes connections whose responses have ended, sent or not: so end what is sent. */
function endWhenFlushed(response: ServerResponse, isFlushed: boolean): void {
  if (isFlushed) response.end();
  else response.once('drain', () => response.end());
}

function encodeMeta({ total, page, perPage, totalPages }: Listing): string {
  return JSON.stringify({ total, page, per_page: perPage, total_pages: totalPages });
}
