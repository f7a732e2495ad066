/** Makes a row of a list for each shift of a roster, in which days stand across. */

import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import {
  asWritten,
  type Cell,
  type GridRow,
  isCrossedOut,
  isError,
  refusedAt,
  SheetRefused,
  textOf,
  writtenIn,
} from '../cell.ts';
import type { RosterColumns } from '../columns.ts';
import type { WhyRow } from '../ledger.ts';
import { describePlace, placeInSheet, type SheetProblem } from '../problem.ts';
import { cover, type Notes } from '../report.ts';
import { mayRepeat, notWeekday } from '../shape/dated.ts';
import { findDays, namesAmong, partsIn, type RosterDays, rosterDays } from '../shape/days.ts';
import { type ColumnPlaces, folded } from '../shape/heading-row.ts';
import { type Pairs, pairsIn, type Roster, repeatsDays, type ShapedRows } from '../shape/shape.ts';
import { KEEP_EMPTY, type SheetOptions } from '../sheet-options.ts';
import { isInitial, wrongWeekday } from '../words/date.ts';
import { columnOf } from '../words/headings.ts';
import { plainWord } from '../words/languages.ts';
import { isNobody } from '../words/people.ts';
import { isCountWord, planMeaning, whichPlan } from '../words/status.ts';
import { MINUTES_PER_DAY, readTimes, severalTimes, timesNamed } from '../words/time.ts';
import { isWeekLabel } from '../words/title.ts';
import { isFree, isTotalWord, readFlag } from '../words/words.ts';
import { filling } from './list.ts';
import { Sections } from './sections.ts';
import { personIn, rowsOfNames, spread } from './wide-cells.ts';

interface RosterSheet extends Pick<RosterColumns, 'days' | 'became' | 'narrow'> {
  readonly roster: Roster;
  /** In the rows of the sheet. */
  readonly places: ColumnPlaces;
  readonly report: Notes;
  readonly options: SheetOptions;
  readonly sections: Sections;
}

/**
 * Reads the rows of a roster as people lay it out: the days may be repeated for each week, weekdays may stand above or
 * below them, and start and end may have cells of their own. Throws SheetRefused.
 */
export async function* rosterRows(
  rows: ShapedRows['rows'],
  columns: RosterColumns,
  report: Notes,
  options: SheetOptions,
): AsyncGenerator<readonly GridRow[]> {
  const { shape: roster, inSheet } = columns;
  const { places } = inSheet;
  const sections = new Sections(places, options, report, columnOfNames(roster, places));
  const sheet: RosterSheet = { ...columns, roster, places, report, options, sections };
  const { ledger } = report;
  const { first } = roster;
  const fill = fillingLabels(places, options, first);
  const askWhose = whoseRow(sheet);
  let [{ days }, { headings }] = [columns, roster];
  let shiftsOf = rosterRow(sheet, days, headings);
  let pairs: Pairs | undefined;
  let entries = entriesBelow(headings, days, pairs, sheet);
  /** A row of starts whose ends are in the next row. */
  let starts: GridRow | undefined;
  /** A row of weekdays, which belongs to the days below it if such follow. */
  let weekdays: GridRow | undefined = roster.rowAbove;
  /** `ends` are those of the row, if they stand below it. */
  const read = (row: GridRow, ends?: GridRow): readonly GridRow[] => {
    if (row.crossedOut !== undefined) return passCrossedOut(asWritten(row), days, sheet, fill, askWhose);
    const joined = ends === undefined ? row : joinDown(row, ends, first);
    const made = shiftsOf(fill(pairs === undefined ? joined : joinAcross(joined, pairs)));
    askWhose(joined, days, typeof made !== 'string');
    const label = ends && labelledAs('end_time', ends, first);
    for (const one of ends === undefined ? [row] : [row, ends])
      if (made === 'no shifts' && ends === undefined) sections.pass(one, made);
      else if (typeof made === 'string') ledger.leaveOut(one, made);
      else ledger.take(one, label === undefined ? entries : entries.with(label, ledger.entry('heading')));
    return typeof made === 'string' ? [] : sections.of(row, made);
  };
  checkWeekdays(weekdays, days, sheet);
  sections.block(headings, blockName(headings, sheet));
  for await (const some of rows) {
    const made: (readonly GridRow[])[] = [];
    for (const row of some) {
      const isEnds = starts !== undefined && labelledAs('end_time', row, first) !== undefined;
      if (starts !== undefined) made.push(read(starts, isEnds ? row : undefined));
      starts = labelledAs('start_time', row, first) === undefined ? undefined : row;
      if (isEnds || starts !== undefined) continue;
      const areAnew = areDaysAnew(row, roster, options);
      // Days without a year continue those of the previous block.
      if (areAnew) days = rosterDays(row, first, options, [...days.dates.values()].at(-1));
      if (days.problems.length > 0) throw new SheetRefused(...days.problems);
      checkWeekdays(weekdays, days, sheet);
      weekdays = areAnew || weekdaysIn(row, days, sheet) === undefined ? undefined : row;
      const found = areAnew ? undefined : pairsIn(row, first);
      const parts = areAnew || found ? undefined : partsIn(row, days, roster);
      if (weekdays !== undefined) ledger.takeAs(row, 'weekday');
      else if (roster.isTitle(row)) ledger.takeAs(row, 'heading');
      else if (areAnew || found !== undefined || parts !== undefined) {
        if (areAnew) sections.block(row, blockName(row, sheet));
        if (areAnew) headings = row;
        [pairs, days] = [found, parts ?? days];
        shiftsOf = rosterRow(sheet, days, headings);
        entries = entriesBelow(row, days, pairs, sheet);
        // If each row says its week, the days of the headings come again.
        if (parts !== undefined) sections.columns(row, namesAmong(parts, options));
        else if (!areAnew || row.line !== roster.headings.line) ledger.takeAs(row, 'heading');
      } else made.push(read(row));
    }
    yield made.flat();
  }
  checkWeekdays(weekdays, days, sheet);
  if (starts !== undefined) yield read(starts);
  sections.end();
}

/** A row that is crossed out, as it was before: what is below it may go on from there. */
function passCrossedOut(
  row: GridRow,
  days: RosterDays,
  { roster, options, sections }: RosterSheet,
  fill: (row: GridRow) => GridRow,
  askWhose: ReturnType<typeof whoseRow>,
): readonly GridRow[] {
  fill(row);
  askWhose(row, days, false);
  const labels = row.cells.slice(0, roster.first);
  // Days without dates were not dated, but stand beside their heading.
  const repeatsLabels =
    labels.some((cell) => cell !== '') &&
    mayRepeat(labels, roster.headings) &&
    row.cells.slice(roster.first).some((cell) => cell !== '');
  sections.passCrossedOut(row, repeatsLabels || areDaysAnew(row, roster, options));
  return [];
}

/** On a page of a calendar, names stand below the days. */
function columnOfNames({ first }: Roster, places: ColumnPlaces): number | undefined {
  return first === 0 ? undefined : (places.person ?? 0);
}

/** What the cells below the days become. */
function entriesBelow(
  headings: GridRow,
  { dates }: RosterDays,
  pairs: Pairs | undefined,
  { roster: { first, times, headings: roster }, became, report: { ledger } }: RosterSheet,
) {
  const ends = (pairs?.columns ?? []).map(({ end }) => end);
  const shifts = new Set([...dates.keys(), ...ends]);
  const cellsAre = times === undefined ? 'times' : 'person';
  const width = Math.max(roster.cells.length, headings.cells.length, ...ends.map((end) => end + 1));
  return ledger.entries(
    Array.from({ length: width }, (_, column) => (shifts.has(column) ? cellsAre : became[column])),
    { ...headings, cells: [...roster.cells.slice(0, first), ...headings.cells.slice(first)] },
    false,
  );
}

/** A row for each filled cell below a day of these headings, or why there is none. */
function rosterRow(
  sheet: RosterSheet,
  days: RosterDays,
  headings: GridRow,
): (row: GridRow) => readonly GridRow[] | WhyRow {
  const { narrow, places, report, options, sections } = sheet;
  const { first, times, timesOfCrosses = -1 } = sheet.roster;
  const { dates, others, parts } = days;
  checkPlans(days, options);
  const names = namesAmong(days, options);
  const namesAre = sections.ofColumns();
  const areSections = namesAre === 'group' || namesAre === 'location';
  const last = Math.max(first, ...dates.keys());
  const read = new Set([...Object.values(places), timesOfCrosses]);
  const notRead = Array.from({ length: first }, (_, column) => column).filter((column) => !read.has(column));
  const { person = first } = places;
  const isDay = (column: number) => dates.has(column);
  for (const date of dates.values()) cover(report.covers, date);
  const isPlan = planRows(notRead, { person, days: person < first ? [...dates.keys()] : [] }, options);
  return (row) => {
    const { line, sheet } = row;
    if (parts !== undefined) checkMerged(row, dates);
    const cells = spread(row, isDay, options);
    const labels: Cell[] = cells.slice(0, first);
    if (times === undefined) for (const column of notRead) checkUnread(row, column, headings, options);
    cover(report.covers, undefined, textOf(labels[places.group ?? -1]));
    if (isTotal(cells, first)) return 'total';
    if (!isPlan(row)) return 'no shifts';
    const told = labels[times ?? first] ?? '';
    if (times !== undefined && !isError(told)) labels[times] = timesNamed(textOf(told)) ?? textOf(told);
    const label = textOf(labels[person]);
    const ofCrosses = textOf(labels[timesOfCrosses]);
    const beside = timesOfCrosses === -1 ? undefined : (timesNamed(ofCrosses) ?? ofCrosses);
    const rows: GridRow[] = [];
    let hasShifts = false;
    for (let column = first; column < cells.length; column++) {
      const written = cells[column] ?? '';
      if (written === '' || isCrossedOut(written)) continue;
      const part = parts?.texts.get(column) ?? beside;
      const name = names.get(column);
      const section = areSections ? name : undefined;
      const cell = part === undefined || section !== undefined ? written : partOfDay(written, part, options);
      const date = dates.get(column);
      hasShifts ||= date !== undefined;
      if (date === undefined) {
        if (column > last || others.has(column)) checkUnread(row, column, headings, options);
        else throw underNoDay(row, column, headings);
        continue;
      }
      if (planMeaning(part ?? '', options.statuses) === 'none') continue;
      if (name !== undefined && namesAre === undefined && cell === written && !isFree(textOf(cell)))
        throw sections.askAboutColumn(name, { ...(parts?.row ?? row), column });
      const when: Cell = { type: 'date', text: date };
      const place = { sheet, line, column, ...(section !== undefined && { section }) };
      if (first === 0 && places.person !== undefined)
        for (const [nth, [name, both]] of namesAndTimes(cell).entries())
          rows.push({ ...place, nth, cells: narrow([], when, both, name) });
      else if (times === undefined) {
        if (isNobody(label)) labels[person] = personIn(label, report);
        rows.push({ ...place, cells: narrow(labels, when, cell) });
      } else
        rows.push(...rowsOfNames(cell, place, { report, options }, (name) => narrow(labels, when, name)));
    }
    return hasShifts ? rows : 'no shifts';
  };
}

/** `Ada 9-17` and `10-18 Bo`, each on a line of its own, as on a page of a calendar. */
function namesAndTimes(cell: Cell): readonly (readonly [name: string, times: string])[] {
  const lines = textOf(cell).slice(0, MAX_CALENDAR_CHARACTERS).split(/[\n;]/);
  return lines.flatMap((line) => {
    const words = line.replaceAll(/[()]/g, ' ').trim().split(/\s+/);
    for (let length = Math.min(words.length, MAX_WORDS_OF_TIMES); length > 0; length--) {
      const [start, end] = [words.slice(0, length).join(' '), words.slice(-length).join(' ')];
      const [before, after] = [words.slice(0, -length).join(' '), words.slice(length).join(' ')];
      if (readTimes(end) !== undefined) return [[before.replace(/[:,]$/, ''), end] as const];
      if (readTimes(start.replace(/[:,]$/, '')) !== undefined)
        return [[after, start.replace(/[:,]$/, '')] as const];
    }
    return line.trim() === '' ? [] : [['', line.trim()] as const];
  });
}

const MAX_CALENDAR_CHARACTERS = 2_000;
const MAX_WORDS_OF_TIMES = 8;

/** A cross says that somebody works in that part of the day. */
function partOfDay(cell: Cell, part: string, { codes }: SheetOptions): Cell {
  const text = textOf(cell);
  return readFlag(text) === true && !codes?.has(text) ? part : cell;
}

/** A cell over several columns of a day may be one shift, or one in each. Throws SheetRefused. */
function checkMerged({ cells, spans, ...row }: GridRow, dates: RosterDays['dates']): void {
  for (const [column, last] of spans ?? []) {
    const text = textOf(cells[column]);
    const isOfOneDay = dates.has(column) && last > column && dates.get(column) === dates.get(column + 1);
    if (text === '' || !isOfOneDay || isFree(text)) continue;
    const message = `${quote(text)} is merged over several columns of a day: write it into each in which there is a shift`;
    throw refusedAt({ ...row, column }, message);
  }
}

/** Columns that share a day may be of two plans. Throws SheetRefused. */
function checkPlans({ parts }: RosterDays, { statuses }: SheetOptions): void {
  if (parts === undefined) return;
  const asked = new Map<string, SheetProblem>();
  for (const [column, text] of parts.texts)
    if (planMeaning(text, statuses) !== undefined && !asked.has(text))
      asked.set(text, { place: placeInSheet({ ...parts.row, column }), ...whichPlan(text) });
  if ([...asked.keys()].some((text) => planMeaning(text, statuses) === 'asked'))
    throw new SheetRefused(...asked.values());
}

/**
 * Whether a row counts, beside others with words such as `Plan` and `Actual`, or of the same person at the same times.
 * Throws SheetRefused.
 */
function planRows(
  columns: readonly number[],
  { person, days }: { readonly person: number; readonly days: readonly number[] },
  { statuses }: SheetOptions,
): (row: GridRow) => boolean {
  const told = new Map([...(statuses ?? [])].map(([word, meaning]) => [plainWord(word), meaning]));
  let plan: SheetProblem | undefined;
  let above: GridRow | undefined;
  const isOfSame = ({ cells }: GridRow) =>
    ['', textOf(above?.cells[person])].includes(textOf(cells[person])) &&
    days.some((day) => areAtOnce(textOf(above?.cells[day]), textOf(cells[day])));
  const asking = ({ cells, ...row }: GridRow, column: number) => ({
    place: placeInSheet({ ...row, column }),
    ...whichPlan(textOf(cells[column])),
  });
  return (row) => {
    for (const column of columns) {
      const word = textOf(row.cells[column]);
      const known = word === '' ? 'shift' : (planMeaning(word, statuses) ?? told.get(plainWord(word)));
      const other = above && textOf(above.cells[column]);
      if (known === undefined && above && other && other !== word && isOfSame(row))
        throw new SheetRefused(asking(row, column), asking(above, column));
      if (known === undefined || word === '') continue;
      const problem = asking(row, column);
      if (known === 'asked') throw new SheetRefused(problem, ...(plan === undefined ? [] : [plan]));
      if (known !== 'shift') return false;
      plan ??= problem;
    }
    above = row;
    return true;
  };
}

function areAtOnce(one: string, other: string): boolean {
  if (one === '' || other === '') return false;
  const [[start, end] = [], [otherStart, otherEnd] = []] = [readTimes(one), readTimes(other)];
  if (!start || !end || !otherStart || !otherEnd) return one === other && !isFree(one);
  const until = (from: number, to: number) => (to <= from ? to + MINUTES_PER_DAY : to);
  return (
    start.minute < until(otherStart.minute, otherEnd.minute) &&
    otherStart.minute < until(start.minute, end.minute)
  );
}

/** Times in a column that is not read may be those of a day whose heading is mistyped. Throws SheetRefused. */
function checkUnread(
  row: GridRow,
  column: number,
  headings: GridRow,
  { codes, ignoredColumns }: SheetOptions,
): void {
  const text = textOf(row.cells[column]);
  const isShift = readTimes(text) !== undefined || severalTimes(text) !== undefined || codes?.has(text);
  const heading = folded(textOf(headings.cells[column]));
  if (!isShift || (heading !== '' && ignoredColumns.some((one) => folded(one) === heading))) return;
  throw underNoDay(row, column, headings);
}

function underNoDay({ cells, ...row }: GridRow, column: number, headings: GridRow): SheetRefused {
  const heading = textOf(headings.cells[column]);
  const under = heading === '' ? 'no heading' : `${quote(heading)}, which is no day`;
  return new SheetRefused({
    place: placeInSheet({ ...row, column }),
    message: `${quote(textOf(cells[column]))} stands under ${under}: write the day of this column into ${describePlace({ line: headings.line, sheet: headings.sheet, column })}`,
    ...(heading !== '' && {
      advice: `; or, if it holds none, say --ignore-columns ${quote(heading)}`,
      offers: [['ignore-columns', heading]] as const,
    }),
  });
}

/**
 * Returns the function that asks whose a row without a name is, below one with a name. It may be a second line of the
 * same person, or open shifts. Throws SheetRefused.
 */
function whoseRow({ roster: { first }, places, options: { fillDown = [] } }: RosterSheet) {
  const columns = (['person', 'first_name', 'last_name'] as const).filter(
    (name) => (places[name] ?? first) < first,
  );
  const names = columns.map((name) => places[name] ?? first);
  const isTold = fillDown.some((one) => one === KEEP_EMPTY || columns.some((name) => name === one));
  let above: readonly Cell[] | undefined;
  const nameIn = (cells: readonly Cell[] = []) =>
    names
      .map((place) => writtenIn(cells[place]))
      .join(' ')
      .trim();
  const read = new Set(Object.values(places));
  return ({ cells, ...row }: GridRow, { dates }: RosterDays, isRead: boolean): void => {
    if (isTold || names.length === 0) return;
    const isOfAbove = (cell: Cell, i: number) =>
      cell === '' || !read.has(i) || textOf(cell) === textOf(above?.[i]);
    if (nameIn(cells) !== '' || !cells.slice(0, first).every(isOfAbove)) {
      above = nameIn(cells) === '' ? undefined : cells;
      return;
    }
    const shifts = [...dates.keys()].filter((column) => !isSum(cells[column] ?? ''));
    if (above === undefined || !isRead || shifts.every((column) => isFree(textOf(cells[column])))) {
      if (cells.every((cell) => cell === '')) above = undefined;
      return;
    }
    throw new SheetRefused({
      place: placeInSheet({ ...row, column: names[0] }, columns[0]),
      message: `is empty below ${quote(nameIn(above))}`,
      advice: `: if this row is of the same person, say --fill-down ${columns.join()}; if its shifts are open, say --fill-down ${KEEP_EMPTY}`,
      fix: byOption('fill-down', columns.join(), KEEP_EMPTY),
    });
  };
}

/** What stands in a total counts for none of the rows below it, but a group above its count begins a block. */
function fillingLabels(
  places: ColumnPlaces,
  options: SheetOptions,
  first: number,
): (row: GridRow) => GridRow {
  const fill = filling(places, options, first);
  const isAside = ({ cells }: GridRow) =>
    isTotal(cells, first) && isCounting(cells.find((cell) => cell !== ''));
  return (row) => (isAside(row) ? row : fill(row));
}

function isTotal(cells: readonly Cell[], first: number): boolean {
  return cells.slice(0, first).some(isCounting) && cells.slice(first).every(isSum);
}

function isCounting(label: Cell | undefined): boolean {
  return isTotalWord(textOf(label)) || isCountWord(textOf(label));
}

/** A group may be called "Total", but its cells are then not just numbers, or formulas without a result. */
function isSum(cell: Cell): boolean {
  return /^(?:[€$£]?[\d.,:\s]*[h€$£]?$|=)/.test(textOf(cell));
}

/** So many weekdays, and nothing else, are headings. Of initials, more are needed, unless no name stands beside them. */
const MIN_WEEKDAYS = 2;
const MIN_INITIALS = 5;

/** Whether a row holds the weekdays of the days, and the first column in which it does not; undefined: it holds others. */
function weekdaysIn(
  row: GridRow,
  { dates }: RosterDays,
  { roster: { first, headings, times }, options: { codes } }: RosterSheet,
): { readonly wrong?: number } | undefined {
  const { cells } = row;
  // Somebody may be called Di.
  if (times !== undefined && timesNamed(textOf(cells[times])) !== undefined) return undefined;
  const columns: number[] = [];
  for (const column of dates.keys()) {
    const text = textOf(cells[column]);
    // Most rows hold times.
    if (/^\d/.test(text)) return undefined;
    if (text !== '') columns.push(column);
  }
  if (columns.length < MIN_WEEKDAYS) return undefined;
  const texts = columns.map((column) => textOf(cells[column]));
  const wrong = wrongWeekday(
    texts,
    columns.map((column) => dates.get(column) ?? ''),
  );
  if (wrong === 'no weekdays') return undefined;
  if (texts.some(isInitial)) {
    const isNamed = cells
      .slice(0, first)
      .some((cell, i) => cell !== '' && textOf(cell) !== textOf(headings.cells[i]));
    const mayBeCodes = codes !== undefined && texts.every((text) => codes.has(text));
    const isFew = columns.length < dates.size || (isNamed && columns.length < MIN_INITIALS);
    if (mayBeCodes || isFew || (isNamed && wrong !== undefined)) return undefined;
  }
  return wrong === undefined ? {} : { wrong: columns[wrong] ?? first };
}

/** Weekdays above or below the days must match them. Throws SheetRefused. */
function checkWeekdays(row: GridRow | undefined, days: RosterDays, sheet: RosterSheet): void {
  const column = row && weekdaysIn(row, days, sheet)?.wrong;
  if (row === undefined || column === undefined) return;
  throw notWeekday({ ...row, column }, row.cells[column] ?? '', days.dates.get(column) ?? '');
}

/**
 * Whether a row repeats the days. A row of a person must not be taken for one, so only the first heading, a week or
 * nothing may stand left of the days.
 */
function areDaysAnew(row: GridRow, { headings, first }: Roster, options: SheetOptions): boolean {
  if (repeatsDays(row, headings, first)) return true;
  return mayRepeat(row.cells.slice(0, first), headings) && findDays([row], options)?.first === first;
}

/** The name of a block of rows, beside its days. Without other blocks, it is the heading of the names. */
function blockName({ cells }: GridRow, { roster: { hasNamedBlocks }, places }: RosterSheet): string {
  const text = textOf(cells[places.person ?? 0]);
  const isHeading = columnOf(text);
  return hasNamedBlocks && isHeading === undefined && !isWeekLabel(text) ? text : '';
}

/* Start and end in cells of their own: side by side below each day, or one below the other. */

function joinAcross(row: GridRow, { columns, others }: Pairs): GridRow {
  const cells: Cell[] = [...row.cells];
  for (const other of others) {
    if (other >= cells.length) break;
    cells[other] = '';
  }
  for (const { start, end } of columns) {
    if (start >= cells.length) break;
    cells[start] = bothTimes(cells[start] ?? '', cells[end] ?? '');
    if (end < cells.length) cells[end] = '';
  }
  return { ...row, cells };
}

/** The place of the label that says so, left of the days. */
function labelledAs(
  column: 'start_time' | 'end_time',
  { cells }: GridRow,
  first: number,
): number | undefined {
  const place = cells.findIndex(
    (cell, i) => i < first && cell !== '' && columnOf(textOf(cell), 'first') === column,
  );
  return place === -1 ? undefined : place;
}

function joinDown(starts: GridRow, ends: GridRow, first: number): GridRow {
  const label = labelledAs('start_time', starts, first);
  const width = Math.max(starts.cells.length, ends.cells.length);
  const cells = Array.from({ length: width }, (_, column): Cell => {
    const [start = '', end = ''] = [starts.cells[column], ends.cells[column]];
    if (column === label) return '';
    return column < first ? start : bothTimes(start, end);
  });
  return { ...starts, cells };
}

/** One time alone stays as it is, and is then refused as not understood. A merged `frei` stands in both cells. */
function bothTimes(start: Cell, end: Cell): Cell {
  if (start === '' || end === '') return start === '' ? end : start;
  if (isCrossedOut(start) && isCrossedOut(end)) return start;
  if (textOf(start) === textOf(end) && isFree(textOf(start))) return start;
  return `${textOf(start)} - ${textOf(end)}`;
}
