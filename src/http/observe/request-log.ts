/**
 * The log entry of a request: enough to find the request and to see its result, and nothing that might be a secret. A
 * token may be in the path or the query by mistake, so only valid account names and filter values are logged.
 */

import { SLUG } from '../../store/account.ts';
import type { Answer, Exchange } from '../protocol/exchange.ts';
import type { Target } from '../protocol/routes.ts';

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

/** For metrics and logs. */
export function routeOf({ target, answer }: Sent): string {
  return answer.route ?? target?.route ?? 'none';
}

/** `request` is what else may be told of what was asked. */
export function requestLogEntry(sent: Sent, request: object) {
  const { exchange, answer, ms, address } = sent;
  return {
    reqId: exchange.id,
    method: exchange.request.method ?? '',
    route: routeOf(sent),
    ...request,
    status: answer.status,
    // Why a stream has ended.
    ...(answer.stream && { ended: answer.stream.reason() }),
    ms: Math.round(ms * 1000) / 1000,
    address: address(),
  };
}

/** What becomes known only while the request is handled. */
interface LateFields {
  /** The id of the token in the operator's list. */
  readonly token?: number;
  /**
   * The names of invalid parameters. Those that do not exist are logged as `unknown`, because their names could be
   * secrets.
   */
  readonly wrong?: readonly string[];
}

const lateFields = new WeakMap<Exchange, LateFields>();

export function addToRequestLog(exchange: Exchange, fields: LateFields): void {
  lateFields.set(exchange, { ...lateFields.get(exchange), ...fields });
}

const SAFE_VALUE = /^(?:[\d, -]*|true|false)$/;

/** What was asked of an account, without unknown parameters, and without values that no parameter accepts. */
export function describeQuery({ exchange, target }: Sent, isParameter: (name: string) => boolean): object {
  const { account = '', search = '' } = target ?? {};
  const query = [...new URLSearchParams(search)]
    .filter(([name]) => isParameter(name))
    .map(([name, value]) => `${name}=${SAFE_VALUE.test(value) ? value : '…'}`)
    .join('&');
  return {
    ...(SLUG.test(account) && { account }),
    ...(query !== '' && { query }),
    ...lateFields.get(exchange),
  };
}
