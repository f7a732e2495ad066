/**
 * The gateway: stands between an account, whose token opens everything, and visitors, who may see what the owner chose.
 * A visit runs through `answer` from its address to its bytes; everything on that way comes from memory.
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
import { findPersonalRoutes, PERSONAL_HEADERS } from './links/personal-routes.ts';
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
import { openRoutes, type UpstreamAttempt } from './routes.ts';
import { openUpstream, type Upstream } from './upstream.ts';

export interface GatewayOptions extends LinkOptions {
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
  /** Called each time that the secret or the numbers of personal links could not be read. */
  readonly onLinksFailure?: (error: unknown) => void;
}

export interface Gateway {
  answer(visit: Visit): Promise<Answer>;
  /** Begins to renew what is due, as visits do. */
  refresh(): void;
  /** Resolves when nothing is under way at the upstream any more. */
  settled(): Promise<void>;
  /** What answers take in memory. */
  bodyBytes(): number;
}

/** The same for all gateways that do not say who they are. */
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
  const upstream = upstreamOf(options, config, clock);
  const routes = openRoutes(config.feeds, pathPrefix, upstream, clock, options.onAttempt);
  const keepers = new Set([...routes.values()].map(({ keeper }) => keeper));
  const links = linksOf(options, config, clock);
  const findPersonalRoute = links && findPersonalRoutes(routes, pathPrefix, links);
  const files = new Map(filesOf(options.scripts ?? []).map((file) => [`${pathPrefix}/${file.name}`, file]));
  const hasCalendar = files.has(`${pathPrefix}/${CALENDAR_SCRIPT}`);
  const calendarId = config.calendarId ?? hostOf(baseUrl) ?? DEFAULT_CALENDAR_ID;
  const settingOf = settingsAt(pathPrefix, baseUrl, { hasCalendar, calendarId }, clock);

  async function answer(visit: Visit): Promise<Answer> {
    const path = visit.path.length > 1 ? visit.path.replace(/\/$/, '') : visit.path;
    const file = files.get(path);
    if (file !== undefined) return answerFile(visit, file, bodies, encodings);
    const route = routes.get(path) ?? (await findPersonalRoute?.(path));
    if (route === undefined) return answerNothing(visit, settingOf);
    const { name, feed, form, person } = route;
    const allowed = {
      ...form.headers(feed, hasCalendar),
      ...(person === undefined ? allowOrigin(feed.origins, visit) : PERSONAL_HEADERS),
    };
    if (visit.method === 'OPTIONS') return preflight(allowed, name);
    if (!READ_METHODS.has(visit.method)) return sendProblem(PROBLEMS.wrongMethod, visit, name, allowed);
    return answerFeed(visit, route, settingOf(visit), allowed, bodies, encodings);
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
  clock: () => number,
): Upstream {
  const readToken = typeof token === 'string' ? () => token : token;
  return openUpstream({ url: upstream, token: readToken, timeZone, maxCopyBytes, clock, fetch });
}

/** Undefined without a personal feed: then no address is anybody's own. */
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

/** Beyond those that are popular, hosts share a page without the host, and languages that of their plain form. */
function settingsAt(
  pathPrefix: string,
  baseUrl: string | undefined,
  fixed: Pick<Setting, 'hasCalendar' | 'calendarId'>,
  clock: () => number,
): (visit: Visit) => Setting {
  const isPopular = knowPopular(clock);
  return (visit) => {
    const root = baseUrl ?? `${visit.origin}${pathPrefix}`;
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

/** Browsers that open an address say that they take HTML. Programs and scripts of pages do not. */
function isForPerson(visit: Visit): boolean {
  return READ_METHODS.has(visit.method) && (visit.header('accept') ?? '').includes('text/html');
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}
