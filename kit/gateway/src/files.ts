/**
 * Files beside the feeds: stylesheet and script of the page, and other scripts. Names of feeds have no dots, so they
 * cannot collide.
 */

import { quote } from '@shiftfeed/common/quote';
import { type Bodies, sendBody } from './bodies.ts';
import { FRAME_SCRIPT } from './page/scripts.ts';
import { STYLESHEET } from './page/stylesheet.ts';
import { type Answer, answerOther, type HeaderFields, READ_METHODS, type Visit } from './response.ts';

/** A script for browsers, as `browserFiles()` of `@shiftfeed/calendar/browser-files` gives it. */
export interface ScriptFile {
  /** Such as `shift-calendar.js`. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface StaticFile extends ScriptFile {
  readonly route: 'stylesheet' | 'script';
  readonly headers: HeaderFields;
}

/** The script that shows `<shift-calendar>`. */
export const CALENDAR_SCRIPT = 'shift-calendar.js';
export const STYLESHEET_NAME = 'gateway.css';
export const FRAME_SCRIPT_NAME = 'gateway-frame.js';

const SCRIPT_NAME = /^[\w-]+\.js$/;
const CACHE_CONTROL = 'public, max-age=3600';
const VARY = { vary: 'Accept-Encoding' };

export function filesOf(scripts: readonly ScriptFile[]): readonly StaticFile[] {
  return [
    ownFile('stylesheet', STYLESHEET_NAME, 'text/css', STYLESHEET),
    ownFile('script', FRAME_SCRIPT_NAME, 'text/javascript', FRAME_SCRIPT),
    ...scripts.map(scriptOf),
  ];
}

function ownFile(route: StaticFile['route'], name: string, type: string, text: string): StaticFile {
  const bytes = new TextEncoder().encode(text);
  return { route, name, contentType: `${type}; charset=utf-8`, bytes, headers: VARY };
}

/**
 * Every website may load it, even one that only loads what is marked as embeddable. The feeds decide what it can show.
 */
function scriptOf({ name, contentType, bytes }: ScriptFile): StaticFile {
  if (!SCRIPT_NAME.test(name) || name === FRAME_SCRIPT_NAME) {
    throw new RangeError(`${quote(name)} is not the name of a script: expected one such as "app.js".`);
  }
  return {
    route: 'script',
    name,
    contentType,
    bytes,
    headers: {
      ...VARY,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    },
  };
}

export async function answerFile(
  visit: Visit,
  { route, name, contentType, bytes, headers: common }: StaticFile,
  bodies: Bodies,
): Promise<Answer> {
  if (!READ_METHODS.has(visit.method)) return answerOther(visit, common, route);
  const body = bodies.find(name) ?? (await bodies.write(name, true, () => bytes));
  return sendBody(visit, { route, body, contentType, common, cacheControl: CACHE_CONTROL });
}
