/**
 * The forms in which a feed is given: JSON, a calendar, a page, and a board. Each says what it depends on besides the shifts.
 */

import { STYLES_HASH } from '@shiftfeed/common/calendar/styles';
import type { FeedConfig } from './config.ts';
import { CALENDAR_SCRIPT, FRAME_SCRIPT_NAME, STYLESHEET_NAME } from './files.ts';
import { ICALENDAR_TYPE, writeICalendar } from './icalendar/icalendar.ts';
import { personalPath } from './links/links.ts';
import { writeBoardPage, writeBoardProblem } from './page/board.ts';
import { chooseLanguage, type Language, plainLanguage } from './page/language.ts';
import { PAGE_TYPE, type PageAddresses, writePage, writeSentencePage } from './page/page.ts';
import { HEAL_SCRIPT_HASH } from './page/scripts.ts';
import type { PublicShift } from './projection.ts';
import type { HeaderFields, Problem, Visit, Written } from './response.ts';
import { type Moment, type VisibleFeed, writeNarrowing } from './visible-feed.ts';

export interface Form {
  readonly name: 'json' | 'calendar' | 'page' | 'board';
  /** Behind the name of the feed. */
  readonly path: string;
  readonly type: string;
  /** It shows what is on at the moment: another one every minute, which also has what began before its days. */
  readonly isOfMinute?: boolean;
  /** It depends on the host and the language of a visit. */
  readonly isForPeople?: boolean;
  headers(feed: FeedConfig, hasCalendar: boolean): HeaderFields;
  write(visible: VisibleFeed, setting: Setting, moment: Moment): string;
  /** The page that tells a problem, where people read it. */
  writeSentence?(title: string, sentence: string, language: Language, stylesheet: string): string;
}

/** What a page or a calendar depends on, besides the shifts. */
export interface Setting {
  /** The address under which everything lies, without the host where many share a page. */
  readonly root: string;
  readonly language: Language;
  /** There is a script for the calendar. */
  readonly hasCalendar: boolean;
  /** Feeds have streams. */
  readonly isLive: boolean;
  /** The end of the identities of events, which is the same for all visitors. */
  readonly calendarId: string;
}

/** Enough for some languages at one or two addresses. */
const MAX_POPULAR = 24;
/** A variant of a page that nobody has requested for this long makes room for another. */
const FORGOTTEN_AFTER_MS = 10 * 60_000;

/**
 * A page depends on the host and language of a request, and a client can make up any number of them, each of which would
 * have to be written. So only popular ones have pages of their own. Other hosts share a page without the host, and other
 * languages share that of their plain form.
 */
export function settingsAt(
  pathPrefix: string,
  baseUrl: string | undefined,
  fixed: Omit<Setting, 'root' | 'language'>,
): (visit: Visit, nowMs: number) => Setting {
  const seenMs = new Map<string, number>();

  function isPopular(variant: string, nowMs: number): boolean {
    if (!seenMs.has(variant) && seenMs.size >= MAX_POPULAR) {
      for (const [other, atMs] of seenMs) if (nowMs - atMs > FORGOTTEN_AFTER_MS) seenMs.delete(other);
      if (seenMs.size >= MAX_POPULAR) return false;
    }
    seenMs.set(variant, nowMs);
    return true;
  }

  return (visit, nowMs) => {
    const root = baseUrl ?? `${visit.origin()}${pathPrefix}`;
    const language = chooseLanguage(visit.header('accept-language'));
    if (isPopular(`${language.tag} ${root}`, nowMs)) return { root, language, ...fixed };
    return { root: baseUrl ?? pathPrefix, language: plainLanguage(language), ...fixed };
  };
}

const NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'";

/**
 * The calendar asks for shifts, brings its own styles along, which the page has already, and makes no HTML from text. A page that may be framed has a script that tells its height.
 */
function scriptPolicy(hasCalendar: boolean, mayBeFramed: boolean): string {
  if (!hasCalendar && !mayBeFramed) return '';
  return `script-src 'self'; ${hasCalendar ? ASKING : ''}${NO_MARKUP}`;
}

const ASKING = "connect-src 'self'; ";
const NO_MARKUP = "require-trusted-types-for 'script'; trusted-types 'none'; ";

function headersForPeople(origins: readonly string[], scripts: string, styles = ''): HeaderFields {
  return {
    vary: 'Accept-Encoding, Accept-Language, Origin',
    'content-security-policy': `${NOTHING_ELSE}; ${scripts}img-src data:; style-src 'self'${styles}; frame-ancestors ${origins.join(' ') || "'none'"}`,
  };
}

/** Of what is for programs. */
const DATA_HEADERS = {
  vary: 'Accept-Encoding, Origin',
  'content-security-policy': `${NOTHING_ELSE}; frame-ancestors 'none'`,
};

const JSON_TYPE = 'application/json; charset=utf-8';

const json: Form = {
  name: 'json',
  path: '/shifts',
  type: JSON_TYPE,
  headers: () => DATA_HEADERS,
  write: writeJson,
};

/** The body of `GET /<feed>/shifts`. */
export interface FeedBody {
  readonly title: string;
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
  readonly shifts: readonly PublicShift[];
}

function writeJson({ feed, copy, window, shifts }: VisibleFeed): string {
  const { from, to } = window;
  const body: FeedBody = { title: feed.title, time_zone: copy.timeZone, from, to, shifts };
  return JSON.stringify(body);
}

const calendar: Form = {
  name: 'calendar',
  path: '/shifts.ics',
  type: ICALENDAR_TYPE,
  headers: ({ name }) => ({ ...DATA_HEADERS, 'content-disposition': `inline; filename="${name}.ics"` }),
  write: (visible, { calendarId }) => writeICalendar(visible, calendarId),
};

const page: Form = {
  name: 'page',
  path: '',
  type: PAGE_TYPE,
  isForPeople: true,
  headers: ({ origins }, hasCalendar) =>
    headersForPeople(origins, scriptPolicy(hasCalendar, origins.length > 0), ` '${STYLES_HASH}'`),
  write: (visible, setting) => writePage(visible, setting.language, addressesOf(visible, setting)),
  writeSentence: writeSentencePage,
};

/** Its scripts ask for shifts and for the page itself. */
const board: Form = {
  name: 'board',
  path: '/board',
  type: PAGE_TYPE,
  isForPeople: true,
  isOfMinute: true,
  headers: ({ origins }) =>
    headersForPeople(origins, `script-src 'self' '${HEAL_SCRIPT_HASH}'; ${ASKING}${NO_MARKUP}`),
  write: (visible, setting, moment) =>
    writeBoardPage(visible, moment, setting.language, addressesOf(visible, setting)),
  writeSentence: writeBoardProblem,
};

/** undefined where programs read it. A page that shows nothing does not say why. */
export function writeProblem(
  form: Form,
  { title }: FeedConfig,
  { status, message }: Problem,
  setting: Setting,
): Written | undefined {
  const sentence = status === 503 ? setting.language.words.unavailable : message;
  const text = form.writeSentence?.(title, sentence, setting.language, stylesheetOf(setting));
  return text === undefined ? undefined : { type: form.type, text };
}

/** For people who open an address at which there is nothing. It is the same for all of them, and names no feed. */
export const NOTHING_PAGE_HEADERS = {
  vary: 'Accept, Accept-Language',
  'content-security-policy': `${NOTHING_ELSE}; img-src data:; style-src 'self'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
};

export function writeNothingPage(setting: Setting): Written {
  const { language } = setting;
  const { nothing, nothing_here } = language.words;
  return { type: PAGE_TYPE, text: writeSentencePage(nothing, nothing_here, language, stylesheetOf(setting)) };
}

export const FORMS: readonly Form[] = [json, calendar, page, board];

function addressesOf(visible: VisibleFeed, setting: Setting): PageAddresses {
  const narrowed = writeNarrowing(visible.narrowing);
  return {
    stylesheet: stylesheetOf(setting),
    script: setting.hasCalendar ? `${pathOf(setting)}/${CALENDAR_SCRIPT}` : undefined,
    frameScript: `${pathOf(setting)}/${FRAME_SCRIPT_NAME}`,
    page: `${pathOf(setting)}${placeOf(visible)}`,
    // What is of one person alone may change without a change that all can see.
    isLive: setting.isLive && visible.link === undefined,
    shifts: `${pathOf(setting)}${placeOf(visible)}${json.path}${narrowed}`,
    calendar: `${setting.root}${placeOf(visible)}${calendar.path}${narrowed}`,
  };
}

/** Of what is shown, below the root. */
function placeOf({ feed, link }: VisibleFeed): string {
  return link === undefined ? `/${feed.name}` : personalPath(feed.name, link);
}

function stylesheetOf(setting: Setting): string {
  return `${pathOf(setting)}/${STYLESHEET_NAME}`;
}

/** Without the host, so that what lies there is "self" wherever the page is reached. */
function pathOf({ root }: Setting): string {
  const path = URL.canParse(root) ? new URL(root).pathname : root;
  return path.replace(/\/$/, '');
}
