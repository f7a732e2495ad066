/**
 * Answers to visitors, apart from the server that sends them: status, headers and bytes. Problems say nothing of the
 * upstream.
 */

import type { Body } from './bodies.ts';
import { chooseEncoding, IDENTITY } from './encoding.ts';
import { JSON_TYPE } from './json.ts';
import { onceThere } from './once-there.ts';

/** A request, as far as it matters here. */
export interface Visit {
  readonly method: string;
  readonly path: string;
  /** With its question mark, or empty. */
  readonly search: string;
  /** Scheme and host that the visitor used. */
  origin(): string;
  header(name: string): string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | undefined;
  /** Which kind of address answered, for metrics and logs. */
  readonly route: RouteName;
}

type FormName = 'json' | 'calendar' | 'page' | 'board';
export type RouteName = FormName | `personal-${FormName}` | 'stylesheet' | 'script' | 'none';

export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const PROBLEMS = {
  nothingHere: { status: 404, message: 'There is nothing at this address.' },
  wrongMethod: {
    status: 405,
    message: 'Shifts can only be read: expected the method GET or HEAD.',
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  unavailable: { status: 503, message: 'The shifts cannot be shown at the moment: try again soon.' },
} as const satisfies Record<string, Problem>;

/** The methods that are answered with a body, or with its headers. */
export const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** How many seconds ago the upstream said what is shown; 0 while that is as new as the feed allows. */
export const AGE_HEADER = 'shiftfeed-age';

const encoder = new TextEncoder();
const PREFLIGHT_SECONDS = '600';

/** Nothing is said to origins that are not allowed: their browsers then refuse by themselves. */
export function allowOrigin(
  origins: readonly string[],
  visit: Visit,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const origin = origins.length === 0 ? undefined : visit.header('origin');
  if (origin === undefined) return headers;
  const allowed = origins[0] === '*' ? '*' : origins.find((candidate) => candidate === origin);
  if (allowed === undefined) return headers;
  return {
    ...headers,
    'access-control-allow-origin': allowed,
    'access-control-expose-headers': 'ETag, Retry-After, Shiftfeed-Age',
    ...(visit.method === 'OPTIONS' && {
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'If-None-Match',
      'access-control-max-age': PREFLIGHT_SECONDS,
    }),
  };
}

export function preflight(headers: Readonly<Record<string, string>>, route: RouteName): Answer {
  return { status: 204, headers: { ...headers, ...PROBLEMS.wrongMethod.headers }, body: undefined, route };
}

/** The body in the best encoding, or 304 to whoever has it already. */
export function sendBody(
  visit: Visit,
  route: RouteName,
  body: Body,
  headers: Record<string, string>,
  encodings: readonly string[],
): Answer | Promise<Answer> {
  const wanted = chooseEncoding(visit.header('accept-encoding'), encodings, body.bytes.length);
  headers['x-content-type-options'] = 'nosniff';
  headers['referrer-policy'] = 'no-referrer';
  // Whoever has the body in any encoding has it.
  const known = visit.header('if-none-match');
  if (known !== undefined && (known.trim() === '*' || known.includes(`"${body.hash}`))) {
    headers.etag = tagOf(body, wanted);
    return { status: 304, headers, body: undefined, route };
  }
  return onceThere(wanted === IDENTITY ? undefined : body.compressed(wanted), (compressed) => {
    const bytes = compressed ?? body.bytes;
    headers.etag = tagOf(body, compressed === undefined ? IDENTITY : wanted);
    if (compressed !== undefined) headers['content-encoding'] = wanted;
    headers['content-length'] = String(bytes.length);
    return { status: 200, headers, body: visit.method === 'HEAD' ? undefined : bytes, route };
  });
}

function tagOf({ hash }: Body, encoding: string): string {
  return encoding === IDENTITY ? `"${hash}"` : `"${hash}-${encoding}"`;
}

export function sendProblem(
  problem: Problem,
  visit: Visit,
  route: RouteName,
  headers: Readonly<Record<string, string>> = {},
  written: { readonly type: string; readonly text: string } = {
    type: JSON_TYPE,
    text: JSON.stringify({ error: problem.message }),
  },
): Answer {
  const body = encoder.encode(written.text);
  return {
    status: problem.status,
    headers: {
      ...headers,
      ...problem.headers,
      'content-type': written.type,
      'content-length': String(body.length),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body: visit.method === 'HEAD' ? undefined : body,
    route,
  };
}
