/**
 * A filter as the query of a URL. The service refuses a misspelt or empty parameter, but another server may overlook it
 * and list more than was meant. So that is refused here, before anything is sent. Which values are in range is left to
 * the server.
 */

import { isDate } from '@shiftfeed/common/dates';
import { quote } from '@shiftfeed/common/quote';
import { PARAMETERS, type ShiftFilter } from './api.ts';

type Name = keyof typeof PARAMETERS;
const NAMES = Object.keys(PARAMETERS) as Name[];

/** With a question mark at the start, or empty. The same filter always gives the same text. */
export function writeQuery(filter: ShiftFilter): string {
  for (const name of Object.keys(filter)) {
    if (!Object.hasOwn(PARAMETERS, name)) {
      throw new TypeError(`The filter has an unknown part "${name}": known are ${NAMES.join(', ')}.`);
    }
  }
  const query = new URLSearchParams();
  for (const name of NAMES) {
    if (Object.hasOwn(filter, name)) query.set(name, writeValue(name, filter[name]));
  }
  return query.size === 0 ? '' : `?${query}`;
}

const EXPECTED = {
  'integer[]': 'a list of at least one whole number from 1 on',
  integer: 'a whole number from 1 on',
  date: 'a date "YYYY-MM-DD"',
  boolean: 'true, false, 1 or 0',
} as const;

function writeValue(name: Name, value: unknown): string {
  const kind = PARAMETERS[name];
  if (!isOfKind(kind, value)) {
    const hint = value === undefined ? ' Leave it out to list all.' : '';
    throw new TypeError(`In the filter, ${name} is ${show(value)}; expected ${EXPECTED[kind]}.${hint}`);
  }
  return String(value);
}

function isOfKind(kind: keyof typeof EXPECTED, value: unknown): boolean {
  switch (kind) {
    case 'integer[]':
      return Array.isArray(value) && value.length > 0 && value.every(isCount);
    case 'integer':
      return isCount(value);
    case 'date':
      return isDate(value);
    case 'boolean':
      return typeof value === 'boolean' || value === 1 || value === 0;
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function show(value: unknown): string {
  return Array.isArray(value) && value.length === 0 ? 'an empty list' : quote(value);
}
