/**
 * Reads the single values of a configuration. Reports what is wrong with a value, and still returns one, so that
 * reading goes on.
 */

import { quote } from '@shiftfeed/common/quote';
import { SHOW_KEYS, type ShowKey } from '../config.ts';
import { isNamedZone } from '../named-zone.ts';
import { WORDS, wordsOf } from '../page/words.ts';
import type { Read } from './keys.ts';
import type { ConfigProblem } from './problems.ts';

const MAX_TITLE_LENGTH = 200;

export function readUpstream(value: unknown, place: string, problems: ConfigProblem[]): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    problems.push({ place, message: 'the address must not hold a user name or a password.' });
  } else if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const message = `${quote(value)} is not the address of an account, such as "https://shifts.example.org/acme".`;
    problems.push({ place, message });
  } else if (/[?#]/.test(String(value)) || /^\/$|\/api\/v1\/shifts\/*$/.test(url.pathname)) {
    // The address is not repeated: a query may hold a secret.
    const message = 'the address must end with the account, as in "https://shifts.example.org/acme".';
    problems.push({ place, message });
  }
  return url?.href.replace(/\/+$/, '') ?? '';
}

export function readTokenFile(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (typeof value === 'string' && /^shiftfeed_/i.test(value)) {
    const message = 'this looks like a token: write it into a file, and the name of that file here.';
    problems.push({ place, message });
    return value;
  }
  return readFileName(value, place, problems);
}

export function readFileName(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (typeof value !== 'string' || value === '') {
    problems.push({ place, message: `${quote(value)} is not the name of a file.` });
  }
  return String(value);
}

export function readTimeZone(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (typeof value !== 'string' || !isNamedZone(value)) {
    problems.push({ place, message: `${quote(value)} is not a time zone such as "Europe/Amsterdam".` });
  }
  return String(value);
}

/** The syntax of a host name (RFC 1123): letters, digits and hyphens between dots. The host need not exist. */
const HOST_NAME = /^(?=.{1,253}$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i;

export function readCalendarId(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (typeof value !== 'string' || !HOST_NAME.test(value)) {
    const message = `${quote(value)} is not the name of a host of yours, such as "shifts.example.org".`;
    problems.push({ place, message });
  }
  return String(value).toLowerCase();
}

export function readTitle(value: unknown, place: string, problems: ConfigProblem[]): string {
  // Control characters have no place in a heading, nor in a line of a calendar.
  if (
    typeof value !== 'string' ||
    value.trim() === '' ||
    value.length > MAX_TITLE_LENGTH ||
    /\p{Cc}/u.test(value)
  ) {
    const message = `${quote(value)} is not a title: expected a line of 1 to ${MAX_TITLE_LENGTH} characters.`;
    problems.push({ place, message });
  }
  return String(value);
}

export function readGroupIds(
  value: unknown,
  place: string,
  problems: ConfigProblem[],
): ReadonlySet<number> | 'all' {
  if (value === 'all') return value;
  if (!Array.isArray(value) || value.length === 0) {
    problems.push({ place, message: `${quote(value)} is neither a list of group ids nor "all".` });
    return new Set();
  }
  for (const [i, id] of value.entries()) {
    if (!Number.isSafeInteger(id) || id < 1) {
      problems.push({ place: `${place}[${i}]`, message: `${quote(id)} is not the id of a group.` });
    }
  }
  return new Set(value);
}

export function readShow(value: unknown, place: string, problems: ConfigProblem[]): readonly ShowKey[] {
  if (!Array.isArray(value)) {
    problems.push({ place, message: `${quote(value)} is not a list. ${SHOW_SENTENCE}` });
    return [];
  }
  for (const [i, key] of value.entries()) {
    if (!SHOW_KEYS.includes(key)) {
      problems.push({
        place: `${place}[${i}]`,
        message: `${quote(key)} cannot be chosen. ${SHOW_SENTENCE}`,
      });
    }
  }
  return value;
}

const SHOW_SENTENCE = `Expected any of ${SHOW_KEYS.map((key) => `"${key}"`).join(', ')}.`;

export function readCancelled(value: unknown, place: string, problems: ConfigProblem[]): unknown {
  if (value !== 'show' && value !== 'hide') {
    problems.push({ place, message: `${quote(value)} is neither "show" nor "hide".` });
  }
  return value;
}

/** With a region or without. */
export function readLanguage(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (
    typeof value !== 'string' ||
    wordsOf(value) === undefined ||
    !/^[a-z]{2}(-[a-z\d]{2,8})*$/i.test(value)
  ) {
    const known = Object.keys(WORDS).map((tag) => `"${tag}"`);
    problems.push({
      place,
      message: `${quote(value)} is no language of calendars: expected one of ${known.join(', ')}.`,
    });
  }
  return String(value);
}

export function readBoolean(value: unknown, place: string, problems: ConfigProblem[]): boolean {
  if (typeof value !== 'boolean') {
    problems.push({ place, message: `${quote(value)} is neither true nor false.` });
  }
  return value === true;
}

export function readOrigins(value: unknown, place: string, problems: ConfigProblem[]): readonly string[] {
  if (!Array.isArray(value)) {
    problems.push({ place, message: `${quote(value)} is not a list of origins.` });
    return [];
  }
  if (value.length > 1 && value.includes('*')) {
    problems.push({ place, message: '"*" is everybody, so it must stand alone.' });
  }
  return value.map((origin, i) => readOrigin(origin, `${place}[${i}]`, problems));
}

/** An origin in the spelling of browsers, so that it can be compared as text. */
function readOrigin(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (value === '*') return value;
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  // A host with a star would mean something different in each header that names origins.
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.href !== `${url.origin}/` ||
    !/^https?:\/\/[a-z0-9.:[\]-]+$/.test(url.origin)
  ) {
    const message = `${quote(value)} is not an origin such as "https://www.example.org", nor "*".`;
    problems.push({ place, message });
  }
  return url?.origin ?? '';
}

export function wholeNumber(min: number, max: number): Read<number> {
  return (value, place, problems) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
      problems.push({ place, message: `${quote(value)} is not a whole number from ${min} to ${max}.` });
    }
    return value as number;
  };
}
