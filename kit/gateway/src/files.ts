/**
 * Files beside the feeds: stylesheet and script of the page, and other scripts. Names of feeds have no dots, so they
 * cannot collide.
 */

import { quote } from '@shiftfeed/common/quote';
import type { Bodies } from './bodies.ts';
import { onceThere } from './once-there.ts';
import { FRAME_SCRIPT, FRAME_SCRIPT_TYPE } from './page/frame-script.ts';
import { STYLESHEET, STYLESHEET_TYPE } from './page/stylesheet.ts';
import {
  type Answer,
  PROBLEMS,
  preflight,
  READ_METHODS,
  sendBody,
  sendProblem,
  type Visit,
} from './response.ts';

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
  readonly content: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** The script that shows `<shift-calendar>`. */
export const CALENDAR_SCRIPT = 'shift-calendar.js';
export const STYLESHEET_NAME = 'gateway.css';
export const FRAME_SCRIPT_NAME = 'gateway-frame.js';

const SCRIPT_NAME = /^[\w-]+\.js$/;
const CACHED_SECONDS = 3600;
const HEADERS = { 'cache-control': `public, max-age=${CACHED_SECONDS}`, vary: 'Accept-Encoding' };

export function filesOf(scripts: readonly ScriptFile[]): readonly StaticFile[] {
  const stylesheet: StaticFile = {
    route: 'stylesheet',
    name: STYLESHEET_NAME,
    content: STYLESHEET,
    headers: { ...HEADERS, 'content-type': STYLESHEET_TYPE },
  };
  const frameScript: StaticFile = {
    route: 'script',
    name: FRAME_SCRIPT_NAME,
    content: FRAME_SCRIPT,
    headers: { ...HEADERS, 'content-type': FRAME_SCRIPT_TYPE },
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
    content: bytes,
    headers: {
      ...HEADERS,
      'content-type': contentType,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    },
  };
}

export function answerFile(
  visit: Visit,
  { route, name, content, headers }: StaticFile,
  bodies: Bodies,
  encodings: readonly string[],
): Answer | Promise<Answer> {
  if (visit.method === 'OPTIONS') return preflight(headers, route);
  if (!READ_METHODS.has(visit.method)) return sendProblem(PROBLEMS.wrongMethod, visit, route, headers);
  const found = bodies.get(name, true, () => content);
  return onceThere(found, (body) => sendBody(visit, route, body, headers, encodings));
}
