/** What is asked and answered, apart from the server that sends it. Problems say nothing of the upstream. */

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

/** Who listens to a stream. */
export interface Visitor {
  /** False if the visitor has not read what was said before: then this is not said. */
  say(event: string): boolean;
}

/** Not to be changed: visits that want the same get the same answer. */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderFields;
  /** The same headers as alternating names and values, as servers take them fastest. */
  readonly headerList: readonly string[];
  readonly body: Uint8Array | undefined;
  /** Begins a stream that takes the place of the body. Returns what ends it. */
  readonly stream?: (visitor: Visitor) => () => void;
  /** Which kind of address answered, for metrics and logs. */
  readonly route: RouteName;
}

type FormName = 'json' | 'calendar' | 'page' | 'board';
export type RouteName = FormName | `personal-${FormName}` | 'live' | 'stylesheet' | 'script' | 'none';

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
  liveTakesNothing: { status: 400, message: 'A stream is of a whole feed: leave out the query.' },
  tooManyVisitors: {
    status: 503,
    message: 'Too many visitors listen to these shifts: ask for them now and then.',
    headers: { 'retry-after': '60' },
  },
  unavailable: { status: 503, message: 'The shifts cannot be shown at the moment: try again soon.' },
} as const satisfies Record<string, Problem>;

/** The methods that are answered with a body, or with its headers. */
export const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const encoder = new TextEncoder();
const PREFLIGHT_SECONDS = '600';

export function makeAnswer(
  status: number,
  headers: HeaderFields,
  body: Uint8Array | undefined,
  route: RouteName,
): Answer {
  return { status, headers, headerList: Object.entries(headers).flat(), body, route };
}

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
      'access-control-allow-headers': 'If-None-Match, Last-Event-ID',
      'access-control-max-age': PREFLIGHT_SECONDS,
    }),
  };
}

/** The answer to whatever does not read: a preflight request, or a method that is not allowed. */
export function answerOther(visit: Visit, headers: HeaderFields, route: RouteName): Answer {
  if (visit.method !== 'OPTIONS') return sendProblem(PROBLEMS.wrongMethod, visit, route, headers);
  return makeAnswer(204, { ...headers, ...PROBLEMS.wrongMethod.headers }, undefined, route);
}

/** A text that is written for an answer, and its type. */
export interface Written {
  readonly type: string;
  readonly text: string;
}

export function sendProblem(
  problem: Problem,
  visit: Visit,
  route: RouteName,
  headers: HeaderFields = {},
  written: Written = {
    type: 'application/json; charset=utf-8',
    text: JSON.stringify({ error: problem.message }),
  },
): Answer {
  const body = encoder.encode(written.text);
  const fields = {
    ...headers,
    ...problem.headers,
    'content-type': written.type,
    'content-length': String(body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return makeAnswer(problem.status, fields, visit.method === 'HEAD' ? undefined : body, route);
}
