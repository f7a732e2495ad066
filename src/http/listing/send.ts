/** Writes a response to the socket, bypassing Fastify, which would need the whole body in one piece. */

import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UnsentResponses } from '../limits/unsent.ts';
import type { ListingResponse } from './response.ts';

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
