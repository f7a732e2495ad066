/**
 * Reads the configuration. Everything is checked at the start, and all problems are reported at once, by place: a
 * misspelt key must not show more than the owner meant to show.
 */

import { quote } from '@shiftfeed/common/quote';
import { isTimeZone } from '@shiftfeed/common/zone';
import {
  type ConfigProblem,
  ConfigProblems,
  type FeedConfig,
  type GatewayConfig,
  SHOW_KEYS,
  type ShowKey,
} from './config.ts';
import { WORDS, wordsOf } from './page/language.ts';

const DEFAULT_SHOW: readonly ShowKey[] = ['group', 'location'];
const DEFAULT_DAYS_AHEAD = 90;
const DEFAULT_MAX_AGE_SECONDS = 60;
const DEFAULT_LANGUAGE = 'en';
const MAX_DAYS = 400;
const MAX_AGE_LIMIT_SECONDS = 86_400;
const MAX_TITLE_LENGTH = 200;
/** Names are parts of addresses. They have no dots, so that files can have addresses beside them. */
const FEED_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const RESERVED_NAMES: ReadonlySet<string> = new Set(['healthz', 'readyz']);

/** Throws `ConfigProblems` when anything is wrong. */
export function readConfig(document: unknown): GatewayConfig {
  const problems: ConfigProblem[] = [];
  const root = readObject(document, (message, place = '') =>
    problems.push({ place: place.replace(/^\./, ''), message }),
  );
  const config: GatewayConfig = {
    upstream: root.take('upstream', readUpstream, REQUIRED) ?? '',
    tokenFile: root.take('token_file', readTokenFile),
    linksSecretFile: root.take('links_secret_file', readFileName),
    linksFile: root.take('links_file', readFileName),
    timeZone: root.take('time_zone', readTimeZone),
    calendarId: root.take('calendar_id', readCalendarId),
    feeds: root.take('feeds', readFeeds, REQUIRED) ?? [],
  };
  root.take('$schema', String);
  root.refuseOthers();
  if (problems.length > 0) throw new ConfigProblems(problems);
  return { ...config, calendarId: config.calendarId?.toLowerCase() };
}

function readFeeds(value: unknown, report: Report): readonly FeedConfig[] {
  const feeds = isObject(value) ? Object.entries(value) : [];
  if (feeds.length === 0) report('expected an object with at least one feed, by its name.');
  return feeds.map(([name, feed]) => {
    const reportFeed = inside(report, `.${shownKey(name)}`);
    if (RESERVED_NAMES.has(name)) {
      reportFeed('this name is taken by an address of the gateway: choose another one.');
    } else if (!FEED_NAME.test(name)) {
      reportFeed('the name of a feed is a part of its address: expected 1 to 63 letters, digits, - or _.');
    }
    return readFeed(name, feed, reportFeed);
  });
}

function readFeed(name: string, value: unknown, report: Report): FeedConfig {
  const feed = readObject(value, report);
  const config: FeedConfig = {
    name,
    title: feed.take('title', readTitle) ?? name,
    groupIds: feed.take('group_ids', readGroupIds, REQUIRED) ?? new Set(),
    show: new Set(feed.take('show', readShow) ?? DEFAULT_SHOW),
    daysBack: feed.take('days_back', wholeNumber(0, MAX_DAYS)) ?? 0,
    daysAhead: feed.take('days_ahead', wholeNumber(0, MAX_DAYS)) ?? DEFAULT_DAYS_AHEAD,
    hidesCancelled: feed.take('cancelled', readCancelled) === 'hide',
    showsUnpublished: feed.take('unpublished', readBoolean) ?? false,
    origins: feed.take('origins', readOrigins) ?? [],
    maxAgeSeconds: feed.take('max_age', wholeNumber(1, MAX_AGE_LIMIT_SECONDS)) ?? DEFAULT_MAX_AGE_SECONDS,
    language: feed.take('language', readLanguage) ?? DEFAULT_LANGUAGE,
    isPersonal: feed.take('personal', readBoolean) ?? false,
  };
  feed.refuseOthers();
  return config;
}

/** Reports a problem, at the place of a value or at one inside it, such as `[2]`. */
type Report = (message: string, place?: string) => void;

/** Reads a value. If it is wrong, it is reported, and there is still a result, so that reading goes on. */
type Read<T> = (value: unknown, report: Report) => T;

/** `sentence` says what is wrong with another value, behind that value. */
function expecting<T = string>(isRight: (value: unknown) => boolean, sentence: string): Read<T> {
  return (value, report) => {
    if (!isRight(value)) report(`${quote(value)} ${sentence}`);
    return value as T;
  };
}

/** `sentence` is about a value that is no such list. */
function listOf<T>(readItem: Read<T>, sentence: string, minLength = 0): Read<readonly T[]> {
  return (value, report) => {
    if (Array.isArray(value) && value.length >= minLength)
      return value.map((item, i) => readItem(item, inside(report, `[${i}]`)));
    report(`${quote(value)} ${sentence}`);
    return [];
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function inside(report: Report, place: string): Report {
  return (message, below = '') => report(message, place + below);
}

const REQUIRED = 'required';

function readObject(value: unknown, report: Report) {
  const object = isObject(value) ? value : undefined;
  if (object === undefined) report(`expected an object, not ${quote(value)}.`);
  const known: string[] = [];
  return {
    take<T>(key: string, read: Read<T>, required?: typeof REQUIRED): T | undefined {
      known.push(key);
      if (object === undefined) return undefined;
      if (Object.hasOwn(object, key)) return read(object[key], inside(report, `.${key}`));
      if (required !== undefined) report('this is missing.', `.${key}`);
      return undefined;
    },
    /** Reports the keys that were not taken. */
    refuseOthers(): void {
      for (const key of Object.keys(object ?? {})) {
        if (!known.includes(key)) report(describeUnknown(key, known), `.${shownKey(key)}`);
      }
    },
  };
}

/** Never quotes a value, because it may be a secret. */
function describeUnknown(key: string, known: readonly string[]): string {
  if (/token/i.test(key)) {
    return 'the token does not belong here: use the environment variable SHIFTFEED_TOKEN, or "token_file".';
  }
  if (/secret/i.test(key)) return 'the secret does not belong here: write it into the "links_secret_file".';
  return `there is no such key. Expected one of ${listed(known)}.`;
}

function listed(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_SHOWN_LENGTH = 40;

function shownKey(key: string): string {
  return /^[\w$-]+$/.test(key) && key.length <= MAX_SHOWN_LENGTH ? key : quote(key);
}

function readUpstream(value: unknown, report: Report): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    report('the address must not hold a user name or a password.');
  } else if (url === undefined || !/^https?:$/.test(url.protocol)) {
    report(`${quote(value)} is not the address of an account, such as "https://shifts.example.org/acme".`);
  } else if (/[?#]/.test(String(value)) || /^\/$|\/api\/v1\/shifts\/*$/.test(url.pathname)) {
    // The address is not repeated: a query may hold a secret.
    report('the address must end with the account, as in "https://shifts.example.org/acme".');
  }
  return url?.href.replace(/\/+$/, '') ?? '';
}

function readTokenFile(value: unknown, report: Report): string {
  if (typeof value === 'string' && /^shiftfeed_/i.test(value))
    report('this looks like a token: write it into a file, and the name of that file here.');
  return readFileName(value, report);
}

const readFileName = expecting(isText, 'is not the name of a file.');

const readTimeZone = expecting(
  (value) => isText(value) && isNamedZone(value),
  'is not a time zone such as "Europe/Amsterdam".',
);

/** Whether it is a zone such as Europe/Amsterdam. Offsets such as +01:00 are no such zones: they know no summer time. */
export function isNamedZone(text: string): boolean {
  return /^[A-Za-z]/.test(text) && isTimeZone(text);
}

/** The syntax of a host name (RFC 1123): letters, digits and hyphens between dots. The host need not exist. */
const HOST_NAME = /^(?=.{1,253}$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i;

const readCalendarId = expecting(
  (value) => isText(value) && HOST_NAME.test(value),
  'is not the name of a host of yours, such as "shifts.example.org".',
);

const readTitle = expecting(
  (value) =>
    isText(value) &&
    value.trim() !== '' &&
    value.length <= MAX_TITLE_LENGTH &&
    // Control characters have no place in a heading, nor in a line of a calendar.
    !/\p{Cc}/u.test(value),
  `is not a title: expected a line of 1 to ${MAX_TITLE_LENGTH} characters.`,
);

const readIds = listOf(
  expecting<number>((id) => Number.isSafeInteger(id) && (id as number) >= 1, 'is not the id of a group.'),
  'is neither a list of group ids nor "all".',
  1,
);

function readGroupIds(value: unknown, report: Report): ReadonlySet<number> | 'all' {
  return value === 'all' ? value : new Set(readIds(value, report));
}

const SHOW_SENTENCE = `Expected any of ${listed(SHOW_KEYS)}.`;

const readShow = listOf(
  expecting<ShowKey>((key) => SHOW_KEYS.some((known) => known === key), `cannot be chosen. ${SHOW_SENTENCE}`),
  `is not a list. ${SHOW_SENTENCE}`,
);

const readCancelled = expecting(
  (value) => value === 'show' || value === 'hide',
  'is neither "show" nor "hide".',
);

/** With a region or without. */
const readLanguage = expecting(
  (value) => isText(value) && /^[a-z]{2}(-[a-z\d]{2,8})*$/i.test(value) && wordsOf(value) !== undefined,
  `is no language of calendars: expected one of ${listed(Object.keys(WORDS))}.`,
);

const readBoolean = expecting<boolean>((value) => typeof value === 'boolean', 'is neither true nor false.');

function readOrigins(value: unknown, report: Report): readonly string[] {
  if (Array.isArray(value) && value.length > 1 && value.includes('*'))
    report('"*" is everybody, so it must stand alone.');
  return listOf(readOrigin, 'is not a list of origins.')(value, report);
}

/** An origin in the spelling of browsers, so that it can be compared as text. */
function readOrigin(value: unknown, report: Report): string {
  if (value === '*') return value;
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const isOrigin =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.href === `${url.origin}/` &&
    // A host with a star would mean something different in each header that names origins.
    /^https?:\/\/[a-z0-9.:[\]-]+$/.test(url.origin);
  if (!isOrigin) report(`${quote(value)} is not an origin such as "https://www.example.org", nor "*".`);
  return url?.origin ?? '';
}

function wholeNumber(min: number, max: number): Read<number> {
  return expecting(
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    `is not a whole number from ${min} to ${max}.`,
  );
}
