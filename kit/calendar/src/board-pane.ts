/** Shows a board, and touches only what is different from the minute before. */

import {
  type BoardSection,
  type BoardWriter,
  boardAt,
  clockIn,
  type Timed,
  timeShifts,
  writeBoard,
} from '@shiftfeed/common/board';
import { addDays, type Day, MINUTE_MS, parseDate } from '@shiftfeed/common/days';
import { LANGUAGES_ON_BOARD } from '@shiftfeed/common/languages/languages';
import { agoOf, updatedAt } from './board-age.ts';
import { fitBoard } from './board-fit.ts';
import { MAX_LINES, makeBoardSection, type ShownSection } from './board-section.ts';
import { element, setText } from './dom.ts';
import type { Holding } from './holding.ts';
import type { Language } from './language.ts';
import type { Pane, Scene } from './pane.ts';

export function makeBoardPane(): Pane {
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
  const timed = rememberTimed();
  let print = '';

  function show(scene: Scene & { readonly holding: Holding }): void {
    const { language, timeZone, nowMs, today, holding } = scene;
    const writer = writerOf(language);
    const isKnown = today >= firstDayOf(holding) && today <= lastDayOf(holding);
    // Shifts begin and end with a minute, and so does what is shown.
    const moment = { timeZone, nowMs: nowMs - (nowMs % MINUTE_MS), lastDay: lastDayOf(holding) };
    const found = boardAt(timed(holding, timeZone), timeZone, moment.nowMs);
    const shown = isKnown ? writeBoard(found, moment, writer) : [unknownSection(writer)];
    const updated = updatedAt(scene, holding.asOfMs, writer);
    setText(title, holding.title);
    setText(date, language.date(today, 'longDate'));
    setText(clock, language.time(clockIn(timeZone, nowMs)));
    setText(state, updated && `${updated} · ${agoOf(nowMs - holding.asOfMs, language)}`);
    setText(spoken, `${peopleOf(shown, language)} ${updated}`.trim());
    const newPrint = JSON.stringify([language.tag, holding.title, today, updated, shown]);
    if (newPrint === print) return;
    print = newPrint;
    made = shown.map((section) => makeBoardSection(section, language));
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

/** Keeps the times of the held shifts, which are the same every minute. */
function rememberTimed(): (holding: Holding, timeZone: string) => readonly Timed[] {
  let known: { readonly holding: Holding; readonly timed: readonly Timed[] } | undefined;
  return (holding, timeZone) => {
    if (known?.holding !== holding) known = { holding, timed: timeShifts(holding.shifts, timeZone) };
    return known.timed;
  };
}

function firstDayOf({ range, bounds }: Holding): Day {
  return Math.max(range.from, bounds.first ?? range.from) as Day;
}

/** Of a day on which there were more shifts than are held, too little is known. */
function lastDayOf({ range, bounds, isCut, shifts }: Holding): Day {
  const last = Math.min(range.to, bounds.last ?? range.to) as Day;
  const cut = isCut ? parseDate(shifts.at(-1)?.date ?? '') : undefined;
  return cut === undefined ? last : addDays(cut, -1);
}

function writerOf(language: Language): BoardWriter {
  return {
    say: language.sayFrom(LANGUAGES_ON_BOARD),
    until: (time) => language.say('until', { time }),
    countShifts: language.countShifts,
    time: language.time,
    shortDate: (day) => language.date(day, 'shortDate'),
    longDate: (day) => language.date(day, 'longDate'),
  };
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
