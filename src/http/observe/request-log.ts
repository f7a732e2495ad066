/**
 * What is logged of a request: enough to find it and to see how it went, and nothing that might be a secret. A token
 * can end up in the path or in the query by mistake, so only what looks like an account and like a filter is told.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { SLUG } from '../../store/slug.ts';
import { isKnownParameter } from '../listing/parameters.ts';
import { routeOf, splitUrl } from '../url.ts';

export interface LoggedRequest {
  readonly reqId: string;
  readonly method: string;
  readonly route: string;
  readonly account?: string;
  readonly query?: string;
  /** The id of the token in the operator's list. */
  readonly token?: number;
  /** The parameters that were wrong; `unknown` stands for those that do not exist, whose names might be anything. */
  readonly wrong?: readonly string[];
  readonly status: number;
  readonly ms: number;
  readonly address: string;
}

const HARMLESS_VALUE = /^(?:[\d, -]*|true|false)$/;

/** What became known of a request while it was answered. */
export type RequestNotes = Pick<LoggedRequest, 'token' | 'wrong'>;

const notesOfRequest = new WeakMap<FastifyRequest, RequestNotes>();

export function noteRequest(request: FastifyRequest, notes: RequestNotes): void {
  notesOfRequest.set(request, { ...notesOfRequest.get(request), ...notes });
}

export function loggedRequest(request: FastifyRequest, reply: FastifyReply): LoggedRequest {
  const { account } = request.params as { account?: string };
  const query = harmlessQuery(splitUrl(request.url).search);
  return {
    reqId: request.id,
    method: request.method,
    route: routeOf(request),
    ...(account !== undefined && SLUG.test(account) ? { account } : {}),
    ...(query === '' ? {} : { query }),
    ...notesOfRequest.get(request),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 1000) / 1000,
    address: request.ip,
  };
}

/** Parameters that are not known are left out, and so is what cannot be a value of one that is. */
function harmlessQuery(search: string): string {
  return [...new URLSearchParams(search)]
    .filter(([name]) => isKnownParameter(name))
    .map(([name, value]) => `${name}=${HARMLESS_VALUE.test(value) ? value : '…'}`)
    .join('&');
}
