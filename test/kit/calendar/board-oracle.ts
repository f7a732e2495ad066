/** What a board should show at a minute, by a naive reading of its shifts. It shares no code with the board. */

import type { CalendarShift } from '../../../kit/calendar/src/answer.ts';
import { plain } from '../../support/wording.ts';
import type { SeenMinute } from './time-machine.ts';

const OLD_MS = 3 * 60_000;
const AHEAD_MS = 7 * 86_400_000;

interface Row {
  readonly shift: CalendarShift;
  readonly startMs: number;
  readonly endMs: number;
}

/** Gives the expected texts of minutes, in the order in which a board has them. */
export function naiveBoard(shifts: readonly CalendarShift[], zone: string) {
  const instant = (date: string, time: string) =>
    Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone).epochMilliseconds;
  const rows: Row[] = shifts
    .filter(({ cancelled }) => !cancelled)
    .map((shift) => ({
      shift,
      startMs: instant(shift.date, shift.start_time),
      endMs: instant(shift.end_date, shift.end_time),
    }));
  const local = remember((ms) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone));
  const clock = (ms: number) => local(ms).toPlainTime().toString({ smallestUnit: 'minute' });
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
    return (ms: number) => format.format(ms);
  };
  const long = dates({ weekday: 'long', day: 'numeric', month: 'long' });
  const short = dates({ weekday: 'short', day: 'numeric', month: 'short' });
  const isSameDay = (a: number, b: number) => local(a).toPlainDate().equals(local(b).toPlainDate());
  const names = ({ shift: { group, location } }: Row) => [group?.name, location?.name].filter(Boolean);
  const byTime = (a: Row, b: Row) => a.startMs - b.startMs || a.endMs - b.endMs;

  /** `answeredMs` is when the shifts came. */
  return (
    nowMs: number,
    answeredMs: number,
  ): Omit<SeenMinute, 'nowMs' | 'answeredMs' | 'spoken' | 'title'> => {
    const until = (row: Row) =>
      row.endMs - nowMs < 86_400_000
        ? `until ${clock(row.endMs)}`
        : `until ${short(row.endMs)} ${clock(row.endMs)}`;
    const times = (row: Row) => `${clock(row.startMs)} – ${clock(row.endMs)}`;
    const isOn = (row: Row) => row.startMs <= nowMs && nowMs < row.endMs;
    // Answers have seven whole days beside today.
    const lastDate = String(local(answeredMs).toPlainDate().add({ days: 7 }));
    const isSoon = (row: Row) =>
      row.startMs > nowMs && row.startMs < nowMs + AHEAD_MS && row.shift.date <= lastDate;
    const on = rows.filter((row) => row.shift.person && isOn(row));
    const coming = rows.filter((row) => row.shift.person && isSoon(row)).sort(byTime);
    const [first] = coming;
    const next = coming.filter((row) => first && isSameDay(row.startMs, first.startMs));
    const open = rows.filter((row) => row.shift.person === null && (isOn(row) || isSoon(row))).sort(byTime);
    const lines = (some: readonly Row[], when: (row: Row) => string) =>
      some.map((row) => plain([row.shift.person?.name, when(row), ...names(row)].filter(Boolean).join(' ')));
    const openLines = open.map((row) => {
      const [name, ...rest] = names(row);
      const when = isOn(row)
        ? until(row)
        : isSameDay(row.startMs, nowMs)
          ? times(row)
          : `${short(row.startMs)} ${times(row)}`;
      return plain([name, when, ...rest].join(' '));
    });
    const old = nowMs - answeredMs >= OLD_MS;
    const heading = first && !isSameDay(first.startMs, nowMs) ? `Next · ${long(first.startMs)}` : 'Next';
    const sections = [
      ['On now', ...(on.length > 0 ? lines(on, until) : ['Nobody is on right now.'])],
      [plain(heading), ...(next.length > 0 ? lines(next, times) : ['No more shifts'])],
      ...(open.length > 0 ? [['Open shifts', ...openLines]] : []),
    ];
    const day = isSameDay(answeredMs, nowMs) ? '' : `${short(answeredMs)} `;
    return {
      date: plain(long(nowMs)),
      clock: clock(nowMs),
      state: old ? plain(`Last updated: ${day}${clock(answeredMs)}`) : '',
      sections,
    };
  };
}

function remember<Value>(find: (ms: number) => Value): (ms: number) => Value {
  const known = new Map<number, Value>();
  return (ms) => {
    const value = known.get(ms) ?? find(ms);
    known.set(ms, value);
    return value;
  };
}
