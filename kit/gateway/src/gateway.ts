/**
 * The gateway stands between an account, whose token gives access to everything, and visitors, who may see what the
 * owner chose. `answer` handles a visit from its address to its bytes; everything on that way comes from memory.
 */

import { answerFeed, type FeedRoute } from './answer-feed.ts';
import { type BodyRoom, type Compressors, makeBodyRoom, type Schedule } from './bodies.ts';
import {
  type ConfigDocument,
  ConfigProblems,
  type FeedConfig,
  type GatewayConfig,
  type ImportedConfig,
} from './config.ts';
import { type Attempt, keepCopy } from './feed-copy.ts';
import { answerFile, CALENDAR_SCRIPT, filesOf, type ScriptFile } from './files.ts';
import { FORMS, NOTHING_PAGE_HEADERS, type Setting, settingsAt, writeNothingPage } from './forms.ts';
import {
  keepLinks,
  type LinkOptions,
  type LinksProblem,
  type NumberWatch,
  readLinks,
  type TakeLinks,
  watchNumbers,
} from './links/links.ts';
import { findPersonalRoutes } from './links/personal-routes.ts';
import { type Live, openLive, streamOf } from './live.ts';
import { chooseLanguage } from './page/language.ts';
import { readConfig } from './read-config.ts';
import {
  type Answer,
  allowOrigin,
  answerOther,
  type HeaderFields,
  makeAnswer,
  PROBLEMS,
  READ_METHODS,
  sendProblem,
  type Visit,
} from './response.ts';
import { openUpstream } from './upstream.ts';

export interface GatewayOptions extends LinkOptions {
  readonly config: ConfigDocument | ImportedConfig;
  /** The token of the account, or a function that returns it before every request to the upstream. */
  readonly token: string | (() => string | Promise<string>);
  /** The path under which everything is served, such as `/shifts`. */
  readonly pathPrefix?: string;
  /**
   * The public URL of that path, if it differs from the address of the request. Its host is part of the ids of events,
   * unless the configuration has a `calendar_id`.
   */
  readonly baseUrl?: string | undefined;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Sends requests to the upstream. By default the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Served beside the feeds. With `shift-calendar.js` among them, pages show the calendar. */
  readonly scripts?: readonly ScriptFile[];
  /**
   * In the order of preference, such as `{ gzip }`. By default none: most servers around a gateway compress what they
   * send, and some of them even what is compressed already.
   */
  readonly compressors?: Compressors;
  /**
   * Whether visitors can listen at `/live` below a feed. Only where the platform holds responses open for as long as a
   * visitor stays.
   */
  readonly live?: boolean;
  /** Decides when to write an answer that is not in memory. By default at once. */
  readonly schedule?: Schedule;
  /** The limit for the shifts of a feed. */
  readonly maxCopyBytes?: number;
  /** The limit for the answers of all feeds. */
  readonly maxBodiesBytes?: number;
  /** Called after each attempt to read the upstream. */
  readonly onAttempt?: (attempt: UpstreamAttempt) => void;
  /** Called each time that the secret or the numbers of personal links cannot be read. */
  readonly onLinksFailure?: (error: unknown) => void;
  /** Called once for each number of a link that probably does not do what was meant. The message has no name. */
  readonly onLinksDoubt?: (problem: LinksProblem) => void;
}

export interface UpstreamAttempt extends Attempt {
  readonly feed: string;
}

export interface Gateway {
  answer(visit: Visit): Promise<Answer>;
  /** Starts to renew the copies that are due, as visits do. */
  refresh(): void;
  /** Resolves when no request to the upstream is running any more. */
  settled(): Promise<void>;
  /** How much memory the answers take. */
  bodyBytes(): number;
}

/** Shared by all gateways without an id of their own. */
const DEFAULT_CALENDAR_ID = 'shiftfeed';
const MEGABYTE = 1024 * 1024;
const MAX_COPY_BYTES = 32 * MEGABYTE;
const MAX_BODIES_BYTES = 64 * MEGABYTE;

export function openGateway(options: GatewayOptions): Gateway {
  const config = readConfig(options.config);
  const { clock = Date.now, compressors = {} } = options;
  const pathPrefix = withoutSlash(options.pathPrefix ?? '');
  const baseUrl = options.baseUrl && withoutSlash(options.baseUrl);
  const files = new Map(filesOf(options.scripts ?? []).map((file) => [`${pathPrefix}/${file.name}`, file]));
  const room = makeBodyRoom(options.maxBodiesBytes ?? MAX_BODIES_BYTES, compressors, options.schedule);
  const fileBodies = room.open();
  const hasCalendar = files.has(`${pathPrefix}/${CALENDAR_SCRIPT}`);
  const calendarId = config.calendarId ?? hostOf(baseUrl) ?? DEFAULT_CALENDAR_ID;
  const fixed = { hasCalendar, calendarId, isLive: options.live === true };
  const settingOf = settingsAt(pathPrefix, baseUrl, fixed);
  const forPrograms = { root: baseUrl ?? pathPrefix, language: chooseLanguage(), ...fixed };

  const personal = config.feeds.filter(({ isPersonal }) => isPersonal);
  const watch = watchNumbers(
    personal.map(({ name }) => name),
    options.onLinksDoubt ?? (() => undefined),
  );
  const routes = routesOf(options, config, room, pathPrefix, hasCalendar, watch);
  const keepers = [...new Set([...routes.values()].map(({ keeper }) => keeper))];
  const lives = options.live ? livesOf(routes, forPrograms, clock) : new Map<string, LiveRoute>();
  const takeLinks = linksOf(options, personal, clock, watch);
  const findPersonalRoute = takeLinks && findPersonalRoutes(routes, pathPrefix, hasCalendar, takeLinks);

  async function answer(visit: Visit): Promise<Answer> {
    const path = visit.path.length > 1 && visit.path.endsWith('/') ? visit.path.slice(0, -1) : visit.path;
    const file = files.get(path);
    if (file !== undefined) return answerFile(visit, file, fileBodies);
    const live = lives.get(path);
    if (live !== undefined) return answerLive(visit, live);
    const route = routes.get(path) ?? (await findPersonalRoute?.(path));
    const nowMs = clock();
    if (route === undefined) return answerNothing(visit, () => settingOf(visit, nowMs));
    const allowed = allowOrigin(route.feed.origins, visit, route.headers);
    if (!READ_METHODS.has(visit.method)) return answerOther(visit, allowed, route.name);
    const setting = route.form.isForPeople ? settingOf(visit, nowMs) : forPrograms;
    return answerFeed(visit, route, setting, allowed, clock);
  }

  return {
    answer,
    refresh() {
      for (const keeper of keepers) keeper.find();
      void takeLinks?.();
    },
    async settled() {
      await Promise.all(keepers.map((keeper) => keeper.settled()));
    },
    bodyBytes: room.bytes,
  };
}

/** The addresses of each feed, in every form. They share a copy. */
function routesOf(
  options: GatewayOptions,
  { upstream: url, timeZone, feeds }: GatewayConfig,
  room: BodyRoom,
  pathPrefix: string,
  hasCalendar: boolean,
  watch: NumberWatch,
): ReadonlyMap<string, FeedRoute> {
  const { clock = Date.now, maxCopyBytes = MAX_COPY_BYTES } = options;
  const follow = openUpstream({ ...options, url, timeZone, maxCopyBytes });
  const routes = new Map<string, FeedRoute>();
  for (const feed of feeds) {
    const upstream = follow(feed);
    const keeper = keepCopy({
      maxAgeSeconds: feed.maxAgeSeconds,
      async read(nowMs) {
        const reading = await upstream.read(nowMs);
        if (feed.isPersonal) watch.people(feed.name, reading.people);
        return reading;
      },
      clock,
      makeBodies: room.open,
      onAttempt: (attempt) => options.onAttempt?.({ feed: feed.name, ...attempt }),
    });
    for (const form of FORMS) {
      const headers = form.headers(feed, hasCalendar);
      routes.set(`${pathPrefix}/${feed.name}${form.path}`, {
        name: form.name,
        feed,
        keeper,
        upstream,
        form,
        headers,
      });
    }
  }
  return routes;
}

interface LiveRoute {
  readonly route: FeedRoute;
  readonly live: Live;
}

/** Whoever looks as far back as can be, and so gets what began before the days of the feed and is still on. */
const EVERYTHING: Visit = {
  method: 'HEAD',
  path: '',
  search: '?date_from=1970-01-01',
  origin: () => '',
  header: () => undefined,
};

/** The stream of each feed. Its events have the hash of the JSON with everything that visitors can see. */
function livesOf(routes: ReadonlyMap<string, FeedRoute>, setting: Setting, clock: () => number) {
  const lives = new Map<string, LiveRoute>();
  for (const [path, route] of routes) {
    if (route.form.name !== 'json') continue;
    const idNow = async () => {
      const { status, headers } = await answerFeed(EVERYTHING, route, setting, {}, clock);
      return status === 200 ? headers.etag?.replaceAll('"', '') : undefined;
    };
    lives.set(path.replace(/\/shifts$/, '/live'), { route, live: openLive({ ...route, idNow }) });
  }
  return lives;
}

const LIVE_HEADERS: HeaderFields = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would hold events back.
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
};

function answerLive(visit: Visit, { route, live }: LiveRoute): Answer {
  const headers = allowOrigin(route.feed.origins, visit, {});
  if (!READ_METHODS.has(visit.method)) return answerOther(visit, headers, 'live');
  if (visit.search !== '') return sendProblem(PROBLEMS.liveTakesNothing, visit, 'live', headers);
  if (live.isFull()) return sendProblem(PROBLEMS.tooManyVisitors, visit, 'live', headers);
  const answer = makeAnswer(200, { ...headers, ...LIVE_HEADERS }, undefined, 'live');
  if (visit.method === 'HEAD') return answer;
  return { ...answer, stream: (visitor) => live.join(visitor, visit.header('last-event-id')) };
}

/** Undefined without a personal feed: then there are no personal addresses. */
function linksOf(
  options: GatewayOptions,
  personal: readonly FeedConfig[],
  clock: () => number,
  watch: NumberWatch,
): TakeLinks | undefined {
  if (personal.length === 0) return undefined;
  if (options.linksSecret === undefined) {
    const message = 'personal links need a secret.';
    throw new ConfigProblems(personal.map(({ name }) => ({ place: `feeds.${name}.personal`, message })));
  }
  const names = personal.map(({ name }) => name);
  const maxAgeSeconds = Math.min(...personal.map((feed) => feed.maxAgeSeconds));
  const onFailure = options.onLinksFailure ?? (() => undefined);
  return keepLinks(() => readLinks(options, names), maxAgeSeconds, clock, watch.numbers, onFailure);
}

function answerNothing(visit: Visit, setting: () => Setting): Answer {
  // Browsers that open an address accept HTML. Programs and scripts of pages do not ask for it.
  const isForPerson = READ_METHODS.has(visit.method) && visit.header('accept')?.includes('text/html');
  if (!isForPerson) return sendProblem(PROBLEMS.nothingHere, visit, 'none');
  const page = writeNothingPage(setting());
  return sendProblem(PROBLEMS.nothingHere, visit, 'none', NOTHING_PAGE_HEADERS, page);
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}

/** A handler with the interface of `fetch`, for workers, Deno, Bun, Next, Hono and others. */
export type FetchHandler = (request: Request, context?: BackgroundContext) => Promise<Response>;

/** Workers cancel what is still running after a response, unless they are told to wait for it. */
export interface BackgroundContext {
  waitUntil?(work: Promise<unknown>): void;
}

export function createGateway(options: GatewayOptions): FetchHandler {
  const gateway = openGateway(options);
  return async (request, context) => {
    const { origin, pathname, search } = new URL(request.url);
    const visit: Visit = {
      method: request.method,
      path: pathname,
      search,
      origin: () => origin,
      header: (name) => request.headers.get(name) ?? undefined,
    };
    const answering = gateway.answer(visit);
    // Called before the answer is there: a visitor who leaves, or an answer that fails, must not end the reading that
    // others wait for.
    context?.waitUntil?.(answering.then(gateway.settled, gateway.settled));
    const { status, headers, body, stream } = await answering;
    // Cloudflare would otherwise compress the body again.
    const init: ResponseInit & { encodeBody: 'manual' } = { status, headers, encodeBody: 'manual' };
    return new Response(
      stream ? streamOf(stream) : ((body as Uint8Array<ArrayBuffer> | undefined) ?? null),
      init,
    );
  };
}
