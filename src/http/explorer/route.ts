/**
 * Serves the explorer at `/`: a page for people that lists shifts with filters. Each of its files has its own route,
 * because all other paths below /explorer/ belong to an account of that name.
 */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { assetRoute } from '../assets/asset.ts';
import { PAGE_HEADERS, PAGE_TYPES } from '../assets/page.ts';
import { redirection } from '../protocol/exchange.ts';
import type { Route } from '../protocol/routes.ts';
import { splitUrl } from '../protocol/routes.ts';

const SCRIPTS = [
  'main.js',
  'calendar-panel.js',
  'copy.js',
  'dom.js',
  'facts.js',
  'filters.js',
  'listing.js',
  'problems.js',
  'request-panel.js',
  'samples.js',
  'table.js',
  'tabs.js',
  'unpublished.js',
];
/** The scripts of the component, which import each other, and the module that counts weeks. */
const CALENDAR_SCRIPTS = ['shift-calendar.js', 'shift-calendar-grids.js', 'picked-week.js'];

export function explorerRoutes(pathPrefix: string): readonly Route[] {
  const page = { path: '', contentType: PAGE_TYPES.html, read: () => ownFile('page.html') };
  const files = [
    { path: '/explorer/page.css', contentType: PAGE_TYPES.css, read: () => ownFile('page.css') },
    ...SCRIPTS.map((name) => script(name, () => ownFile(name))),
    ...CALENDAR_SCRIPTS.map((name) => script(name, () => calendarFile(name))),
  ];
  return [
    withTrailingSlash(assetRoute({ ...page, headers: PAGE_HEADERS }), pathPrefix),
    ...files.map((file) => assetRoute({ ...file, headers: PAGE_HEADERS })),
  ];
}

function script(name: string, read: () => Promise<Buffer>) {
  return { path: `/explorer/${name}`, contentType: PAGE_TYPES.js, read };
}

/** Links in the page are relative to its folder: with a prefix, /shifts/ is right and /shifts is not. */
function withTrailingSlash(route: Route, pathPrefix: string): Route {
  return {
    path: route.path,
    at(account, search) {
      const respond = route.at(account, search);
      return (exchange) => {
        const { path } = splitUrl(exchange.request.url ?? '');
        const hasSlash = pathPrefix === '' || path.endsWith('/');
        return hasSlash ? respond(exchange) : redirection(`${basename(pathPrefix)}/`);
      };
    },
  };
}

function ownFile(name: string): Promise<Buffer> {
  return readFile(join(import.meta.dirname, 'page', name));
}

/** Loaded on demand: the scripts of the component are made from its sources, which should not delay the start. */
async function calendarFile(name: string): Promise<Buffer> {
  const { browserFiles, pickedWeekFile } = await import('@shiftfeed/calendar/browser-files');
  const file = [...browserFiles(), pickedWeekFile()].find((one) => one.name === name);
  if (file === undefined) throw new Error(`@shiftfeed/calendar has no ${name}.`);
  return Buffer.from(file.bytes);
}
