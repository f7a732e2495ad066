/**
 * The page of a board: who is on now, for a screen on a wall. Without scripts it is a list that browsers load again every
 * minute. Scripts make it a board that renews itself.
 */

import {
  type BoardLine,
  type BoardSection,
  boardAt,
  boardWriter,
  timeShifts,
  writeBoard,
  writeUpdated,
} from '@shiftfeed/common/board';
import { readDate } from '@shiftfeed/common/days';
import type { Moment, VisibleFeed } from '../visible-feed.ts';
import type { Language } from './language.ts';
import { type Html, html, type PageAddresses, writeDocument } from './page.ts';
import { HEAL_SCRIPT } from './scripts.ts';

/** More than fit on any wall. The rest is counted. */
const MAX_LINES = 60;
const RELOAD_SECONDS = 60;

export function writeBoardPage(
  visible: VisibleFeed,
  { nowMs, asOfMs }: Moment,
  language: Language,
  { stylesheet, script, shifts, isLive }: PageAddresses,
): string {
  const { feed, window } = visible;
  const { timeZone } = visible.copy;
  const writer = boardWriter(language);
  const today = readDate(visible.today);
  const found = boardAt(timeShifts(visible.shifts, timeZone), timeZone, nowMs);
  const sections = writeBoard(found, { timeZone, nowMs, lastDay: readDate(window.to) }, writer);
  const list = html`<p class="updated">${writer.longDate(today)} · ${writeUpdated(asOfMs, { timeZone, today }, writer)}</p>
${sections.map((section) => writeSection(section, language))}`;
  const body =
    script === undefined
      ? list
      : html`<shift-calendar view="now" src="${shifts}" locale="${language.tag}" legend${isLive && html` live`}>
${list}</shift-calendar>`;
  return writeBoardDocument(feed.title, language, stylesheet, script, body);
}

/** The page of a board that has nothing to show. It loads itself again, so it is gone soon after the problem is. */
export function writeBoardProblem(
  title: string,
  sentence: string,
  language: Language,
  stylesheet: string,
): string {
  const body = html`<p class="none">${sentence}</p>`;
  return writeBoardDocument(title, language, stylesheet, undefined, body);
}

function writeBoardDocument(
  title: string,
  language: Language,
  stylesheet: string,
  script: string | undefined,
  body: Html,
): string {
  return writeDocument(
    language,
    stylesheet,
    title,
    html`<meta name="robots" content="noindex">
<noscript><meta http-equiv="refresh" content="${RELOAD_SECONDS}"></noscript>${
      script !== undefined &&
      html`
<script type="module" src="${script}"></script>`
    }
${{ html: `<script>${HEAL_SCRIPT}</script>` }}`,
    html`<main class="board">
<h1>${title}</h1>
${body}
</main>`,
  );
}

function writeSection({ kind, heading, lines, none }: BoardSection, language: Language): Html {
  const rest = lines.length - MAX_LINES;
  return html`<section class="${kind}">
<h2>${heading}</h2>
${
  lines.length === 0
    ? html`<p class="none">${none}</p>`
    : html`<ul>
${lines.slice(0, MAX_LINES).map((line) => writeLine(line, language))}</ul>`
}${rest > 0 && html`<p>${language.say('more', { count: rest })}</p>`}
</section>
`;
}

function writeLine({ name, details, when, isNoshow }: BoardLine, { words }: Language): Html {
  return html`<li>
<p class="what"><bdi>${name}</bdi>${isNoshow && html` <strong class="badge off">${words.noshow}</strong>`}</p>
<p class="time">${when}</p>
${
  details.length > 0 &&
  html`<p class="where">${details.map((detail, i) => html`${i > 0 && ' · '}<bdi>${detail}</bdi>`)}</p>
`
}</li>
`;
}
