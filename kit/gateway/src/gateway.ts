/**
 * The gateway: stands between an account, whose token opens everything, and visitors, who may see what the owner chose.
 * A visit runs through `answer` from its address to its bytes; everything on that way comes from memory.
 */

import { todayIn } from '@shiftfeed/client';
import { type Body, keepBodies, type Schedule, TooBusy } from './bodies.ts';
import { type ConfigDocument, type FeedConfig, type ImportedConfig, readConfig } from './config.ts';
import { type Compressors, PLATFORM_COMPRESSORS } from './encoding.ts';
import { type Attempt, type CopyKeeper, type FeedCopy, keepCopy } from './feed-copy.ts';
import { answerFile, CALENDAR_SCRIPT, filesOf, type ScriptFile } from './files.ts';
import { FORMS, type Form, NOTHING_PAGE_HEADERS, type Setting, writeNothingPage } from './forms.ts';
import { BadQuery, type Narrowing, readNarrowing } from './narrowing.ts';
import { chooseLanguage, plainLanguage } from './page/language.ts';
import { knowPopular } from './popular.ts';
import { firstStartFor } from './projection.ts';
import {
  type Answer,
  allowOrigin,
  PROBLEMS,
  preflight,
  READ_METHODS,
  sendBody,
  sendProblem,
  type Visit,
} from './response.ts';
import { openUpstream } from './upstream.ts';
import { visibleFeed } from './visible-feed.ts';

export interface GatewayOptions {
  readonly config: ConfigDocument | ImportedConfig;
  /** The token of the account, or where it is read from before every request to the upstream. */
  readonly token: string | (() => string | Promise<string>);
  /** Under which path everything lies, such as `/shifts`. */
  readonly pathPrefix?: string;
  /**
   * Where visitors reach what lies there, if not at the address of their request. Its host is part of the identities of
   * events, unless the configuration has a `calendar_id`.
   */
  readonly baseUrl?: string | undefined;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** What sends requests to the upstream, if not the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Served beside the feeds. With `shift-calendar.js` among them, pages show the calendar. */
  readonly scripts?: readonly ScriptFile[];
  /** In the order of preference, if not gzip alone. */
  readonly compressors?: Compressors;
  /** When to write an answer that is not in memory, if not at once. */
  readonly schedule?: Schedule;
  /** For the shifts of a feed. */
  readonly maxCopyBytes?: number;
  /** For the answers of all feeds. */
  readonly maxBodiesBytes?: number;
  /** Called after each attempt to read the upstream. */
  readonly onAttempt?: (attempt: UpstreamAttempt) => void;
}

export interface UpstreamAttempt extends Attempt {
  readonly feed: string;
}

export interface Gateway {
  answer(visit: Visit): Promise<Answer>;
  /** Begins to renew the copies that are due, as visits do. */
  refresh(): void;
  /** Resolves when nothing is under way at the upstream any more. */
  settled(): Promise<void>;
  /** What answers take in memory. */
  bodyBytes(): number;
}

/** The same for all gateways that do not say who they are. */
const DEFAULT_CALENDAR_ID = 'shiftfeed';
const BUSY_SECONDS = '1';
const MEGABYTE = 1024 * 1024;
const MAX_COPY_BYTES = 32 * MEGABYTE;
const MAX_BODIES_BYTES = 64 * MEGABYTE;

export function openGateway(options: GatewayOptions): Gateway {
  const config = readConfig(options.config);
  const { token, clock = Date.now, compressors = PLATFORM_COMPRESSORS } = options;
  const pathPrefix = withoutSlash(options.pathPrefix ?? '');
  const bodies = keepBodies(options.maxBodiesBytes ?? MAX_BODIES_BYTES, compressors, options.schedule);
  const encodings = Object.keys(compressors);
  const baseUrl = options.baseUrl && withoutSlash(options.baseUrl);
  const calendarId = config.calendarId ?? hostOf(baseUrl) ?? DEFAULT_CALENDAR_ID;
  const upstream = openUpstream({
    url: config.upstream,
    token: typeof token === 'string' ? () => token : token,
    timeZone: config.timeZone,
    maxCopyBytes: options.maxCopyBytes ?? MAX_COPY_BYTES,
    clock,
    fetch: options.fetch,
  });
  const isPopular = knowPopular(clock);
  const routes = new Map<string, Route>();
  const keepers: CopyKeeper[] = [];
  for (const feed of config.feeds) {
    const keeper = keepCopy({
      maxAgeSeconds: feed.maxAgeSeconds,
      read: upstream.follow(feed),
      clock,
      onAttempt: (attempt) => options.onAttempt?.({ feed: feed.name, ...attempt }),
    });
    const today = rememberToday(clock);
    keepers.push(keeper);
    for (const form of FORMS) {
      routes.set(`${pathPrefix}/${feed.name}${form.path}`, { feed, keeper, form, today });
    }
  }
  const files = new Map(filesOf(options.scripts ?? []).map((file) => [`${pathPrefix}/${file.name}`, file]));
  const hasCalendar = files.has(`${pathPrefix}/${CALENDAR_SCRIPT}`);

  async function answer(visit: Visit): Promise<Answer> {
    const path = visit.path.length > 1 ? visit.path.replace(/\/$/, '') : visit.path;
    const file = files.get(path);
    if (file !== undefined) return answerFile(visit, file, bodies, encodings);
    const route = routes.get(path);
    if (route === undefined) return answerNothing(visit);
    const { feed, form } = route;
    const allowed = { ...form.headers(feed, hasCalendar), ...allowOrigin(feed.origins, visit) };
    if (visit.method === 'OPTIONS') return preflight(allowed, form.name);
    if (!READ_METHODS.has(visit.method)) return sendProblem(PROBLEMS.wrongMethod, visit, form.name, allowed);
    return answerFeed(visit, route, allowed);
  }

  function answerNothing(visit: Visit): Answer {
    if (!isForPerson(visit)) return sendProblem(PROBLEMS.nothingHere, visit, 'none');
    const page = writeNothingPage(settingOf(visit));
    return sendProblem(PROBLEMS.nothingHere, visit, 'none', NOTHING_PAGE_HEADERS, page);
  }

  /** Beyond those that are popular, hosts share a page without the host, and languages that of their plain form. */
  function settingOf(visit: Visit): Setting {
    const root = baseUrl ?? `${visit.origin}${pathPrefix}`;
    const acceptLanguage = visit.header('accept-language');
    if (isPopular(`${chooseLanguage(acceptLanguage).locale} ${root}`))
      return { root, acceptLanguage, hasCalendar, calendarId };
    return {
      root: baseUrl ?? pathPrefix,
      acceptLanguage: plainLanguage(acceptLanguage),
      hasCalendar,
      calendarId,
    };
  }

  async function answerFeed(visit: Visit, route: Route, headers: Record<string, string>): Promise<Answer> {
    const { feed, keeper, form } = route;
    const setting = settingOf(visit);
    const problem = (which: { status: number; message: string }, more: Record<string, string> = {}) => {
      const body = form.problem?.(feed, which, setting);
      return sendProblem(which, visit, form.name, { ...headers, ...more }, body);
    };
    const narrowing = narrow(visit.search);
    if (narrowing instanceof BadQuery) return problem({ status: 400, message: narrowing.message });
    const copy = keeper.find() ?? (await keeper.take());
    if (copy === undefined) {
      return problem(PROBLEMS.unavailable, { 'retry-after': String(keeper.retrySeconds()) });
    }
    const today = route.today(copy.timeZone);
    const isNarrowed = visit.search !== '';
    const variant = form.variant(setting, narrowing);
    const key = [feed.name, form.name, copy.version, today, keyOf(narrowing, copy), variant].join(' ');
    const write = () => form.write(visibleFeed(feed, copy, today, narrowing), setting);
    const body = await unlessBusy(bodies.get(key, !isNarrowed, write));
    if (body === undefined) return problem(PROBLEMS.unavailable, { 'retry-after': BUSY_SECONDS });
    headers['cache-control'] = `public, max-age=${keeper.freshSeconds()}`;
    headers['content-type'] = form.type;
    return sendBody(visit, form.name, body, headers, encodings);
  }

  return {
    answer,
    refresh() {
      for (const keeper of keepers) keeper.find();
    },
    async settled() {
      await Promise.all(keepers.map((keeper) => keeper.settled()));
    },
    bodyBytes: bodies.bytes,
  };
}

/** Browsers that open an address say that they take HTML. Programs and scripts of pages do not. */
function isForPerson(visit: Visit): boolean {
  return READ_METHODS.has(visit.method) && (visit.header('accept') ?? '').includes('text/html');
}

async function unlessBusy(body: Body | Promise<Body>): Promise<Body | undefined> {
  try {
    return await body;
  } catch (error) {
    if (error instanceof TooBusy) return undefined;
    throw error;
  }
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}

interface Route {
  readonly feed: FeedConfig;
  readonly keeper: CopyKeeper;
  readonly form: Form;
  readonly today: (timeZone: string) => string;
}

/** A handler as servers of the web know it: for workers, Deno, Bun, Next, Hono and whatever else speaks `fetch`. */
export type FetchHandler = (request: Request, context?: BackgroundContext) => Promise<Response>;

/** Workers end what is still under way after an answer, unless they are told to wait for it. */
export interface BackgroundContext {
  waitUntil?(work: Promise<unknown>): void;
}

export function createGateway(options: GatewayOptions): FetchHandler {
  const gateway = openGateway(options);
  return async (request, context) => {
    const { origin, pathname, search } = new URL(request.url);
    const answering = gateway.answer({
      method: request.method,
      path: pathname,
      search,
      origin,
      header: (name) => request.headers.get(name) ?? undefined,
    });
    // Told before the answer is there: a visitor who goes away must not end the reading that others wait for.
    context?.waitUntil?.(answering.then(gateway.settled));
    const { status, headers, body } = await answering;
    // Cloudflare would compress once more what is compressed already.
    const init: ResponseInit & { encodeBody: 'manual' } = { status, headers, encodeBody: 'manual' };
    return new Response((body as Uint8Array<ArrayBuffer> | undefined) ?? null, init);
  };
}

function narrow(search: string): Narrowing | BadQuery {
  try {
    return readNarrowing(search);
  } catch (error) {
    if (error instanceof BadQuery) return error;
    throw error;
  }
}

/** Queries that mean the same share a body. */
function keyOf({ from, to, groupIds }: Narrowing, { window }: FeedCopy): string {
  const first = firstStartFor(window);
  const start = from === undefined || from > first ? from : first;
  const end = to !== undefined && to < window.to ? to : '';
  return `${start ?? ''}/${end}/${groupIds?.join() ?? 'all'}`;
}

/** To find the date takes some calendar work, and it does not change within a minute. */
function rememberToday(clock: () => number): (timeZone: string) => string {
  let known = { minute: Number.NaN, timeZone: '', today: '' };
  return (timeZone) => {
    const nowMs = clock();
    const minute = Math.floor(nowMs / 60_000);
    if (known.minute !== minute || known.timeZone !== timeZone) {
      known = { minute, timeZone, today: todayIn(timeZone, new Date(nowMs)) };
    }
    return known.today;
  };
}
