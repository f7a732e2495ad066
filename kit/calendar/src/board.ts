/**
 * The board on a wall: who is on now. It is loaded when it is first asked for, and touches only what is different from the
 * minute before.
 */

import {
  type BoardLine,
  type BoardSection,
  type BoardWriter,
  boardAt,
  boardWriter,
  clockIn,
  timeShifts,
  writeBoard,
  writeUpdated,
} from '@shiftfeed/common/board';
import type { Language } from '@shiftfeed/common/calendar/language';
import type { DayRange } from '@shiftfeed/common/calendar/range';
import { groupParts } from '@shiftfeed/common/calendar/shift';
import { addDays, DAY_MS, MINUTE_MS, parseDate } from '@shiftfeed/common/days';
import { element, setText } from './dom.ts';
import { type Holding, withinBounds } from './holding.ts';
import type { Pane, Scene, View } from './pane.ts';
import { BOARD_STYLES } from './styles.ts';
import { type Rhythm, untilEnded } from './supply.ts';

export function openBoard(): View {
  return { pane: makeBoardPane(), styles: BOARD_STYLES, rhythm: boardRhythm };
}

function makeBoardPane(): Pane {
  const title = element('h2', { part: 'board-title' });
  const date = element('p', { part: 'board-date' });
  const clock = element('p', { part: 'board-clock' });
  const state = element('p', { part: 'board-state' });
  const sections = element('div', { part: 'board-sections' });
  // The only thing that is read aloud by itself: it changes when people do, and not with the clock.
  const spoken = element('p', { part: 'spoken', role: 'status' });
  const now = element('div', { part: 'board-now' }, date, clock);
  const header = element('div', { part: 'board-header' }, title, now);
  const board = element('div', { part: 'board' }, header, state, sections, spoken);
  let made: readonly ShownSection[] = [];
  new ResizeObserver(() => fitBoard(board, made)).observe(board);
  let print = '';

  function show(scene: Scene & { readonly holding: Holding }): void {
    const { language, timeZone, nowMs, today, holding, hasColours } = scene;
    const writer = boardWriter(language);
    const { from, to } = knownDays(holding);
    // Shifts begin and end with a minute, and so does what is shown.
    const moment = { timeZone, nowMs: nowMs - (nowMs % MINUTE_MS), lastDay: to };
    const found = boardAt(timeShifts(holding.shifts, timeZone), timeZone, moment.nowMs);
    const shown = today >= from && today <= to ? writeBoard(found, moment, writer) : [unknownSection(writer)];
    const updated = updatedAt(scene, holding.asOfMs, writer);
    setText(title, holding.title);
    setText(date, language.date(today, 'longDate'));
    setText(clock, language.time(clockIn(timeZone, nowMs)));
    setText(state, updated && `${updated} · ${agoOf(nowMs - holding.asOfMs, language)}`);
    setText(spoken, `${peopleOf(shown, language)} ${updated}`.trim());
    const newPrint = JSON.stringify([language.tag, holding.title, today, updated, hasColours, shown]);
    if (newPrint === print) return;
    print = newPrint;
    made = shown.map((section) => makeBoardSection(section, language, hasColours));
    sections.replaceChildren(...made.map((section) => section.element));
    fitBoard(board, made);
  }

  return {
    element: board,
    groups: [],
    update(scene) {
      const { holding } = scene;
      board.hidden = holding === undefined;
      if (holding !== undefined) show({ ...scene, holding });
      return [][Symbol.iterator]();
    },
    move: () => undefined,
  };
}

/** Of a day on which there were more shifts than are held, too little is known. */
function knownDays({ range, bounds, isCut, shifts }: Holding): DayRange {
  const { from, to } = withinBounds(range, bounds);
  const cut = isCut ? parseDate(shifts.at(-1)?.date ?? '') : undefined;
  return { from, to: cut === undefined ? to : addDays(cut, -1) };
}

function unknownSection(writer: BoardWriter): BoardSection {
  return { kind: 'on', heading: writer.say('on_now'), lines: [], none: writer.say('unknown') };
}

/** "On now: Noor, Ali" */
function peopleOf([on]: readonly BoardSection[], language: Language): string {
  if (on === undefined || on.lines.length === 0) return on?.none ?? '';
  const names = on.lines.slice(0, MAX_LINES).map(({ name }) => name);
  const rest = on.lines.length - names.length;
  const more = rest > 0 ? [language.say('more', { count: rest })] : [];
  return `${on.heading}: ${[...names, ...more].join(', ')}`;
}

/** More than fit on any wall. The rest is counted. */
const MAX_LINES = 60;

type ShownSection = ReturnType<typeof makeBoardSection>;

/** A heading and its lines, none of which can be pressed. */
function makeBoardSection(section: BoardSection, language: Language, hasColours: boolean) {
  const { kind, heading, none } = section;
  const id = `board-${kind}`;
  const lines = section.lines.slice(0, MAX_LINES).map((line) => lineElement(line, language, hasColours));
  const more = element('p', { part: 'board-more' });
  let shown = 0;

  /** Shows so many lines, and counts the others. */
  function show(count: number): void {
    shown = Math.min(count, lines.length);
    for (const [i, line] of lines.entries()) line.hidden = i >= shown;
    const rest = section.lines.length - shown;
    setText(more, rest === 0 ? '' : language.say('more', { count: rest }));
  }

  show(MAX_LINES);
  return {
    element: element(
      'div',
      { part: `board-section board-${kind}`, role: 'group', 'aria-labelledby': id },
      element('h3', { part: 'board-heading', id }, heading),
      lines.length > 0
        ? element('ul', { part: 'board-lines' }, ...lines)
        : element('p', { part: 'board-none' }, none),
      more,
    ),
    /** How many lines are seen. */
    count: () => shown,
    show,
  };
}

function lineElement(
  { name, details, when, isNoshow, groupId }: BoardLine,
  language: Language,
  hasColours: boolean,
): HTMLElement {
  const group = groupId === undefined ? undefined : { id: groupId };
  return element(
    'li',
    { part: `board-line ${groupParts(group, hasColours)}` },
    element('bdi', { part: 'board-name' }, name),
    ' ',
    element('span', { part: 'board-when' }, when),
    ' ',
    (details.length > 0 || isNoshow) &&
      element(
        'span',
        { part: 'board-details' },
        ...details.flatMap((detail) => [element('bdi', { part: 'board-detail' }, detail), ' ']),
        isNoshow && element('span', { part: 'mark mark-noshow' }, language.say('noshow')),
      ),
  );
}

const HOUR_MS = 60 * MINUTE_MS;
/** Several answers in a row did not come: one that is late is no news. */
const OLD_MS = 3 * MINUTE_MS;

/** As of when old shifts are. It is the same for as long as they are not renewed. */
function updatedAt(scene: Scene, asOfMs: number, writer: BoardWriter): string {
  return scene.nowMs - asOfMs < OLD_MS ? '' : writeUpdated(asOfMs, scene, writer);
}

/** "2 hours ago" */
function agoOf(ageMs: number, { tag }: Language): string {
  const format = new Intl.RelativeTimeFormat(tag);
  if (ageMs < HOUR_MS) return format.format(-Math.floor(ageMs / MINUTE_MS), 'minute');
  if (ageMs < 2 * DAY_MS) return format.format(-Math.floor(ageMs / HOUR_MS), 'hour');
  return format.format(-Math.floor(ageMs / DAY_MS), 'day');
}

const SCALES = [1.4, 1.2, 1, 0.9, 0.8, 0.7, 0.6, 0.5];
/** Sections of those who come next, and of open shifts, lose lines beyond this number before the type shrinks. */
const LEAST_LINES = 4;

/**
 * Makes a board fit where it hangs: its type shrinks as far as it can still be read across a room, and then lines are
 * counted instead of shown. Where the page scrolls, as on a phone, nothing has to fit. The first section has those who
 * are on.
 */
function fitBoard(board: HTMLElement, sections: readonly ShownSection[]): void {
  const [, ...others] = sections;
  for (const scale of SCALES) {
    board.style.setProperty('--_scale', String(scale));
    for (const section of sections) section.show(Number.POSITIVE_INFINITY);
    if (shorten(board, others, LEAST_LINES)) return;
  }
  shorten(board, sections, 1);
}

/** Takes lines away until the board fits. False if that takes more than may be taken. */
function shorten(board: HTMLElement, sections: readonly ShownSection[], leastLines: number): boolean {
  for (let missing = missingPx(board); missing > 0; missing = missingPx(board)) {
    const longest = longestTooLong(board, sections, leastLines);
    if (longest === undefined) return false;
    // Not all at once, because lines may stand beside each other, and are not all of one height.
    const lineHeight = longest.element.offsetHeight / longest.count();
    const tooMany = Math.max(1, Math.floor(missing / lineHeight / 2));
    longest.show(Math.max(leastLines, longest.count() - tooMany));
  }
  return true;
}

/** By how much the board is higher than its place. Both are rounded, and so a pixel says nothing. */
function missingPx(board: HTMLElement): number {
  return board.scrollHeight - board.clientHeight - 1;
}

/** The one with the most lines among those that end too low, and those above them. */
function longestTooLong(
  board: HTMLElement,
  sections: readonly ShownSection[],
  leastLines: number,
): ShownSection | undefined {
  const { bottom } = board.getBoundingClientRect();
  const boxes = new Map(sections.map((section) => [section, section.element.getBoundingClientRect()]));
  const columns = new Set([...boxes.values()].filter((box) => box.bottom > bottom).map(({ left }) => left));
  return sections
    .filter((section) => section.count() > leastLines && columns.has(boxes.get(section)?.left ?? 0))
    .sort((a, b) => b.count() - a.count())[0];
}

const BEAT_MS = 1_000;
/** A network that comes and goes does not make a board ask more often than this. */
const LEAST_MS = 10_000;

/**
 * The rhythm of a board, which nobody watches over. It shows every minute, and asks again about every minute, or less and
 * less often while nobody answers. Whether it is time is decided by the clock alone, once a second: a computer that
 * slept for hours is right a second after it wakes, whatever became of its timers.
 */
const boardRhythm: Rhythm = (supply, { show, refresh }) => {
  let shownMinute = Math.floor(Date.now() / MINUTE_MS);
  let jitter = Math.random();
  /** What another view has loaded may be old, so a board asks soon. */
  let isHurried = supply.holding !== undefined;
  return untilEnded(BEAT_MS, (event) => {
    if (event?.type === 'online') isHurried = true;
    if (document.hidden) return;
    const nowMs = Date.now();
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== shownMinute) {
      shownMinute = minute;
      show();
    }
    const pauseMs = isHurried ? LEAST_MS : pauseAfter(supply.failures, jitter);
    const sinceMs = nowMs - supply.attemptedMs;
    // A clock that was set back must not stop everything until it has caught up.
    if (supply.isLoading() || (sinceMs >= 0 && sinceMs < pauseMs)) return;
    jitter = Math.random();
    isHurried = false;
    void refresh();
  });
};

/** Asking is cheap: the gateway answers from memory, and the browser from its cache while that is fresh. */
const RENEW_MS = MINUTE_MS;
const FIRST_RETRY_MS = 20_000;
const LAST_RETRY_MS = 5 * MINUTE_MS;

/** `jitter` is from 0 to 1: boards that lost the same gateway at the same moment do not come back at the same moment. */
export function pauseAfter(failures: number, jitter: number): number {
  if (failures === 0) return RENEW_MS * (1 + jitter / 4);
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)) * (1 - jitter / 2);
}
