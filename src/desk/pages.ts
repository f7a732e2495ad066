/** The two pages of the desk: what whoever has a key sees, and what everybody else does. */

import { commonRoutes, pageRoute } from '../http/pages.ts';
import type { Respond, Route } from '../http/protocol/routes.ts';
import { ownFile } from '../install/files.ts';

const FILES = [
  'ask.js',
  'calendar.js',
  'changes.js',
  'controls.js',
  'history.js',
  'import.js',
  'main.js',
  'mistakes.js',
  'page.css',
  'preview.js',
  'questions.js',
  'secrets.js',
  'settings.js',
  'shifts.js',
  'sign-in.js',
  'texts.js',
];

/** By path. They hold no data, so everybody may have them. */
export function deskFiles(): ReadonlyMap<string, Route> {
  const own = FILES.map((name) => pageRoute(`/desk/${name}`, () => fileOf(name)));
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
  return ownFile(new URL(`./page/${name}`, import.meta.url));
}
