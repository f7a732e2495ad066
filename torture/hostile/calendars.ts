/** Answers of a gateway that are nearly right, read by the calendar: it shows them, or refuses them with a sentence. */

import { boardAt, timeShifts } from '@shiftfeed/common/board';
import { type Day, parseDate } from '@shiftfeed/common/days';
import { type Language, speak } from '../../common/src/calendar/language.ts';
import { placeShifts } from '../../common/src/calendar/range.ts';
import { readAnswer } from '../../kit/calendar/src/answer.ts';
import { type Holding, holdAnswer } from '../../kit/calendar/src/holding.ts';
import { Mistake } from '../../kit/calendar/src/mistakes.ts';
import { makeShift } from '../../test/kit/gateway/upstream.ts';
import type { Draw } from '../draw.ts';
import { mutated } from './mutate.ts';

const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const RANGE = { from: parseDate('2026-11-01') as Day, to: parseDate('2026-12-15') as Day };
/** What JSON can hold in the place of anything else. */
const ODD_VALUES = [
  ...[null, true, 0, -1, Number.MAX_VALUE, 1e-7, '', ' ', '__proto__', '\ud800', [], {}],
  ...['1000-01-01', '9999-12-31', '2026-02-30', '2026-11-15', '24:00', '00:00', '23:59', 'Mars/Olympus'],
];
const LANGUAGES = ['en', 'de', 'ar', 'ja'];

/** Throws when a promise is broken. Says what came of it. */
export function tryCalendar(draw: Draw): string {
  let holding: Holding | undefined;
  // What an answer left behind may trip the next one.
  for (let answers = draw.integer(1, 3); answers > 0; answers--) {
    const given = drawGiven(draw);
    if (given === undefined) continue;
    try {
      const answer = readAnswer(given, draw.chance(0.3) ? [1] : []);
      holding = holdAnswer(holding, answer, RANGE, RANGE, NOW_MS);
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
    }
  }
  if (holding === undefined) return 'answers that the calendar refused';
  show(holding, speak({ chosen: draw.pick(LANGUAGES), page: null, visitor: [] }, {}));
  return 'answers that the calendar showed';
}

/** Undefined for what is no JSON, which the browser refuses. */
function drawGiven(draw: Draw): unknown {
  const given = {
    title: 'Plan',
    time_zone: 'Europe/Amsterdam',
    from: '2026-11-01',
    to: '2026-12-15',
    age_seconds: 0,
    shifts: Array.from({ length: draw.pick([0, 1, 3]) }, (_, i) => makeShift({ id: i + 1 })),
  };
  const places: object[] = [given, ...given.shifts, ...given.shifts.map(({ group }) => group)];
  for (let changes = draw.integer(0, 3); changes > 0; changes--) {
    const place = draw.pick(places);
    Object.assign(place, { [draw.pick(Object.keys(place))]: draw.pick(ODD_VALUES) });
  }
  const bytes = Buffer.from(JSON.stringify(given));
  try {
    return JSON.parse((draw.chance(0.5) ? bytes : mutated(draw, bytes)).toString());
  } catch {
    return undefined;
  }
}

/** Works out what the views write, which a browser only has to draw. */
function show({ shifts, timeZone = 'UTC' }: Holding, language: Language): void {
  for (const placed of placeShifts(shifts, RANGE).values()) {
    for (const { shift, day } of placed) {
      for (const time of [shift.start_time, shift.end_time]) language.time(time);
      language.date(day, 'fullDate');
    }
  }
  const timed = timeShifts(shifts, timeZone);
  for (const { startMs, endMs } of timed) language.instants(startMs, endMs);
  boardAt(timed, timeZone, NOW_MS);
}
