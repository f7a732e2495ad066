/** The two pages of the desk: what whoever has a key sees, and what everybody else does. */

import { commonRoutes, pageRoute } from '../http/pages.ts';
import type { Respond, Route } from '../http/protocol/routes.ts';
import { ownFile, ownFilesIn } from '../install/files.ts';

const FOLDER = new URL('./page/', import.meta.url);

/** By path. They hold no data, so everybody may have them. */
export function deskFiles(): ReadonlyMap<string, Route> {
  const names = ownFilesIn(FOLDER).filter((name) => /\.(?:css|js|ts)$/.test(name));
  // In a clone, scripts are TypeScript.
  const own = names
    .map((name) => name.replace(/ts$/, 'js'))
    .map((name) => pageRoute(`/desk/${name}`, () => fileOf(name)));
  return new Map([...own, ...commonRoutes('/desk')].map((route) => [route.path, route]));
}

/** Answers with the page of whoever has a key, or with the one that says how to get one. */
export function pageFor(hasKey: (exchange: Parameters<Respond>[0]) => Promise<boolean>): Respond {
  const [page, signIn] = ['page.html', 'sign-in.html'].map((name) =>
    pageRoute('/', () => fileOf(name), { 'cache-control': 'no-store' }).at('', ''),
  ) as [Respond, Respond];
  return async (exchange) => ((await hasKey(exchange)) ? page : signIn)(exchange);
}

function fileOf(name: string): Buffer {
  return ownFile(new URL(name, FOLDER));
}
