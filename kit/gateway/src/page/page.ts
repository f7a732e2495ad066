/**
 * The page for people: a list by day that needs no script, in the browser's language, and ways to subscribe. Scripts make
 * it a calendar.
 */

import { escapeHtml } from '@shiftfeed/common/calendar/drawing';
import { readDate } from '@shiftfeed/common/days';
import type { VisibleFeed } from '../visible-feed.ts';
import type { Language } from './language.ts';
import { type PageAddresses, writeList } from './list.ts';

export type { PageAddresses };

export const PAGE_TYPE = 'text/html; charset=utf-8';

export function writePage(visible: VisibleFeed, language: Language, addresses: PageAddresses): string {
  const { feed, link, window } = visible;
  const { words } = language;
  const range = language.dateRange(
    readDate(window.from),
    readDate(window.from > window.to ? window.from : window.to),
  );
  const isPersonal = link !== undefined;
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
${
  isPersonal &&
  html`<p>${words.your_shifts}</p>
`
}</header>
<main>
${writeCalendar(visible, language, addresses)}
</main>
<footer>
<p>${words.calendars_look}</p>
${
  isPersonal &&
  html`<p>${words.yours_alone}</p>
`
}</footer>`,
  );
}

const NOT_FOR_SEARCH = html`<meta name="robots" content="noindex">
`;

/** It begins where the visitor asked, or else today. */
function writeCalendar(visible: VisibleFeed, language: Language, addresses: PageAddresses): Html {
  const { narrowing, window } = visible;
  const date = narrowing.from !== undefined && html` date="${window.from}"`;
  const live = addresses.isLive && html` live`;
  const list = { html: writeList(visible, language, addresses) };
  return html`<shift-calendar src="${addresses.shifts}" locale="${language.tag}"${date} legend search subscribe="${addresses.calendar}" maps${live}><template shadowrootmode="open">${list}</template></shift-calendar>`;
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
  const { tag, direction } = language;
  return html`<!doctype html>
<html lang="${tag}"${direction === 'rtl' && html` dir="rtl"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${stylesheet}">
</head>
<body>
${body}
</body>
</html>
`.html;
}

/** A page of a calendar. It stands in the page, so that no browser asks for it. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' " +
  "fill='%230b5cad'/%3E%3Cpath d='M3 5h7M5 8h8M3 11h5' stroke='white' stroke-width='2'/%3E%3C/svg%3E";

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
