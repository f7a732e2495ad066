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
  const { 'picked-week.js': _, ...ofCalendar } = SCRIPTS;
  return Object.keys(ofCalendar).map(fileOf);
}

/** How the calendar counts weeks, for the explorer of the service, as a script of its own. */
export function pickedWeekFile(): BrowserFile {
  return fileOf('picked-week.js');
}

function fileOf(name: string): BrowserFile {
  const bytes = new TextEncoder().encode(SCRIPTS[name]);
  return { name, contentType: 'text/javascript; charset=utf-8', bytes };
}
