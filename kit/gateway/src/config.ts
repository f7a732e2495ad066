/**
 * The owner's choice of what to show, as it stands in the configuration file. Everything is checked at the start, and
 * everything that is wrong is told at once, by place: a key that was misspelt must not show more than was meant.
 */

import { quote } from '@shiftfeed/common/quote';
import { isNamedZone } from './named-zone.ts';
import { WORDS, wordsOf } from './page/words.ts';

export interface GatewayConfig {
  /** The address of the account, without a slash at the end. */
  readonly upstream: string;
  readonly tokenFile: string | undefined;
  readonly timeZone: string | undefined;
  /** Makes the identities of events unique in the world. */
  readonly calendarId: string | undefined;
  readonly feeds: readonly FeedConfig[];
}

export interface FeedConfig {
  readonly name: string;
  readonly title: string;
  readonly groupIds: ReadonlySet<number> | 'all';
  readonly show: ReadonlySet<ShowKey>;
  readonly daysBack: number;
  readonly daysAhead: number;
  readonly hidesCancelled: boolean;
  readonly showsUnpublished: boolean;
  readonly origins: readonly string[];
  readonly maxAgeSeconds: number;
  /** Of what the calendar says. A page follows the browser. */
  readonly language: string;
}

export const SHOW_KEYS = [
  'group',
  'location',
  'person',
  'remarks',
  'starred',
  'noshow',
  'publish_date',
  'open',
] as const;
export type ShowKey = (typeof SHOW_KEYS)[number];

/** The configuration as people write it. */
export interface ConfigDocument {
  readonly $schema?: string;
  readonly upstream: string;
  readonly token_file?: string;
  readonly time_zone?: string;
  readonly calendar_id?: string;
  readonly feeds: Readonly<Record<string, FeedDocument>>;
}

export interface FeedDocument {
  readonly title?: string;
  readonly group_ids: readonly number[] | 'all';
  readonly show?: readonly ShowKey[];
  readonly days_back?: number;
  readonly days_ahead?: number;
  readonly cancelled?: 'show' | 'hide';
  readonly unpublished?: boolean;
  readonly origins?: readonly string[];
  readonly max_age?: number;
  readonly language?: string;
}

/**
 * The configuration as TypeScript sees it in an imported JSON file: words are any strings there. `readConfig` looks at
 * them at the start.
 */
export type ImportedConfig = Widened<ConfigDocument>;

type Widened<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Widened<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Widened<T[Key]> }
      : T;

export interface ConfigProblem {
  /** Such as `feeds.kitchen.show[2]`; empty for the configuration as a whole. */
  readonly place: string;
  readonly message: string;
}

export class ConfigProblems extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ place, message }) => (place === '' ? message : `${place}: ${message}`));
    super(
      `The configuration has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}.\n  ${lines.join('\n  ')}`,
    );
    this.name = 'ConfigProblems';
    this.problems = problems;
  }
}

const DEFAULT_SHOW: readonly ShowKey[] = ['group', 'location'];
const DEFAULT_DAYS_AHEAD = 90;
const DEFAULT_MAX_AGE_SECONDS = 60;
const DEFAULT_LANGUAGE = 'en';
const MAX_DAYS = 400;
const MAX_AGE_LIMIT_SECONDS = 86_400;
const MAX_TITLE_LENGTH = 200;
/** Names are parts of addresses. None has a dot, so that files can have addresses beside them. */
const FEED_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const RESERVED_NAMES: ReadonlySet<string> = new Set(['healthz']);

/** Throws `ConfigProblems` when anything is wrong. */
export function readConfig(document: unknown): GatewayConfig {
  const problems: ConfigProblem[] = [];
  const root = readObject(document, '', problems);
  const config: GatewayConfig = {
    upstream: root.take('upstream', readUpstream) ?? '',
    tokenFile: root.takeOptional('token_file', readTokenFile),
    timeZone: root.takeOptional('time_zone', readTimeZone),
    calendarId: root.takeOptional('calendar_id', readCalendarId),
    feeds: root.take('feeds', readFeeds) ?? [],
  };
  root.ignore('$schema');
  root.refuseOthers();
  if (problems.length > 0) throw new ConfigProblems(problems);
  return config;
}

type Read<T> = (value: unknown, place: string, problems: ConfigProblem[]) => T;

function readFeeds(value: unknown, place: string, problems: ConfigProblem[]): readonly FeedConfig[] {
  const feeds = isObject(value) ? Object.entries(value) : [];
  if (feeds.length === 0) {
    problems.push({ place, message: 'expected an object with at least one feed, by its name.' });
  }
  return feeds.map(([name, feed]) => {
    const at = `${place}.${shownKey(name)}`;
    if (!FEED_NAME.test(name) || RESERVED_NAMES.has(name)) {
      const message = RESERVED_NAMES.has(name)
        ? 'this name is taken by an address of the gateway: choose another one.'
        : 'the name of a feed is a part of its address: expected 1 to 63 letters, digits, - or _.';
      problems.push({ place: at, message });
    }
    return readFeed(name, feed, at, problems);
  });
}

function readFeed(name: string, value: unknown, place: string, problems: ConfigProblem[]): FeedConfig {
  const feed = readObject(value, place, problems);
  const config: FeedConfig = {
    name,
    title: feed.takeOptional('title', readTitle) ?? name,
    groupIds: feed.take('group_ids', readGroupIds) ?? new Set(),
    show: new Set(feed.takeOptional('show', readShow) ?? DEFAULT_SHOW),
    daysBack: feed.takeOptional('days_back', wholeNumber(0, MAX_DAYS)) ?? 0,
    daysAhead: feed.takeOptional('days_ahead', wholeNumber(0, MAX_DAYS)) ?? DEFAULT_DAYS_AHEAD,
    hidesCancelled: feed.takeOptional('cancelled', readCancelled) === 'hide',
    showsUnpublished: feed.takeOptional('unpublished', readBoolean) ?? false,
    origins: feed.takeOptional('origins', readOrigins) ?? [],
    maxAgeSeconds:
      feed.takeOptional('max_age', wholeNumber(1, MAX_AGE_LIMIT_SECONDS)) ?? DEFAULT_MAX_AGE_SECONDS,
    language: feed.takeOptional('language', readLanguage) ?? DEFAULT_LANGUAGE,
  };
  feed.refuseOthers();
  return config;
}

function readUpstream(value: unknown, place: string, problems: ConfigProblem[]): string {
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

function readTokenFile(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (typeof value === 'string' && /^shiftfeed_/i.test(value)) {
    const message = 'this looks like a token: write it into a file, and the name of that file here.';
    problems.push({ place, message });
  } else if (typeof value !== 'string' || value === '') {
    problems.push({ place, message: `${quote(value)} is not the name of a file.` });
  }
  return String(value);
}

function readTimeZone(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (typeof value !== 'string' || !isNamedZone(value)) {
    problems.push({ place, message: `${quote(value)} is not a time zone such as "Europe/Amsterdam".` });
  }
  return String(value);
}

/** The name of a host, whether there is one or not: of letters, digits and hyphens between dots (RFC 1123). */
const HOST_NAME = /^(?=.{1,253}$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i;

function readCalendarId(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (typeof value !== 'string' || !HOST_NAME.test(value)) {
    const message = `${quote(value)} is not the name of a host of yours, such as "shifts.example.org".`;
    problems.push({ place, message });
  }
  return String(value).toLowerCase();
}

function readTitle(value: unknown, place: string, problems: ConfigProblem[]): string {
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

function readGroupIds(value: unknown, place: string, problems: ConfigProblem[]): ReadonlySet<number> | 'all' {
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

function readShow(value: unknown, place: string, problems: ConfigProblem[]): readonly ShowKey[] {
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

function readCancelled(value: unknown, place: string, problems: ConfigProblem[]): unknown {
  if (value !== 'show' && value !== 'hide') {
    problems.push({ place, message: `${quote(value)} is neither "show" nor "hide".` });
  }
  return value;
}

/** With a region or without. */
function readLanguage(value: unknown, place: string, problems: ConfigProblem[]): string {
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

function readBoolean(value: unknown, place: string, problems: ConfigProblem[]): boolean {
  if (typeof value !== 'boolean') {
    problems.push({ place, message: `${quote(value)} is neither true nor false.` });
  }
  return value === true;
}

function readOrigins(value: unknown, place: string, problems: ConfigProblem[]): readonly string[] {
  if (!Array.isArray(value)) {
    problems.push({ place, message: `${quote(value)} is not a list of origins.` });
    return [];
  }
  if (value.length > 1 && value.includes('*')) {
    problems.push({ place, message: '"*" is everybody, so it must stand alone.' });
  }
  return value.map((origin, i) => readOrigin(origin, `${place}[${i}]`, problems));
}

/** As browsers write it, so that it can be compared as it is. */
function readOrigin(value: unknown, place: string, problems: ConfigProblem[]): string {
  if (value === '*') return value;
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  // A host with a star would mean something else in each of the headers that name origins.
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

function wholeNumber(min: number, max: number): Read<number> {
  return (value, place, problems) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
      problems.push({ place, message: `${quote(value)} is not a whole number from ${min} to ${max}.` });
    }
    return value as number;
  };
}

interface ObjectReader {
  take<T>(key: string, read: Read<T>): T | undefined;
  takeOptional<T>(key: string, read: Read<T>): T | undefined;
  ignore(key: string): void;
  /** Tells of the keys that nobody has taken. */
  refuseOthers(): void;
}

function readObject(value: unknown, place: string, problems: ConfigProblem[]): ObjectReader {
  const object = isObject(value) ? value : undefined;
  if (object === undefined) problems.push({ place, message: `expected an object, not ${quote(value)}.` });
  const known = new Set<string>();
  const inside = (key: string) => (place === '' ? key : `${place}.${key}`);
  const takeOptional: ObjectReader['takeOptional'] = (key, read) => {
    known.add(key);
    return object !== undefined && Object.hasOwn(object, key)
      ? read(object[key], inside(key), problems)
      : undefined;
  };
  return {
    takeOptional,
    take(key, read) {
      if (object !== undefined && !Object.hasOwn(object, key)) {
        problems.push({ place: inside(key), message: 'this is missing.' });
      }
      return takeOptional(key, read);
    },
    ignore(key) {
      known.add(key);
    },
    refuseOthers() {
      for (const key of Object.keys(object ?? {})) {
        if (!known.has(key))
          problems.push({ place: inside(shownKey(key)), message: describeUnknown(key, known) });
      }
    },
  };
}

/** A value is never told here, because it may be a secret. */
function describeUnknown(key: string, known: ReadonlySet<string>): string {
  if (/token/i.test(key)) {
    return 'the token does not belong here: use the environment variable SHIFTFEED_TOKEN, or "token_file".';
  }
  return `there is no such key. Expected one of ${[...known].map((name) => `"${name}"`).join(', ')}.`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_SHOWN_LENGTH = 40;

function shownKey(key: string): string {
  return /^[\w$-]+$/.test(key) && key.length <= MAX_SHOWN_LENGTH ? key : quote(key);
}
