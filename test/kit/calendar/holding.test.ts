import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Day, parseDate } from '@shiftfeed/common/days';
import { growEarlier, growLater, MAX_LIST_DAYS, startOfList } from '../../../common/src/calendar/range.ts';
import { readAnswer, type SourceAnswer } from '../../../kit/calendar/src/answer.ts';
import {
  covers,
  type Holding,
  holdAnswer,
  LOOK_BACK_DAYS,
  MAX_SHIFTS,
  startsToAsk,
} from '../../../kit/calendar/src/holding.ts';
import { shift } from './site.ts';

test('only what is missing is asked for, by the days on which it begins, and only the days that are wanted are held', () => {
  const first = hold(undefined, range('2026-11-08', '2026-11-30'), [
    shift('2026-11-07', { id: 1 }),
    shift('2026-11-30', { id: 2 }),
  ]);
  assert.equal(LOOK_BACK_DAYS, 7);
  assert.deepEqual(first.asked, range('2026-11-01', '2026-11-30'));
  assert.deepEqual(ids(first.holding), [2]);
  const later = hold(first.holding, range('2026-11-20', '2026-12-20'), [shift('2026-12-01', { id: 3 })]);
  assert.deepEqual(later.asked, range('2026-12-01', '2026-12-20'));
  assert.deepEqual(ids(later.holding), [2, 3]);
  const earlier = hold(later.holding, range('2026-11-10', '2026-12-10'), [shift('2026-11-12', { id: 4 })]);
  assert.deepEqual(earlier.asked, range('2026-11-03', '2026-11-19'));
  assert.deepEqual(ids(earlier.holding), [4, 2, 3]);
  const far = hold(earlier.holding, range('2028-01-08', '2028-01-31'), []);
  assert.deepEqual(far.asked, range('2028-01-01', '2028-01-31'));
  assert.deepEqual(ids(far.holding), []);
  assert.ok(covers(far.holding.range, range('2028-01-09', '2028-01-31')));
});

test('what is still on stays when a source begins after the days that are asked for', () => {
  const night = shift('2026-11-14', {
    id: 1,
    start_time: '22:00',
    end_time: '06:00',
    end_date: '2026-11-15',
  });
  const first = hold(undefined, range('2026-11-15', '2026-12-12'), [night]);
  const asked = startsToAsk(first.holding, range('2026-10-26', '2026-12-06'));
  assert.deepEqual(asked, range('2026-10-19', '2026-11-14'));
  const answer = readAnswer({ from: '2026-11-15', to: '2026-11-14', shifts: [] }, []);
  const wider = holdAnswer(first.holding, answer, asked, range('2026-10-26', '2026-12-06'), 0);
  assert.deepEqual(ids(wider), [1]);
});

test('of two copies of a shift the newer one is held, in the order of the source', () => {
  const onCall = { id: 1, start_time: '18:00', end_date: '2026-11-16' };
  const { holding } = hold(undefined, range('2026-11-15', '2026-11-21'), [
    shift('2026-11-13', { ...onCall, remarks: 'old' }),
    shift('2026-11-20', { id: 2, remarks: 'old' }),
    shift('2026-11-21', { id: 3, remarks: 'old' }),
  ]);
  const remarks = (of: Holding) => of.shifts.map(({ id, date, remarks }) => `${id} ${date} ${remarks}`);
  // The first of them comes again because it began before these days, and the last one was moved.
  const earlier = hold(holding, range('2026-11-08', '2026-11-21'), [
    shift('2026-11-10', { id: 3, remarks: 'new' }),
    shift('2026-11-13', { ...onCall, remarks: 'new' }),
    shift('2026-11-13', { id: 4, remarks: 'new' }),
  ]);
  assert.deepEqual(remarks(earlier.holding), [
    '3 2026-11-10 new',
    '1 2026-11-13 new',
    '4 2026-11-13 new',
    '2 2026-11-20 old',
  ]);
  // A source may give more than it is asked for.
  const later = hold(holding, range('2026-11-15', '2026-11-28'), [
    shift('2026-11-20', { id: 2, remarks: 'new' }),
    shift('2026-11-22', { id: 3, remarks: 'new' }),
  ]);
  assert.deepEqual(remarks(later.holding), ['1 2026-11-13 old', '2 2026-11-20 new', '3 2026-11-22 new']);
});

test('where a feed begins and ends is learnt from what it looked at', () => {
  const { holding } = hold(undefined, range('2026-11-01', '2026-11-30'), [], {
    from: '2026-11-08',
    to: '2026-11-30',
  });
  assert.deepEqual(holding.bounds, { first: parseDate('2026-11-08'), last: undefined });
  const later = hold(holding, range('2026-11-01', '2026-12-31'), [], {
    from: '2026-12-01',
    to: '2026-12-24',
  });
  assert.deepEqual(later.holding.bounds, { first: parseDate('2026-11-08'), last: parseDate('2026-12-24') });
  // The window of a gateway moves with the days.
  const moved = hold(later.holding, range('2027-01-01', '2027-01-31'), [], {
    from: '2027-01-01',
    to: '2027-01-31',
  });
  assert.deepEqual(moved.holding.bounds, { first: parseDate('2026-11-08'), last: undefined });
});

test('memory is bounded: in shifts, and in days of a list that grows and grows', () => {
  const many = Array.from({ length: MAX_SHIFTS + 1 }, (_, id) => shift('2026-11-15', { id }));
  const { holding } = hold(undefined, range('2026-11-01', '2026-11-30'), many);
  assert.equal(holding.shifts.length, MAX_SHIFTS);
  assert.equal(holding.isCut, true);
  for (const grow of [growLater, growEarlier]) {
    let list = startOfList(parseDate('2026-11-15') as Day);
    for (let i = 0; i < 100; i++) list = grow(list);
    assert.equal(list.to - list.from, MAX_LIST_DAYS);
  }
});

test('answers are checked before they are shown, and errors name the place', () => {
  const wrong = { id: 1, date: '2026-11-15', end_date: '2026-11-14', start_time: '09:00', end_time: '10:00' };
  assert.throws(
    () => readAnswer({ shifts: [shift('2026-11-15'), wrong] }, []),
    /^Error: shifts\[1\] is not a shift/,
  );
  assert.throws(() => readAnswer([], []), /expected an object with a list of "shifts"/);
  assert.throws(() => readAnswer(null, []), /^Error: The answer is no calendar: .*, and got null\.$/);
  const answer = readAnswer({ shifts: [shift('2026-11-15')], time_zone: 'Mars/Olympus', from: 'x' }, []);
  assert.deepEqual([answer.title, answer.timeZone, answer.from], ['', undefined, undefined]);
});

function range(from: string, to: string): { from: Day; to: Day } {
  return { from: parseDate(from) as Day, to: parseDate(to) as Day };
}

function hold(
  old: Holding | undefined,
  wanted: { from: Day; to: Day },
  shifts: SourceAnswer['shifts'],
  told: Partial<SourceAnswer> = {},
) {
  const asked = startsToAsk(old, wanted);
  const answer = readAnswer({ shifts, ...told }, []);
  return { asked, holding: holdAnswer(old, answer, asked, wanted, 0) };
}

function ids({ shifts }: Holding): number[] {
  return shifts.map(({ id }) => id);
}
