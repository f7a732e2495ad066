/**
 * Writes a page: head, slices, tail. The slices are parts of month blocks and go to the socket as they
 * are; gathering them into one buffer first would cost more than everything else about a request.
 */

import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../listing/page.ts';

const HEAD = '{"shifts":[';
/** For how many seconds the database could not be asked whether the page is still right. */
const STALE_HEADER = 'shiftfeed-stale';

export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page, ageMs: number): void {
  const tail = `],"meta":${encodeMeta(page)}}`;
  const sliceBytes = page.slices.reduce((bytes, slice) => bytes + slice.length, 0);
  reply.hijack();
  const response: ServerResponse = reply.raw;
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    // The data is private, and may change at any moment.
    'cache-control': 'private, no-cache',
    'content-length': HEAD.length + sliceBytes + tail.length,
    ...(ageMs > 0 ? { [STALE_HEADER]: Math.ceil(ageMs / 1000) } : {}),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.write(HEAD, 'latin1');
  for (const slice of page.slices) response.write(slice);
  const isFlushed = response.write(tail, 'latin1');
  // A server that stops closes connections whose responses have ended, sent or not: so end what is sent.
  if (isFlushed) response.end();
  else response.once('drain', () => response.end());
}

function encodeMeta({ total, page, perPage, totalPages }: Page): string {
  return JSON.stringify({ total, page, per_page: perPage, total_pages: totalPages });
}
