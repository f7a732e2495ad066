/**
 * The gateway stands between an account, whose token gives access to everything, and visitors, who may see what the
 * owner chose. `answer` handles a visit from its address to its bytes; everything on that way comes from memory.
 */

import { answerFeed } from './answer-feed.ts';
import { keepBodies, type Schedule } from './bodies.ts';
import { ConfigProblems } from './config/problems.ts';
import { readConfig } from './config/read-config.ts';
import type { ConfigDocument, GatewayConfig, ImportedConfig } from './config.ts';
import { type Compressors, PLATFORM_COMPRESSORS } from './encoding.ts';
import { answerFile, CALENDAR_SCRIPT, filesOf, type ScriptFile } from './files.ts';
import { NOTHING_PAGE_HEADERS, type Setting, writeNothingPage } from './forms.ts';
import { keepLinks, type LinksKeeper } from './links/keep-links.ts';
import { type LinkOptions, readLinks } from './links/link-source.ts';
import { findPersonalRoutes } from './links/personal-routes.ts';
import { onceThere } from './once-there.ts';
import { chooseLanguage, plainLanguage } from './page/language.ts';
import { knowPopular } from './popular.ts';
import {
  type Answer,
  allowOrigin,
  PROBLEMS,
  preflight,
  READ_METHODS,
  sendProblem,
  type Visit,
} from './response.ts';
import { openRoutes, type Route, type UpstreamAttempt } from './routes.ts';
import { openUpstream, type Upstream } from './upstream.ts';

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
  /** In the order of preference. By default only gzip. */
  readonly compressors?: Compressors;
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
}

export interface Gateway {
  /** At once when everything that it takes is in memory. */
  answer(visit: Visit): Answer | Promise<Answer>;
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
  const { clock = Date.now, compressors = PLATFORM_COMPRESSORS } = options;
  const pathPrefix = withoutSlash(options.pathPrefix ?? '');
  const baseUrl = options.baseUrl && withoutSlash(options.baseUrl);
  const bodies = keepBodies(options.maxBodiesBytes ?? MAX_BODIES_BYTES, compressors, options.schedule);
  const encodings = Object.keys(compressors);
  const upstream = upstreamOf(options, config);
  const files = new Map(filesOf(options.scripts ?? []).map((file) => [`${pathPrefix}/${file.name}`, file]));
  const hasCalendar = files.has(`${pathPrefix}/${CALENDAR_SCRIPT}`);
  const routes = openRoutes(config.feeds, pathPrefix, hasCalendar, upstream, clock, options.onAttempt);
  const keepers = new Set([...routes.values()].map(({ keeper }) => keeper));
  const links = linksOf(options, config, clock);
  const findPersonalRoute = links && findPersonalRoutes(routes, pathPrefix, hasCalendar, links);
  const calendarId = config.calendarId ?? hostOf(baseUrl) ?? DEFAULT_CALENDAR_ID;
  const fixed = { hasCalendar, calendarId };
  const settingOf = settingsAt(pathPrefix, baseUrl, fixed, clock);
  const forPrograms: Setting = { root: baseUrl ?? pathPrefix, acceptLanguage: undefined, ...fixed };

  function answer(visit: Visit): Answer | Promise<Answer> {
    const path = visit.path.length > 1 && visit.path.endsWith('/') ? visit.path.slice(0, -1) : visit.path;
    const file = files.get(path);
    if (file !== undefined) return answerFile(visit, file, bodies, encodings);
    return onceThere(routes.get(path) ?? findPersonalRoute?.(path), (route) => answerRoute(visit, route));
  }

  function answerRoute(visit: Visit, route: Route | undefined): Answer | Promise<Answer> {
    if (route === undefined) return answerNothing(visit, settingOf);
    const { name, feed, form } = route;
    const allowed = allowOrigin(feed.origins, visit, route.headers);
    if (visit.method === 'OPTIONS') return preflight(allowed, name);
    if (!READ_METHODS.has(visit.method)) return sendProblem(PROBLEMS.wrongMethod, visit, name, allowed);
    const setting = form.isForPeople ? settingOf(visit) : forPrograms;
    return answerFeed(visit, route, setting, allowed, bodies, encodings);
  }

  return {
    answer,
    refresh() {
      for (const keeper of keepers) keeper.find();
      void links?.take();
    },
    async settled() {
      await Promise.all([...keepers].map((keeper) => keeper.settled()));
    },
    bodyBytes: bodies.bytes,
  };
}

function upstreamOf(
  { token, maxCopyBytes = MAX_COPY_BYTES, fetch }: GatewayOptions,
  { upstream, timeZone }: GatewayConfig,
): Upstream {
  const readToken = typeof token === 'string' ? () => token : token;
  return openUpstream({ url: upstream, token: readToken, timeZone, maxCopyBytes, fetch });
}

/** Undefined without a personal feed: then there are no personal addresses. */
function linksOf(
  options: GatewayOptions,
  { feeds }: GatewayConfig,
  clock: () => number,
): LinksKeeper | undefined {
  const personal = feeds.filter(({ isPersonal }) => isPersonal);
  if (personal.length === 0) return undefined;
  if (options.linksSecret === undefined) {
    const message = 'personal links need a secret.';
    throw new ConfigProblems(personal.map(({ name }) => ({ place: `feeds.${name}.personal`, message })));
  }
  const names = personal.map(({ name }) => name);
  return keepLinks({
    read: () => readLinks(options, names),
    maxAgeSeconds: Math.min(...personal.map(({ maxAgeSeconds }) => maxAgeSeconds)),
    clock,
    onFailure: options.onLinksFailure ?? (() => undefined),
  });
}

/**
 * Only popular hosts and languages have pages of their own. Other hosts share a page without the host, and other
 * languages share that of their plain form.
 */
function settingsAt(
  pathPrefix: string,
  baseUrl: string | undefined,
  fixed: Pick<Setting, 'hasCalendar' | 'calendarId'>,
  clock: () => number,
): (visit: Visit) => Setting {
  const isPopular = knowPopular(clock);
  return (visit) => {
    const root = baseUrl ?? `${visit.origin()}${pathPrefix}`;
    const acceptLanguage = visit.header('accept-language');
    if (isPopular(`${chooseLanguage(acceptLanguage).locale} ${root}`))
      return { root, acceptLanguage, ...fixed };
    return { root: baseUrl ?? pathPrefix, acceptLanguage: plainLanguage(acceptLanguage), ...fixed };
  };
}

function answerNothing(visit: Visit, settingOf: (visit: Visit) => Setting): Answer {
  if (!isForPerson(visit)) return sendProblem(PROBLEMS.nothingHere, visit, 'none');
  const page = writeNothingPage(settingOf(visit));
  return sendProblem(PROBLEMS.nothingHere, visit, 'none', NOTHING_PAGE_HEADERS, page);
}

/** Browsers that open an address accept HTML. Programs and scripts of pages do not ask for it. */
function isForPerson(visit: Visit): boolean {
  return READ_METHODS.has(visit.method) && (visit.header('accept') ?? '').includes('text/html');
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}
