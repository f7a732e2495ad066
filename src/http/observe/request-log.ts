/**
 * The log entry of a request: enough to find the request and to see its result, and nothing that might be a secret. A
 * token may be in the path or the query by mistake, so only valid account names and filter values are logged.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { SLUG } from '../../store/slug.ts';
import { routeOf, splitUrl } from '../protocol/url.ts';

export interface RequestLogEntry {
  readonly reqId: string;
  readonly method: string;
  readonly route: string;
  readonly account?: string;
  readonly query?: string;
  /** The id of the token in the operator's list. */
  readonly token?: number;
  /**
   * The names of invalid parameters. Those that do not exist are logged as `unknown`, because their names could be
   * secrets.
   */
  readonly wrong?: readonly string[];
  readonly status: number;
  readonly ms: number;
  readonly address: string;
}

const SAFE_VALUE = /^(?:[\d, -]*|true|false)$/;

/** The fields that become known only while the request is handled. */
type LateFields = Pick<RequestLogEntry, 'token' | 'wrong'>;

const lateFields = new WeakMap<FastifyRequest, LateFields>();

export function addToRequestLog(request: FastifyRequest, fields: LateFields): void {
  lateFields.set(request, { ...lateFields.get(request), ...fields });
}

/** `isParameter` says which names of parameters there are. */
export function requestLogEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  isParameter: (name: string) => boolean,
): RequestLogEntry {
  const { account } = request.params as { account?: string };
  const query = safeQuery(splitUrl(request.url).search, isParameter);
  return {
    reqId: request.id,
    method: request.method,
    route: routeOf(request),
    ...(account !== undefined && SLUG.test(account) ? { account } : {}),
    ...(query === '' ? {} : { query }),
    ...lateFields.get(request),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 1000) / 1000,
    address: request.ip,
  };
}

/** Leaves out unknown parameters, and values that no parameter accepts. */
function safeQuery(search: string, isParameter: (name: string) => boolean): string {
  return [...new URLSearchParams(search)]
    .filter(([name]) => isParameter(name))
    .map(([name, value]) => `${name}=${SAFE_VALUE.test(value) ? value : '…'}`)
    .join('&');
}
