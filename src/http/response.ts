/**
 * Writes a listing: head, slices, tail. The slices are parts of month blocks and go to the socket as they
 * are; gathering them into one buffer first would cost more than everything else about a request.
 */

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listing } from '../feed/feed.ts';
import type { Page } from '../listing/page.ts';
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

/** The tags that the page may have, depending on whether it turns out to be worth compressing. */
export function entityTags(tag: string, encoding: Encoding): string[] {
  return [entityTag(tag, encoding), entityTag(tag, 'identity')];
}

export async function sendListing(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: Listing,
  preferred: Encoding,
  compressor: Compressor,
): Promise<void> {
  const tail = `],"meta":${encodeMeta(listing)}}`;
  const bytes = listing.slices.reduce((sum, slice) => sum + slice.length, HEAD.length + tail.length);
  const encoding = bytes < MIN_COMPRESSED_BYTES ? 'identity' : preferred;
  const headers = {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    ...PRIVATE_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    etag: entityTag(listing.tag, encoding),
  };
  if (encoding === 'identity') {
    reply.hijack();
    writeSlices(request, reply.raw, { ...headers, 'content-length': bytes }, listing.slices, tail);
    return;
  }
  const whole = () => Buffer.concat([Buffer.from(HEAD), ...listing.slices, Buffer.from(tail)]);
  const body = await compressor.compress(headers.etag, encoding, whole);
  reply.hijack();
  const response: ServerResponse = reply.raw;
  response.writeHead(200, { ...headers, 'content-encoding': encoding, 'content-length': body.length });
  writeWhole(request, response, body);
}

function writeSlices(
  request: FastifyRequest,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  slices: readonly Uint8Array[],
  tail: string,
): void {
  response.writeHead(200, headers);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.write(HEAD, 'latin1');
  for (const slice of slices) response.write(slice);
  endWhenFlushed(response, response.write(tail, 'latin1'));
}

function writeWhole(request: FastifyRequest, response: ServerResponse, body: Buffer): void {
  if (request.method === 'HEAD') response.end();
  else endWhenFlushed(response, response.write(body));
}

/** A server that stops closes connections whose responses have ended, sent or not: so end what is sent. */
function endWhenFlushed(response: ServerResponse, isFlushed: boolean): void {
  if (isFlushed) response.end();
  else response.once('drain', () => response.end());
}

function encodeMeta({ total, page, perPage, totalPages }: Page): string {
  return JSON.stringify({ total, page, per_page: perPage, total_pages: totalPages });
}
