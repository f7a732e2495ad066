/** Connections as nobody should make them: what is sent, how it ends, and what must come back where it was right. */

import { expectedBody, type OracleQuery, toSearch } from '../../test/listing/oracle.ts';
import type { Draw } from '../draw.ts';
import { type TestAccount, visibleShifts } from '../isolation/accounts.ts';
import { drawQuery } from '../simulation/data.ts';
import { mutated } from './mutate.ts';

export interface DrawnConnection {
  readonly bytes: Buffer;
  readonly ending: 'polite' | 'half-closed' | 'reset';
  /** How many requests it was meant to have. */
  readonly requests: number;
  /** The bodies that must come back first, of the requests that are right and have only such before them. */
  readonly expected: readonly string[];
  /** Cut into so many pieces, which arrive one after the other. */
  readonly pieces: number;
}

const MAX_REQUESTS = 6;
/** No answer depends on what day it is. */
const TODAY = '2026-11-15';

export function drawConnection(
  draw: Draw,
  queryDraw: Draw,
  accounts: readonly TestAccount[],
): DrawnConnection {
  const requests = draw.chance(0.6) ? 1 : draw.integer(2, MAX_REQUESTS);
  const bytes: Buffer[] = [];
  const expected: string[] = [];
  let areRight = true;
  for (let i = 0; i < requests; i++) {
    const right = drawRight(draw, queryDraw, draw.pick(accounts), i === requests - 1);
    const kind = draw.weighted({ right: 5, mutated: 5, odd: 5, random: 1 });
    if (kind === 'right' && areRight) expected.push(right.body);
    areRight &&= kind === 'right';
    bytes.push(bytesOf(draw, kind, right));
  }
  const ending = draw.pick(['polite', 'half-closed', 'reset'] as const);
  return {
    bytes: Buffer.concat(bytes),
    ending,
    requests,
    expected,
    pieces: draw.chance(0.8) ? 1 : draw.integer(2, 9),
  };
}

interface RightRequest {
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

function drawRight(draw: Draw, queryDraw: Draw, account: TestAccount, isLast: boolean): RightRequest {
  const years = queryDraw.some([2025, 2026, 2027, 2028], 3);
  const query: OracleQuery = { ...drawQuery(queryDraw, TODAY), years, published: false };
  return {
    target: `/${account.slug}/api/v1/shifts?${toSearch(query)}`,
    headers: [
      `Host: ${draw.pick(['x', 'localhost:8080', '[::1]'])}`,
      `Authorization: Bearer ${account.tokens.live}`,
      ...(isLast ? ['Connection: close'] : []),
    ],
    body: expectedBody(visibleShifts(account), query, TODAY, account.sort),
  };
}

function bytesOf(draw: Draw, kind: 'right' | 'mutated' | 'odd' | 'random', request: RightRequest): Buffer {
  switch (kind) {
    case 'right':
      return plain('GET', request.target, request.headers);
    case 'mutated':
      return mutated(draw, plain('GET', request.target, request.headers));
    case 'odd':
      return drawOdd(draw, request);
    case 'random':
      return Buffer.from(Array.from({ length: draw.integer(1, 300) }, () => draw.integer(0, 255)));
  }
}

function plain(
  method: string,
  target: string,
  headers: readonly string[],
  body = '',
  version = 'HTTP/1.1',
): Buffer {
  return Buffer.from(
    `${method} ${target} ${version}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`,
  );
}

const METHODS = 'POST HEAD OPTIONS PUT DELETE TRACE CONNECT PATCH get PRI G\u00c9T QUERY'.split(' ');
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.9', 'http/1.1', 'HTTP/1.1 ', 'HTTP/11', ''];
const TARGETS = [
  '*',
  '//',
  '/../../etc/passwd',
  'http://evil.example/acme/api/v1/shifts',
  '/%00',
  '/%ff%fe',
  '/acme%2fapi/v1/shifts',
  '/ACME/api/v1/shifts/',
  '/acme/api/v1/shifts?%',
  '/acme/api/v1/shifts?per_page=%F0%9F%8E%89',
  '/acme/api/v1/shifts?per_page=99999999999999999999',
  '/acme/api/v1/shifts?__proto__=1&constructor=2&toString=3',
  '/acme/api/v1/shifts?group_ids[]=1&group_ids[__proto__]=2',
  '/acme/api/v1/shifts?day=2026-02-30&date_from=-000001-01-01',
  '/acme/api/v1/shifts#x',
  '/openapi.json',
  '/docs',
  '/healthz',
  '/readyz',
  '/metrics',
  '/feed0',
  '/feed0/shifts.ics?date_from=x',
  '/feed0/shifts?group_ids=1&group_ids[]=2',
];
const HEADERS = [
  'Host: other',
  'Host:',
  'Content-Length: 5',
  'Content-Length: 5, 5',
  'Content-Length: -1',
  'Content-Length: 18446744073709551616',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: chunked, identity',
  ' folded: line',
  'Authorization: Bearer other',
  'Authorization: Basic eDp5',
  'Accept-Encoding: gzip;q=2, *;q=nan, zstd;;',
  'If-None-Match: *',
  'If-None-Match: W/"a", "b',
  'Expect: 100-continue',
  'Expect: something',
  'Upgrade: websocket',
  'Connection: upgrade, close, host',
  'Range: bytes=0-0,5-1',
  'Origin: null',
  'Prefer: timing\u0001',
  'X-Forwarded-For: ,,, ,',
  'X-Request-Id: \u00e9"\\',
  'Accept-Language: x'.padEnd(4_000, '-x'),
  'No colon',
  ': no name',
  'Na me: x',
];
const BODIES = [
  '',
  'x'.repeat(5),
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  'zz\r\n',
  'ffffffffffffffffff\r\n',
  'GET / HTTP/1.1\r\nHost: y\r\n\r\n',
];

/** Built from what protocols allow, almost allow, or have been attacked with. */
function drawOdd(draw: Draw, { target, headers }: RightRequest): Buffer {
  const sometimes = <T>(list: readonly T[], or: T, share = 0.4) =>
    draw.chance(share) ? draw.pick(list) : or;
  const more = draw.chance(0.8)
    ? draw.some(HEADERS, 4)
    : Array.from({ length: draw.integer(50, 2_500) }, (_, i) => `X-${i}: y`);
  const lines = draw.chance(0.5) ? [...headers, ...more] : [...more, ...headers];
  const request = plain(
    sometimes(METHODS, 'GET'),
    draw.chance(0.2) ? hugeTarget(draw) : sometimes(TARGETS, target),
    lines,
    sometimes(BODIES, ''),
    sometimes(VERSIONS, 'HTTP/1.1', 0.1),
  );
  return draw.chance(0.1)
    ? Buffer.from(request.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
    : request;
}

function hugeTarget(draw: Draw): string {
  const count = draw.pick([10, 1_000, 5_000, 20_000]);
  const item = draw.pick(['1', '0', '-1', 'x', '9007199254740993', '%31', 'é']);
  return `/acme/api/v1/shifts?${draw.pick(['group_ids=', 'weeks=', 'page='])}${`${item},`.repeat(count)}1`;
}
