/**
 * The pages for people: the explorer at / lists shifts with filters, and the reference at /docs is docs/api.md, whose
 * examples open there. Nothing comes from another server. Each file has its own route, because all other paths
 * below /explorer/ and /docs/ belong to accounts of these names.
 */

import { basename } from 'node:path';
import { ownFile } from '../install/files.ts';
import { assetRoute } from './assets.ts';
import { redirection } from './protocol/exchange.ts';
import { type Route, splitUrl } from './protocol/routes.ts';

const OWN_FILES = ['page.css', 'main.js', 'answer.js', 'filters.js', 'listing.js', 'live.js', 'request.js'];
const LOOK_FILES = ['look.css', 'dom.js', 'shift-table.js'];
/** The scripts of the component, which import each other, and modules that count weeks and listen to streams. */
const KIT_SCRIPTS = ['shift-calendar.js', 'shift-calendar-grids.js', 'picked-week.js', 'listen.js'];

export function pageRoutes(pathPrefix: string): readonly Route[] {
  const explorer = pageRoute('', () => fileOf('explorer/page.html'));
  const explorerFiles = [
    ...OWN_FILES.map((name) => pageRoute(`/explorer/${name}`, () => fileOf(`explorer/${name}`))),
    ...commonRoutes('/explorer'),
  ];
  const reference = [
    pageRoute('/docs', async () => (await import('./reference/page.ts')).referencePage()),
    pageRoute('/docs/page.css', () => fileOf('reference/page.css')),
  ];
  return [
    // Links in the explorer are relative to its folder: with a prefix, /shifts/ is right and /shifts is not.
    redirecting(explorer, (path) =>
      pathPrefix === '' || path.endsWith('/') ? undefined : `${basename(pathPrefix)}/`,
    ),
    ...explorerFiles,
    // Links in the reference are relative to /docs, and would be wrong at /docs/.
    ...reference.map((route) =>
      redirecting(route, (path) => (path.endsWith('/') ? `../${basename(path)}` : undefined)),
    ),
  ];
}

/** In a folder, what the explorer and the desk have in common: their look, and the calendar. */
export function commonRoutes(folder: string): readonly Route[] {
  return [
    ...LOOK_FILES.map((name) => pageRoute(`${folder}/${name}`, () => fileOf(`look/${name}`))),
    ...KIT_SCRIPTS.map((name) => pageRoute(`${folder}/${name}`, () => kitFile(name))),
  ];
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/**
 * These pages hold a token or a key: only our own scripts may run in them, and they may only connect to this server.
 */
const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Icons are data URLs.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function pageRoute(
  path: string,
  read: () => Buffer | Promise<Buffer>,
  headers: Readonly<Record<string, string>> = {},
): Route {
  const contentType = CONTENT_TYPES[path.split('.').at(-1) ?? ''] ?? 'text/html; charset=utf-8';
  return assetRoute({ path, contentType, headers: { ...PAGE_HEADERS, ...headers }, read });
}

/** Redirects requests to a wrong form of the path. `targetOf` returns undefined for the right one. */
function redirecting(route: Route, targetOf: (path: string) => string | undefined): Route {
  return {
    path: route.path,
    at(account, search) {
      const respond = route.at(account, search);
      return (exchange) => {
        const target = targetOf(splitUrl(exchange.request.url ?? '').path);
        return target === undefined ? respond(exchange) : redirection(target);
      };
    },
  };
}

function fileOf(name: string): Buffer {
  return ownFile(new URL(name, import.meta.url));
}

/** Loaded on demand: the scripts of the component are made from its sources, which should not delay the start. */
async function kitFile(name: string): Promise<Buffer> {
  const { browserFiles, explorerFiles } = await import('@shiftfeed/calendar/browser-files');
  const file = [...browserFiles(), ...explorerFiles()].find((one) => one.name === name);
  if (file === undefined) throw new Error(`@shiftfeed/calendar has no ${name}.`);
  return Buffer.from(file.bytes);
}
