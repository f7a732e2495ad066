/**
 * The log entry of a request: enough to find the request and to see its result, and nothing that might be a secret. A
 * token may be in the path or the query by mistake, so only valid account names and filter values are logged.
 */

import { SLUG } from '../../store/account.ts';
import type { Answer, Exchange } from '../protocol/exchange.ts';
import type { Target } from '../protocol/routes.ts';

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
  /** Of a stream: why it has ended. */
  readonly ended?: string;
  readonly ms: number;
  readonly address: string;
}

const SAFE_VALUE = /^(?:[\d, -]*|true|false)$/;

/** The fields that become known only while the request is handled. */
type LateFields = Pick<RequestLogEntry, 'token' | 'wrong'>;

const lateFields = new WeakMap<Exchange, LateFields>();

export function addToRequestLog(exchange: Exchange, fields: LateFields): void {
  lateFields.set(exchange, { ...lateFields.get(exchange), ...fields });
}

/** A response that was sent. */
export interface Sent {
  readonly exchange: Exchange;
  /** undefined when there is nothing at this URL. */
  readonly target: Target | undefined;
  readonly answer: Answer;
  readonly ms: number;
  /** Of the client. */
  address(): string;
}

/** `isParameter` tells whether a parameter of that name exists. */
export function requestLogEntry(
  { exchange, target, answer, ms, address }: Sent,
  isParameter: (name: string) => boolean,
): RequestLogEntry {
  const { route = 'none', account = '', search = '' } = target ?? {};
  const query = safeQuery(search, isParameter);
  return {
    reqId: exchange.id,
    method: exchange.request.method ?? '',
    route,
    ...(SLUG.test(account) ? { account } : {}),
    ...(query === '' ? {} : { query }),
    ...lateFields.get(exchange),
    status: answer.status,
    ...(answer.stream && { ended: answer.stream.reason() }),
    ms: Math.round(ms * 1000) / 1000,
    address: address(),
  };
}

/** Leaves out unknown parameters, and values that no parameter accepts. */
function safeQuery(search: string, isParameter: (name: string) => boolean): string {
  return [...new URLSearchParams(search)]
    .filter(([name]) => isParameter(name))
    .map(([name, value]) => `${name}=${SAFE_VALUE.test(value) ? value : '…'}`)
    .join('&');
}
