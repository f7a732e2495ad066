/**
 * Answers to visitors, apart from the server that sends them: status, headers and bytes. Problems say nothing of the
 * upstream.
 */

import type { Body } from './bodies.ts';
import { chooseEncoding, IDENTITY } from './encoding.ts';
import { JSON_TYPE } from './json.ts';
import { onceThere } from './once-there.ts';

export type HeaderFields = Readonly<Record<string, string>>;

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

/** Not to be changed: visits that want the same get the same answer. */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: Uint8Array | undefined;
  /** Which kind of address answered, for metrics and logs. */
  readonly route: RouteName;
}

type FormName = 'json' | 'calendar' | 'page' | 'board';
export type RouteName = FormName | `personal-${FormName}` | 'stylesheet' | 'script' | 'none';

export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly headers?: HeaderFields;
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
export function allowOrigin(origins: readonly string[], visit: Visit, headers: HeaderFields): HeaderFields {
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

export function preflight(headers: HeaderFields, route: RouteName): Answer {
  return { status: 204, headers: { ...headers, ...PROBLEMS.wrongMethod.headers }, body: undefined, route };
}

/** The body in the best encoding, or 304 to whoever has it already. */
export function sendBody(
  visit: Visit,
  route: RouteName,
  body: Body,
  headers: HeaderFields,
  encodings: readonly string[],
): Answer | Promise<Answer> {
  const wanted = chooseEncoding(visit.header('accept-encoding'), encodings, body.bytes.length);
  // Whoever has the body in any encoding has it.
  const known = visit.header('if-none-match');
  if (known !== undefined && (known.trim() === '*' || known.includes(`"${body.hash}`))) {
    const found = { ...headers, ...BODY_HEADERS, etag: tagOf(body, wanted) };
    return { status: 304, headers: found, body: undefined, route };
  }
  const answering = lastAnswer(body, headers, wanted) ?? answerWith(route, body, headers, wanted);
  return visit.method === 'HEAD' ? onceThere(answering, withoutBody) : answering;
}

function answerWith(
  route: RouteName,
  body: Body,
  headers: HeaderFields,
  wanted: string,
): Answer | Promise<Answer> {
  return onceThere(wanted === IDENTITY ? body.bytes : body.compressed(wanted), (compressed) => {
    const encoding = compressed === undefined ? IDENTITY : wanted;
    const bytes = compressed ?? body.bytes;
    const answer: Answer = {
      status: 200,
      headers: {
        ...headers,
        ...BODY_HEADERS,
        etag: tagOf(body, encoding),
        ...(encoding !== IDENTITY && { 'content-encoding': encoding }),
        'content-length': String(bytes.length),
      },
      body: bytes,
      route,
    };
    lastAnswers.set(body, { headers, encoding, answer });
    return answer;
  });
}

const BODY_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/** The last answer with each body. */
const lastAnswers = new WeakMap<
  Body,
  { readonly headers: HeaderFields; readonly encoding: string; readonly answer: Answer }
>();

function lastAnswer(body: Body, headers: HeaderFields, encoding: string): Answer | undefined {
  const last = lastAnswers.get(body);
  return last?.headers === headers && last.encoding === encoding ? last.answer : undefined;
}

function withoutBody(answer: Answer): Answer {
  return { ...answer, body: undefined };
}

function tagOf({ hash }: Body, encoding: string): string {
  return encoding === IDENTITY ? `"${hash}"` : `"${hash}-${encoding}"`;
}

export function sendProblem(
  problem: Problem,
  visit: Visit,
  route: RouteName,
  headers: HeaderFields = {},
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
