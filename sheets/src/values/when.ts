/** Reads the cells of a row that say when a shift is: its date, its times and its end. */

import { addDays, formatDate, readDate } from '@shiftfeed/common/days';
import { memoize } from '@shiftfeed/common/memoize';
import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type Cell, textOf } from '../cell.ts';
import type { Columns } from '../columns.ts';
import type { Reason } from '../problem.ts';
import type { ColumnPlaces } from '../shape/heading-row.ts';
import type { SheetOptions } from '../sheet-options.ts';
import { fitsWeekday, minuteOfSerial, monthNamed, SERIAL } from '../words/date.ts';
import type { TableColumn } from '../words/headings.ts';
import {
  areOfTwoKinds,
  type ClockTime,
  cutDateAndTime,
  formatMinute,
  hasZone,
  LENGTH_RULE,
  MAX_RANGE_CHARACTERS,
  MINUTES_PER_DAY,
  readEnd,
  readLength,
  readTime,
  readTimes,
  TIME_RULE,
  TIMES_RULE,
  timesNamed,
  withoutMidnight,
} from '../words/time.ts';
import { isFree } from '../words/words.ts';
import { as24, hoursContradict } from './clock.ts';
import type { ColumnFormats } from './formats.ts';
import { REQUIRED, type Refuse, type ValueColumn, valueIn } from './value-column.ts';

/** What a row says about the time of its shift. Columns that the sheet lacks are left out. */
export interface When {
  date?: string;
  start_time?: string;
  end_time?: string;
  end_date?: string | null;
}

/** A row that says that there is no shift, and on which day, if that can be read. */
export class NoShift {
  readonly date: string | undefined;

  constructor(date: string | undefined) {
    this.date = date;
  }
}

/** Returns the function that reads these cells of a row. */
export function whenReader(
  columns: Columns,
  options: SheetOptions,
  formats: ColumnFormats,
): (cells: readonly Cell[], refuse: Refuse, isNone: boolean) => When | NoShift {
  const { places } = columns;
  const { date, start, times, end, endDate, length } = columnsOfWhen(columns, options, formats);
  const settleTimes = timesSettler(columns, formats);
  return (cells, refuse, isNone) => {
    if (isNone || saysNoShift(cells, places, formats.code))
      return new NoShift(valueIn(date, cells, () => undefined)?.date);
    const day = valueIn(date, cells, refuse);
    const from =
      valueIn(start, cells, refuse) ??
      valueIn(times, cells, refuse) ??
      (day?.time && places.start_time === undefined ? { time: day.time } : undefined);
    const until = valueIn(end, cells, refuse);
    const lastDay = valueIn(endDate, cells, refuse);
    const when: When = {};
    const minutes = from?.end === undefined ? valueIn(length, cells, refuse) : undefined;
    settleDate(when, day, from, places, refuse);
    checkWeekday(when.date, textOf(cells[columns.weekday ?? -1]), refuse);
    settleEndDate(when, until, lastDay, places, refuse);
    settleTimes(when, from?.time, until?.time ?? from?.end, until === undefined, minutes, cells, refuse);
    return when;
  };
}

function columnsOfWhen({ places, lacking }: Columns, options: SheetOptions, formats: ColumnFormats) {
  const hasEnd = places.end_time !== undefined || places.hours !== undefined;
  /** Whether the column of the start also holds the end. */
  const tellsEnd = !hasEnd && (places.times !== undefined || !lacking.includes('end_time'));
  const isSerial = options.dateFormat === SERIAL;
  const decimalTime = isSerial ? undefined : formats.decimalTime;
  const startFields = tellsEnd ? ['start_time', 'end_time'] : ['start_time'];
  const column = (
    name: TableColumn,
    fields: readonly string[],
    readText: (text: string) => Moment | undefined,
    why: ValueColumn<Moment>['why'],
  ): ValueColumn<Moment> => {
    const read = memoize(readText);
    return {
      name,
      place: places[name],
      fields,
      read: (text, cell) => (isSerial || decimalTime || !isFraction(cell) ? read(text) : undefined),
      why,
      whenEmpty: REQUIRED,
    };
  };
  const day = (name: 'date' | 'end_date') =>
    column(
      name,
      [name],
      (text) => inBothYears(name, formats, (read) => readDay(text, read, isSerial)),
      formats.whyNoDate,
    );
  const time = (name: 'start_time' | 'end_time', fields: readonly string[], mayBeTwo: boolean) =>
    column(
      name,
      fields,
      (text) => {
        const decimal = decimalTime?.(text);
        if (decimalTime !== undefined) return decimal && { time: decimal };
        const how = { isEnd: name === 'end_time', mayBeTwo, isSerial };
        return inBothYears(name, formats, (read) => readMoment(text, read, how));
      },
      whyNoTime,
    );
  const length: ValueColumn<number> = {
    name: 'hours',
    place: places.end_time === undefined ? places.hours : undefined,
    fields: ['end_time'],
    read: (text, cell) =>
      typeof cell === 'string' || /^\d+$/.test(text) ? formats.length(text) : readLength(text, 'decimal'),
    why: (text) => `${quote(text)} is not ${LENGTH_RULE}`,
    whenEmpty: REQUIRED,
  };
  return {
    date: day('date'),
    start: time('start_time', startFields, !hasEnd && places.times === undefined),
    times: column(
      'times',
      startFields,
      (text) => readBoth(text, formats.code(text), hasEnd),
      (text, cell) => whyNoTimes(text, cell, hasEnd),
    ),
    end: time('end_time', ['end_time'], false),
    endDate: { ...day('end_date'), whenEmpty: undefined },
    length,
  };
}

/** A word such as `frei`, or a code for it, in place of times. */
function saysNoShift(
  cells: readonly Cell[],
  { times, start_time, end_time }: ColumnPlaces,
  codeIn: ColumnFormats['code'],
): boolean {
  const says = (place: number | undefined) => {
    const text = textOf(cells[place ?? -1]);
    const code = codeIn(text);
    return code === undefined ? isFree(text) : code === '';
  };
  if (start_time === undefined) return says(times);
  return says(start_time) && (textOf(cells[end_time ?? -1]) === '' || says(end_time));
}

/** A number such as 9.25 may be a quarter past nine, or 25 minutes past. */
function isFraction(cell: Cell): boolean {
  return typeof cell !== 'string' && cell.type === 'number' && !/^\d+$/.test(cell.text);
}

function settleDate(
  when: When,
  day: Moment | undefined,
  start: Moment | undefined,
  places: ColumnPlaces,
  refuse: Refuse,
): void {
  const date = day?.date ?? start?.date;
  if (date !== undefined) when.date = date;
  if (day?.time !== undefined && (places.start_time ?? places.times) !== undefined && day.time.minute !== 0) {
    refuse('date', ['date'], 'has a time of day, and there is a column for the start as well');
  }
  if (start?.date !== undefined && start.date !== date) {
    refuse('start_time', ['start_time'], `${start.date} is another day than the date, ${date}`);
  }
}

/** The weekday beside a date may show that one of them is wrong. */
function checkWeekday(date: string | undefined, word: string, refuse: Refuse): void {
  if (date === undefined || word === '' || fitsWeekday(word, date)) return;
  refuse('date', ['date'], `${date} is not a ${quote(word)}, which stands beside it: correct one of them`);
}

/** Returns the function that tells when a shift begins and ends. `minutes` is its length, if that is given. */
function timesSettler(columns: Columns, { span: readSpan }: ColumnFormats) {
  const hoursBeside = columns.kind === 'list' ? columns.hoursBeside : undefined;
  const column = columns.places.start_time === undefined ? 'times' : 'start_time';
  const both = ['start_time', 'end_time'];
  return (
    when: When,
    start: ClockTime | undefined,
    end: ClockTime | undefined,
    isOneCell: boolean,
    minutes: number | undefined,
    cells: readonly Cell[],
    refuse: Refuse,
  ): void => {
    const wrong = whyNoSpan(start, end, isOneCell);
    if (wrong !== undefined) {
      refuse(wrong[0], both, wrong[1]);
      return;
    }
    if (start === undefined || (end === undefined && minutes === undefined)) {
      if (start !== undefined) when.start_time = formatMinute(start.minute);
      if (end !== undefined) when.end_time = formatMinute(end.minute);
      return;
    }
    // An end on another day tells the hours of the clock.
    const isTold = when.end_date != null && when.date !== undefined && when.end_date > when.date;
    const span = { start, end, minutes, hours: textOf(cells[hoursBeside ?? -1]) };
    const known = isTold ? as24(span) : readSpan(span);
    if ('message' in known) {
      refuse(column, both, known);
      return;
    }
    when.start_time = formatMinute(known[0]);
    when.end_time = formatMinute(known[1]);
    if (hoursBeside === undefined || isTold) return;
    const contradiction = hoursContradict(span.hours, known, span);
    if (contradiction !== undefined) refuse('hours', both, contradiction);
  };
}

/** Why two times are none of a shift, and of which one. In one cell, `9-5pm` is clear enough to be asked about. */
function whyNoSpan(
  start: ClockTime | undefined,
  end: ClockTime | undefined,
  isOneCell: boolean,
): readonly ['start_time' | 'end_time', string] | undefined {
  if (start === undefined) return undefined;
  if (start.minute >= MINUTES_PER_DAY) return ['start_time', '24:00 is the end of a day, and no start'];
  if (end !== undefined && !isOneCell && areOfTwoKinds(start, end))
    return ['end_time', 'of start and end, one says am or pm and the other does not: say it for both'];
  if (end !== undefined && end.minute - start.minute > MINUTES_PER_DAY)
    return [
      'end_time',
      `${Math.floor(end.minute / 60)}:${formatMinute(end.minute).slice(3)} is more than 24 hours after the start`,
    ];
  return undefined;
}

/** Without a year, an end on 1 January is that after the start on 31 December. No shift is longer than so many days. */
const MAX_DAYS = 31;

function endAfter(start: string | undefined, end: Moment | undefined): string | undefined {
  const { date, nextDate } = end ?? {};
  if (start === undefined || date === undefined || nextDate === undefined || date >= start) return date;
  const days = readDate(nextDate) - readDate(start);
  return days >= 0 && days <= MAX_DAYS ? nextDate : date;
}

/** 24:00 is 00:00 on the next day. */
function settleEndDate(
  when: When,
  end: Moment | undefined,
  endDay: Moment | undefined,
  places: ColumnPlaces,
  refuse: Refuse,
): void {
  const lastDay = endAfter(when.date, endDay);
  const date = endAfter(when.date, end) ?? lastDay;
  if (date === undefined) {
    if (places.end_date !== undefined) when.end_date = null;
    return;
  }
  if (lastDay !== undefined && lastDay !== date) {
    refuse('end_date', ['end_date'], `${lastDay} is another day than that of the end, ${date}`);
    return;
  }
  if ((end?.time?.minute ?? 0) > MINUTES_PER_DAY && date !== when.date) {
    refuse(
      'end_time',
      ['end_time'],
      'counts on after midnight, and the end has a date of its own: give one of them',
    );
    return;
  }
  const isNextDay = (end?.time?.minute ?? 0) >= MINUTES_PER_DAY;
  when.end_date = isNextDay ? formatDate(addDays(readDate(date), 1)) : date;
}

/** A cell that was understood. */
interface Moment {
  readonly date?: string | undefined;
  /** In the next year, if it lacks its own. */
  readonly nextDate?: string | undefined;
  readonly time?: ClockTime | undefined;
  /** For a cell with both times. */
  readonly end?: ClockTime | undefined;
}

type ReadDate = (text: string) => string | undefined;

function inBothYears(
  name: 'date' | 'start_time' | 'end_time' | 'end_date',
  formats: ColumnFormats,
  readBy: (read: ReadDate) => Moment | undefined,
): Moment | undefined {
  const moment = readBy(formats.date(name));
  return moment?.date === undefined ? moment : { ...moment, nextDate: readBy(formats.nextDate(name))?.date };
}

/** Some spreadsheets write a date together with the time 00:00. */
function readDay(text: string, read: ReadDate, isSerial: boolean): Moment | undefined {
  const date = read(withoutMidnight(text));
  if (isSerial && date !== undefined && /[.,]/.test(text)) return { date, time: timeOfSerial(text) };
  if (date !== undefined) return { date };
  const [dateText, timeText] = cutDateAndTime(text) ?? [];
  if (dateText === undefined || timeText === undefined) return undefined;
  const [cutDate, time] = [read(dateText), readTime(timeText)];
  return cutDate === undefined || time === undefined ? undefined : { date: cutDate, time };
}

function readMoment(
  text: string,
  read: ReadDate,
  { isEnd, mayBeTwo, isSerial }: Readonly<Record<'isEnd' | 'mayBeTwo' | 'isSerial', boolean>>,
): Moment | undefined {
  const serial = isSerial ? readSerialTime(text, read) : undefined;
  if (serial !== undefined || (isSerial && /^\d+$/.test(text))) return serial;
  const time = isEnd ? readEnd(text) : readTime(text);
  if (time !== undefined) return { time };
  const two = mayBeTwo ? readTimes(text) : undefined;
  if (two !== undefined) return { time: two[0], end: two[1] };
  const moment = cutDateAndTime(text) === undefined ? undefined : readDay(text, read, isSerial);
  return moment?.time === undefined ? undefined : moment;
}

/** Reads a fraction of a day, with or without a date. */
function readSerialTime(text: string, read: ReadDate): Moment | undefined {
  if (!/^\d{1,20}(?:[.,]\d{1,30})?$/.test(text)) return undefined;
  const number = Number(text.replace(',', '.'));
  if (number === 1) return { time: { minute: MINUTES_PER_DAY, hasHalf: false, open: undefined } };
  const time = timeOfSerial(text);
  if (time === undefined) return undefined;
  if (number < 1) return { time };
  const date = read(text);
  return date === undefined ? undefined : { date, time };
}

function timeOfSerial(text: string): ClockTime | undefined {
  const minute = minuteOfSerial(Number(text.replace(',', '.')));
  if (minute === undefined) return undefined;
  return { minute, hasHalf: false, open: minute >= 60 && minute < 13 * 60 ? 'padded' : undefined };
}

/** If another column has the end, a start alone is enough. */
function readBoth(text: string, code: string | undefined, hasEnd: boolean): Moment | undefined {
  const [time, end] = readTimes(code ?? text) ?? [];
  // Whoever explains a code says what is meant.
  if (time && end) return code === undefined ? { time, end } : { time: { ...time, open: undefined }, end };
  const only = hasEnd ? readTime(text) : undefined;
  return only && { time: only };
}

function whyNoTime(text: string): string | Reason {
  if (hasZone(text))
    return `${quote(text)} names a time zone: write times as clocks show them where the shift is, without a zone`;
  const message = `${quote(text)} is not ${TIME_RULE}`;
  if (/^\d{1,2}[.,]\d{1,2}$/.test(text) && !text.startsWith('0'))
    return `${quote(text)} may be hours and minutes, or a part of an hour: write times such as 9:30`;
  if (!/^0[.,]\d{2,}$/.test(text)) return message;
  return {
    message,
    advice: '; if it is a part of a day, say --date-format serial',
    about: text,
    fix: byOption('date-format', SERIAL),
  };
}

/** A code that fits into the option. */
const CODE = /^[^=,\n]{1,20}$/;

function whyNoTimes(text: string, cell: Cell, hasLength: boolean): string | Reason {
  // A CSV has what the spreadsheet shows: 05-Sep, Sep-05.
  const [, month = ''] = /^(?:\d{1,2}[-. ])?(\p{L}{3,5})\.?(?:-\d{1,2})?$/u.exec(text) ?? [];
  const isShown = /\d/.test(text) && monthNamed(month) !== undefined;
  if (isShown || (typeof cell !== 'string' && cell.type === 'date'))
    return `is a date, ${text}, which the spreadsheet may have made of times such as 9-5: write the times as text, such as 09:00-17:00`;
  const times = beginOfTimes(text) ?? timesNamed(text);
  const isCode = CODE.test(text) && (!/^[\d:.,]+$/.test(text) || /^\d{1,2}$/.test(text));
  if (times !== undefined)
    return {
      message: `${quote(text)} says more than two times: leave ${quote(times)} in the cell, and give the rest a column of its own`,
      ...(isCode && {
        advice: `; if the rest changes nothing, say --codes ${quote(`${text}=${times}`)}`,
        fix: [['codes', `${text}=`, 'gap']],
      }),
    };
  const message = `${quote(text)} is not ${hasLength ? TIME_RULE : TIMES_RULE}`;
  if (!isCode) return message;
  return {
    message,
    advice: `; if it is a code, say what it stands for, such as --codes ${quote(`${text}=06:00-14:00`)}, or --codes ${quote(`${text}=`)} if there is no shift`,
    fix: [
      ['codes', `${text}=`, 'gap'],
      ['codes', `${text}=`],
    ],
  };
}

/** `9-17` of `9-17 Bar`; undefined: it does not begin with two times. */
function beginOfTimes(text: string): string | undefined {
  for (let end = Math.min(text.length, MAX_RANGE_CHARACTERS) - 1; end > 2; end--) {
    if (/[\s(,;|•]/.test(text[end] ?? '') && readTimes(text.slice(0, end).trim()) !== undefined)
      return text.slice(0, end).trim();
  }
  return undefined;
}
