/** How headings are compared, and shown in sentences. */

import { quote } from '../../../quote.ts';

/** Case does not matter in headings, nor does what follows after the first few hundred characters. */
export function folded(heading: string): string {
  return heading.slice(0, MAX_CHARACTERS).trim().toLowerCase();
}

const MAX_CHARACTERS = 300;

export function pair(column: string, heading: string): string {
  return shown(`${column}=${heading}`);
}

/** Quoted so that it can be typed into a shell. */
export function shown(argument: string): string {
  return /^[\w=./-]+$/.test(argument) ? argument : quote(argument);
}
