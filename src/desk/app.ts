/**
 * The desk as an app: its pages, and what they ask for. A request is checked in this order: where it comes from, its key,
 * its role, its method. So nobody without a key learns which addresses there are.
 */

import { type App, type AppParts, makeApp } from '../http/app.ts';
import { commonRoutes, pageRoute } from '../http/pages.ts';
import { type Answer, jsonAnswer } from '../http/protocol/exchange.ts';
import { PROBLEMS, problemAnswer } from '../http/protocol/problems.ts';
import type { FindTarget, Respond, Route } from '../http/protocol/routes.ts';
import { ownFile, ownFilesIn } from '../install/files.ts';
import { StoreFailure } from '../store/failure.ts';
import { accountRoutes, describeSession } from './account-routes.ts';
import { importRoutes, jobRoutes, uploadRoute } from './import-routes.ts';
import { ownerRoutes } from './owner-routes.ts';
import { checkOrigin, DeskRefusal, notFound, readJson } from './request.ts';
import type { DeskOptions, DeskRoutes } from './route.ts';
import type { Session } from './session.ts';

const HEALTH_PATHS = ['/healthz', '/readyz'] as const;
const NO_STORE = ['cache-control', 'no-store'] as const;
/** Uploads may take long. Everything else has limits of its own. */
const REQUEST_TIMEOUT_MS = 16 * 60 * 1_000;
/** Everybody may send this much, so it is little. */
const MAX_KEY_BYTES = 1024;

export function makeDesk(options: DeskOptions): App {
  return makeApp({
    ...options,
    limits: { requestTimeoutMs: REQUEST_TIMEOUT_MS, ...options.limits },
    targets: (parts) => targetsOf(options, parts),
    healthPaths: HEALTH_PATHS,
  });
}

function targetsOf(options: DeskOptions, parts: AppParts): FindTarget {
  const routes = [
    ...listed({ ...accountRoutes(options), ...importRoutes(options) }),
    ...listed(uploadRoute(options), { takesFile: true }),
    ...listed(jobRoutes(options), { status: 202 }),
    ...listed(ownerRoutes(options), { isForOwners: true }),
  ];
  const files = deskFiles();
  const fixed: Readonly<Record<string, Respond>> = {
    [HEALTH_PATHS[0]]: () => healthy('ok'),
    [HEALTH_PATHS[1]]: async () => {
      if (parts.isDraining()) return problemAnswer(PROBLEMS.stopping);
      await (await options.database.store()).findAccount('');
      await options.imports.checkFolder();
      return healthy('ready');
    },
    '/api/session': sessionRoute(options, parts),
    '/': pageFor(({ request }) =>
      options.sessions.find(request).then(
        (session) => session !== undefined,
        // While the database is away, the page itself says so, and tries again.
        () => true,
      ),
    ),
  };
  return (path, search) => {
    const file = files.get(path);
    const inTable = path.startsWith('/api/') ? matching(routes, path) : undefined;
    const respond =
      (Object.hasOwn(fixed, path) ? fixed[path] : undefined) ??
      file?.at('', search) ??
      (inTable && apiRoute(options, inTable, search)) ??
      (() => problemAnswer({ status: 404, message: 'There is nothing at this address.' }));
    const route = inTable?.[0]?.route.path ?? (file || Object.hasOwn(fixed, path) ? path : 'none');
    // Addresses of the API say themselves which methods they take, to whoever has a key.
    const methods = path.startsWith('/api/') ? 'all' : 'read';
    const isPage = path === '/' || file !== undefined;
    return { route, account: '', search, methods, respond: guarded(isPage ? respond : asJson(respond)) };
  };
}

interface ListedRoute {
  readonly method: string;
  readonly path: string;
  readonly answer: DeskRoutes[keyof DeskRoutes];
  /** Left out: planners and owners. */
  readonly isForOwners?: boolean;
  /** Whether it reads what is sent itself. Otherwise that is JSON. */
  readonly takesFile?: boolean;
  /** Of an answer. Left out: 201 for what was made, and 200. */
  readonly status?: number;
}

function listed(table: DeskRoutes, how: Partial<ListedRoute> = {}): readonly ListedRoute[] {
  return Object.entries(table).map(([address, answer]) => {
    const [method = '', path = ''] = address.split(' ');
    return { method, path, answer, ...how };
  });
}

interface Matching {
  readonly route: ListedRoute;
  readonly id: string;
}

/** The routes of a path, one for each method. */
function matching(routes: readonly ListedRoute[], path: string): readonly Matching[] {
  const words = path.slice('/api/'.length).split('/');
  return routes.flatMap((route) => {
    const expected = route.path.split('/');
    if (expected.length !== words.length) return [];
    if (!expected.every((word, i) => word === words[i] || word === ':id')) return [];
    return [{ route, id: words[expected.indexOf(':id')] ?? '' }];
  });
}

function apiRoute({ sessions, origins }: DeskOptions, found: readonly Matching[], search: string): Respond {
  return async (exchange) => {
    const { request, response } = exchange;
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    if (method !== 'GET') checkOrigin(request, origins());
    const signIn = async () => {
      const session = await sessions.find(request);
      if (session === undefined) throw signedOut();
      return session;
    };
    const first = await signIn();
    if (found.length === 0) throw notFound();
    const match = found.find(({ route }) => route.method === method);
    if (match === undefined) throw wrongMethod(found);
    const { route, id } = match;
    if (route.isForOwners && first.role !== 'owner')
      throw new DeskRefusal(403, 'This is for owners of the account: you have the key of a planner.');
    const hasJson = (method === 'POST' || method === 'PATCH') && !route.takesFile;
    const body = hasJson ? await readJson(request, response) : {};
    // While it was on its way, the key may have been revoked, and the account may have got another name.
    const session = hasJson ? await signIn() : first;
    const query = new URLSearchParams(search);
    const value = await route.answer({ session, exchange, id, query, body, checkAgain: signIn });
    if (value === undefined) return nothing();
    return jsonAnswer(route.status ?? (method === 'POST' ? 201 : 200), value, NO_STORE);
  };
}

/** The one address that takes a key. */
function sessionRoute(options: DeskOptions, { addressOf }: AppParts): Respond {
  const { sessions, origins } = options;
  return async (exchange) => {
    const { request, response } = exchange;
    if (request.method === 'POST') {
      checkOrigin(request, origins());
      const { key, instead } = await readJson(request, response, MAX_KEY_BYTES);
      const { session, cookie } = await sessions.begin(key, addressOf(request));
      // Otherwise whoever gets somebody to open a link gets the next workbook.
      if (instead !== true) checkSame(await sessions.find(request), session);
      return nothing(['set-cookie', cookie]);
    }
    if (request.method === 'DELETE') {
      checkOrigin(request, origins());
      return nothing(['set-cookie', sessions.ended]);
    }
    const session = await sessions.find(request);
    if (session === undefined) throw signedOut();
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new DeskRefusal(405, 'Expected the method GET, POST or DELETE.', { allow: 'GET, POST, DELETE' });
    return jsonAnswer(200, describeSession(session, options.nowMs()), NO_STORE);
  };
}

function checkSame(before: Session | undefined, after: Session): void {
  if (before === undefined || (before.slug === after.slug && before.name === after.name)) return;
  const [there, here] = [before, after].map(
    ({ slug, account, name }) => `${account?.name ?? slug} (${slug}) as ${name}`,
  );
  throw new DeskRefusal(409, `You are signed in to ${there}. This link opens ${here}.`);
}

const CLOSING = { connection: 'close' } as const;

function signedOut(): DeskRefusal {
  return new DeskRefusal(401, 'Sign in: open the link that you were given.');
}

function wrongMethod(found: readonly Matching[]): DeskRefusal {
  const allowed = found.map(({ route }) => route.method).join(', ');
  return new DeskRefusal(405, `Expected the method ${allowed}.`, { allow: allowed });
}

/** Names in an answer must not make a page of it, whatever a browser takes it for. Pages have headers of their own. */
function asJson(respond: Respond): Respond {
  return (exchange) => {
    exchange.headers.push('x-content-type-options', 'nosniff');
    return respond(exchange);
  };
}

/** Turns what the desk refuses into an answer. Other errors are the app's. */
function guarded(respond: Respond): Respond {
  return async (exchange) => {
    try {
      // Node takes the first, and a proxy may have taken the last.
      if ((exchange.request.headersDistinct.host?.length ?? 0) > 1)
        throw new DeskRefusal(400, 'The request has more than one Host header.');
      return await respond(exchange);
    } catch (error) {
      if (error instanceof DeskRefusal)
        return problemAnswer({
          status: error.status,
          message: error.message,
          // Otherwise Node would go on to read the rest of the body.
          headers: exchange.request.complete ? error.headers : { ...error.headers, ...CLOSING },
        });
      if (error instanceof StoreFailure && error.kind === 'refused')
        return problemAnswer({ status: 409, message: error.message });
      throw error;
    }
  };
}

function healthy(status: string): Answer {
  return jsonAnswer(200, { status }, NO_STORE);
}

function nothing(headers: readonly (string | number)[] = []): Answer {
  return { status: 204, headers: [...NO_STORE, ...headers], chunks: [] };
}

/** The two pages of the desk: what whoever has a key sees, and what everybody else does. */
const FOLDER = new URL('./page/', import.meta.url);

/** By path. They hold no data, so everybody may have them. */
function deskFiles(): ReadonlyMap<string, Route> {
  const names = ownFilesIn(FOLDER).filter((name) => /\.(?:css|js|ts)$/.test(name));
  // In a clone, scripts are TypeScript.
  const own = names
    .map((name) => name.replace(/ts$/, 'js'))
    .map((name) => pageRoute(`/desk/${name}`, () => fileOf(name)));
  return new Map([...own, ...commonRoutes('/desk')].map((route) => [route.path, route]));
}

/** Answers with the page of whoever has a key, or with the one that says how to get one. */
function pageFor(hasKey: (exchange: Parameters<Respond>[0]) => Promise<boolean>): Respond {
  const [page, signIn] = ['page.html', 'sign-in.html'].map((name) =>
    pageRoute('/', () => fileOf(name), { 'cache-control': 'no-store' }).at('', ''),
  ) as [Respond, Respond];
  return async (exchange) => ((await hasKey(exchange)) ? page : signIn)(exchange);
}

function fileOf(name: string): Buffer {
  return ownFile(new URL(name, FOLDER));
}
