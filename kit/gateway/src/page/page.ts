/**
 * The page for people: a list by day that needs no script, in the browser's language, and a way to subscribe. Scripts
 * make it a calendar.
 */

import { DAY_MS, readDate } from '@shiftfeed/common/days';
import { directionOf } from '@shiftfeed/common/languages/languages';
import { wallMsOf } from '@shiftfeed/common/zone';
import type { PublicShift } from '../projection.ts';
import type { VisibleFeed } from '../visible-feed.ts';
import type { Language } from './language.ts';

export const PAGE_TYPE = 'text/html; charset=utf-8';

export interface PageAddresses {
  readonly stylesheet: string;
  /** The script of the calendar, if there is one. */
  readonly script: string | undefined;
  readonly frameScript: string;
  /** What the page shows, as JSON. */
  readonly shifts: string;
  /** The calendar of what the page shows, as a whole address. */
  readonly calendar: string;
}

export function writePage(visible: VisibleFeed, language: Language, addresses: PageAddresses): string {
  const { feed, link, shifts, window } = visible;
  const { timeZone } = visible.copy;
  const write = writersOf(language);
  const { words } = language;
  const range = write.range(window.from, window.to);
  const list =
    shifts.length === 0
      ? html`<p class="none">${words.none}</p>`
      : html`${daysOf(shifts).map((day) => writeDay(day, visible, language, write))}`;
  const isPersonal = link !== undefined;
  const webcal = addresses.calendar.replace(/^https?:/, 'webcal:');
  const subscribe = html`<p><a class="subscribe" href="${webcal}">${words.subscribe}</a></p>
`;
  return writeDocument(
    language,
    addresses.stylesheet,
    feed.title,
    html`<meta name="description" content="${feed.title}, ${range}.">
${isPersonal && NOT_FOR_SEARCH}<link rel="alternate" type="text/calendar" title="${feed.title}" href="${addresses.calendar}">${
      addresses.script !== undefined &&
      html`
<script type="module" src="${addresses.script}"></script>`
    }${
      feed.origins.length > 0 &&
      html`
<script defer src="${addresses.frameScript}" data-origins="${feed.origins.join(' ')}"></script>`
    }`,
    html`<header>
<h1>${feed.title}</h1>
<p>${isPersonal && html`<strong>${words.your_shifts}</strong> · `}${range}</p>
${isPersonal && subscribe}</header>
<main>
${addresses.script === undefined ? list : writeCalendar(visible, language, addresses.shifts, list)}
</main>
<footer>
${!isPersonal && subscribe}<p>${words.subscribe_hint} <code>${addresses.calendar}</code></p>
<p>${words.calendars_look}</p>
${
  isPersonal &&
  html`<p>${words.yours_alone}</p>
`
}<p>${words.times_in.replace('{zone}', timeZone.replaceAll('_', ' '))}</p>
</footer>`,
  );
}

const NOT_FOR_SEARCH = html`<meta name="robots" content="noindex">
`;

/** The list is there until the calendar has shifts. It begins where the visitor asked, or else today. */
function writeCalendar(
  { narrowing, window }: VisibleFeed,
  language: Language,
  shifts: string,
  list: Html,
): Html {
  const date = narrowing.from !== undefined && html` date="${window.from}"`;
  return html`<shift-calendar src="${shifts}" locale="${language.locale}"${date}>
${list}
</shift-calendar>`;
}

export function writeSentencePage(
  title: string,
  sentence: string,
  language: Language,
  stylesheet: string,
): string {
  return writeDocument(
    language,
    stylesheet,
    title,
    NOT_FOR_SEARCH,
    html`<header>
<h1>${title}</h1>
</header>
<main>
<p class="none">${sentence}</p>
</main>`,
  );
}

export function writeDocument(
  language: Language,
  stylesheet: string,
  title: string,
  head: Html,
  body: Html,
): string {
  const { wordsLocale } = language;
  const isRightToLeft = directionOf(new Intl.Locale(wordsLocale)) === 'rtl';
  return html`<!doctype html>
<html lang="${wordsLocale}"${isRightToLeft && html` dir="rtl"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}
<link rel="stylesheet" href="${stylesheet}">
</head>
<body>
${body}
</body>
</html>
`.html;
}

/** The account decides the order within a day; days follow one another in any case. */
function daysOf(shifts: readonly PublicShift[]): readonly (readonly PublicShift[])[] {
  const days: PublicShift[][] = [];
  for (const shift of shifts) {
    const last = days.at(-1);
    if (last?.[0]?.date === shift.date) last.push(shift);
    else days.push([shift]);
  }
  return days;
}

function writeDay(
  day: readonly PublicShift[],
  { today }: VisibleFeed,
  language: Language,
  write: Writers,
): Html {
  const date = day[0]?.date ?? '';
  return html`<section${date === today && html` aria-current="date"`}>
<h2${otherLanguage(language)}><time datetime="${date}">${write.day(date)}</time>${date === today && html` <span class="today">${write.today}</span>`}</h2>
<ul>
${day.map((shift) => writeShift(shift, language, write))}</ul>
</section>
`;
}

function writeShift(shift: PublicShift, language: Language, write: Writers): Html {
  const { words } = language;
  const { group, location, person, remarks, starred, cancelled, noshow, open, publish_date } = shift;
  const isOpen = open === true || person === null;
  return html`<li${cancelled === true && html` class="cancelled"`}>
<p class="time"${otherLanguage(language)}>${cancelled === true ? html`<s>${writeTimes(shift, write)}</s>` : writeTimes(shift, write)}</p>
<div>
<p class="what">${starred === true && html`<span title="${words.starred}" role="img" aria-label="${words.starred}">★</span> `}${group && html`<bdi class="group">${group.name}</bdi>`}${person && html` <span class="who"><bdi>${person.name}</bdi></span>`}${isOpen && html` <span class="badge open">${words.open}</span>`}${cancelled === true && html` <strong class="badge off">${words.cancelled}</strong>`}${noshow === true && html` <strong class="badge off">${words.noshow}</strong>`}</p>
${
  location &&
  html`<p class="where"><bdi>${location.name}</bdi>${location.address !== '' && html`, <bdi>${location.address}</bdi>`}</p>
`
}${
  remarks &&
  html`<p class="remarks"><bdi>${remarks}</bdi></p>
`
}${
  publish_date &&
  html`<p class="published">${words.published.replace('{date}', write.shortDay(publish_date))}</p>
`
}</div>
</li>
`;
}

function writeTimes({ date, start_time, end_date, end_time }: PublicShift, write: Writers): Html {
  const end = html`<time datetime="${end_date}T${end_time}">${write.time(end_time)}</time>`;
  return html`<time datetime="${date}T${start_time}">${write.time(start_time)}</time>–${end}${
    end_date !== date && html` <span class="next">${write.shortDay(end_date)}</span>`
  }`;
}

/** Where the words are English, dates may still be in the visitor's language. */
function otherLanguage({ locale, wordsLocale }: Language): Html | false {
  return locale !== wordsLocale && html` lang="${locale}"`;
}

type Writers = ReturnType<typeof writersOf>;

const ANY_DATE = '1970-01-01';

/** Dates and times are as the account means them, so no zone must move them. */
function writersOf({ locale }: Language) {
  const inUtc = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
  const day = inUtc({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' });
  const shortDay = inUtc({ weekday: 'short', month: 'short', day: 'numeric' });
  const range = inUtc({ dateStyle: 'long' });
  const times = new Map<string, string>();
  const time = inUtc({ timeStyle: 'short' });
  return {
    today: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'day'),
    day: (date: string) => day.format(msOfDate(date)),
    shortDay: (date: string) => shortDay.format(msOfDate(date)),
    range: (from: string, to: string) =>
      from > to ? range.format(msOfDate(from)) : range.formatRange(msOfDate(from), msOfDate(to)),
    // A year has thousands of shifts, but few different times.
    time(text: string) {
      const written = times.get(text) ?? time.format(wallMsOf(ANY_DATE, text));
      times.set(text, written);
      return written;
    },
  };
}

/** Midnight in UTC, for `Intl`. */
function msOfDate(date: string): number {
  return readDate(date) * DAY_MS;
}

/** HTML from a template: whatever is put in is escaped, unless it is HTML already. */
export interface Html {
  readonly html: string;
}

type Insertion = Html | string | number | null | undefined | false | readonly Html[];

export function html(literals: TemplateStringsArray, ...parts: readonly Insertion[]): Html {
  return { html: literals.map((literal, i) => literal + textOf(parts[i])).join('') };
}

function textOf(part: Insertion): string {
  if (part === undefined || part === null || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'html' in part ? part.html : part.map((item) => item.html).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
