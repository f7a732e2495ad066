/**
 * The scripts that a browser gets, as files to serve. There is nothing of Node in here and no folder to look for, so that
 * bundlers, workers and every other platform take it as it is.
 */

import { SCRIPTS } from './scripts.ts';

export interface BrowserFile {
  /** As the scripts name each other. They have to be served beside each other, under these names. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/**
 * `shift-calendar.js`, which a page loads, and those that that one loads when they are needed:
 * `shift-calendar-grids.js` for a week or a month, and `shift-calendar-board.js` for a board.
 */
export function browserFiles(): BrowserFile[] {
  return Object.keys(SCRIPTS)
    .filter((name) => !FOR_EXPLORER.includes(name))
    .map(fileOf);
}

/** How the calendar counts weeks, and how the client listens to streams. */
const FOR_EXPLORER = ['picked-week.js', 'listen.js'];

/** For the explorer of the service, as scripts of their own. */
export function explorerFiles(): BrowserFile[] {
  return FOR_EXPLORER.map(fileOf);
}

function fileOf(name: string): BrowserFile {
  const bytes = new TextEncoder().encode(SCRIPTS[name]);
  return { name, contentType: 'text/javascript; charset=utf-8', bytes };
}
