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

export interface StaticFile {
  readonly route: 'stylesheet' | 'script';
  readonly name: string;
  readonly contentType: string;
  readonly content: string | Uint8Array;
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
  const stylesheet: StaticFile = {
    route: 'stylesheet',
    name: STYLESHEET_NAME,
    contentType: 'text/css; charset=utf-8',
    content: STYLESHEET,
    headers: VARY,
  };
  const frameScript: StaticFile = {
    route: 'script',
    name: FRAME_SCRIPT_NAME,
    contentType: 'text/javascript; charset=utf-8',
    content: FRAME_SCRIPT,
    headers: VARY,
  };
  return [stylesheet, frameScript, ...scripts.map(scriptOf)];
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
    content: bytes,
    headers: {
      ...VARY,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    },
  };
}

export async function answerFile(
  visit: Visit,
  { route, name, contentType, content, headers: common }: StaticFile,
  bodies: Bodies,
  encodings: readonly string[],
): Promise<Answer> {
  if (!READ_METHODS.has(visit.method)) return answerOther(visit, common, route);
  const body = bodies.find(name) ?? (await bodies.write(name, true, () => content));
  return sendBody(visit, { route, body, contentType, common, cacheControl: CACHE_CONTROL }, encodings);
}
