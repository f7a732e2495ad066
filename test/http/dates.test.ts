import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { DatabaseKind } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { isLong, often } from '../support/strength.ts';

// A Sunday in week 46. 2026 is a year with a week 53.
const NOW = '2026-11-15T12:00:00Z';
/** What is here is decided by code that both share. */
const database = often<DatabaseKind>('sqlite', 'postgres');
describe(`Dates, on ${database}`, async () => {
  const service = await startService({ after }, { hasThread: isLong, database, now: NOW });
  let accounts = 0;

  /** The dates that a query lists, of an account with one shift on each of the given days. */
  async function listed(dates: readonly string[], query: string, account: object = {}): Promise<string[]> {
    const slug = `dates-${++accounts}`;
    const shifts = dates.map((date, i) => shift(date, { id: i + 1 }));
    await service.import({ ...acme(shifts), account: { ...ACME, slug, ...account } });
    const { shifts: found, meta } = await service.list(slug, query, await service.token(slug));
    assert.equal(meta.total, found.length);
    return found.map(({ date }) => date);
  }

  const DEFAULT_WINDOW = '2026-11-14 *2026-11-15 *2027-11-15 2027-11-16';
  const PAST_DAYS = '2026-11-13 2026-11-14 2026-11-15 2026-11-16';
  /** Those of the dates that are listed have a star. */
  const cases: [sentence: string, query: string, dates: string][] = [
    [
      'without filters, the shifts from today to the same day 12 months on are listed, both included',
      '',
      DEFAULT_WINDOW,
    ],
    ...['?group_ids=1', '?published=false', '?published=true', '?page=1', '?per_page=10'].map(
      (query): [string, string, string] => [
        `${query} does not switch the default window off`,
        query,
        DEFAULT_WINDOW,
      ],
    ),
    [
      'months without years matches that month of every year, past years too',
      '?months=11',
      '*1999-11-01 *2025-11-30 2026-10-31 *2026-11-01 2026-12-01 *2031-11-11',
    ],
    [
      'months and years combine within each calendar year',
      '?months=12,1&years=2026,2027',
      '2025-12-31 *2026-01-01 *2026-12-31 *2027-01-01 *2027-12-31 2028-01-01',
    ],
    [
      'years alone is the whole calendar year, with its past',
      '?years=2026',
      '2025-12-31 *2026-01-01 *2026-12-31 2027-01-01',
    ],
    [
      'week 53 of 2026 is whole, from 28 December to 3 January of the next year',
      '?weeks=53&years=2026',
      '2026-12-27 *2026-12-28 *2026-12-31 *2027-01-01 *2027-01-03 2027-01-04',
    ],
    [
      'week 1 of 2026 starts on 29 December 2025',
      '?weeks=1&years=2026',
      '2025-12-28 *2025-12-29 *2025-12-31 *2026-01-01 *2026-01-04 2026-01-05 2026-12-31',
    ],
    [
      'beside weeks, years is the ISO year also when months stands beside them',
      '?weeks=53&years=2026&months=1',
      '2026-12-31 *2027-01-01 *2027-01-03 2027-01-04',
    ],
    [
      'a week that begins on the last day of a month has that day, too',
      '?weeks=49',
      '2026-11-29 *2026-11-30 *2026-12-01 *2026-12-06 2026-12-07',
    ],
    [
      'weeks without years lists every matching year, from today on',
      '?weeks=46',
      '2025-11-12 2026-11-14 *2026-11-15 *2027-11-15 *2027-11-21 2027-11-22',
    ],
    [
      'weeks with years lists past weeks too',
      '?weeks=46&years=2026',
      '2025-11-12 2026-11-08 *2026-11-09 *2026-11-15 2026-11-16',
    ],
    [
      'days counts from 1 for Sunday to 7 for Saturday',
      '?days=1,7',
      '*2026-11-22 2026-11-23 2026-11-24 2026-11-27 *2026-11-28',
    ],
    [
      'days without years lists every year, from today on',
      '?days=1',
      '2025-11-16 2026-11-08 *2026-11-15 *2035-11-18',
    ],
    [
      'days with years lists past days of the calendar year',
      '?days=1&years=2026',
      '2025-12-28 *2026-01-04 *2026-11-15 2027-01-03',
    ],
    ...['&date_from=2026-11-01', '&months=11', '&day=2026-11-13', '&date_to=2026-11-14'].map(
      (more): [string, string, string] => [
        `?days=1,6,7${more} without years shows nothing before today, whatever stands beside it`,
        `?days=1,6,7${more}`,
        /day=|date_to/.test(more) ? PAST_DAYS : PAST_DAYS.replace('2026-11-15', '*2026-11-15'),
      ],
    ),
    [
      'day is that single date, in the past too',
      '?day=2026-11-13',
      '*2026-11-13 2026-11-14 2026-11-15 2026-11-16',
    ],
    [
      'date_from alone has an open end',
      '?date_from=2026-11-14',
      '2026-11-13 *2026-11-14 *2099-01-01 *9999-12-31',
    ],
    [
      'date_to alone has an open start',
      '?date_to=2026-11-14',
      '*1000-01-01 *1969-12-31 *2026-11-14 2026-11-15',
    ],
    [
      'date_from and date_to include both ends and may cross a year',
      '?date_from=2026-12-01&date_to=2027-01-31',
      '2026-11-30 *2026-12-01 *2027-01-31 2027-02-01',
    ],
    ['date_from after date_to is an empty result', '?date_from=2026-11-16&date_to=2026-11-13', PAST_DAYS],
    [
      'all filters apply at once',
      '?months=12&years=2026&days=1&date_from=2026-12-07&date_to=2026-12-19',
      '2026-12-01 2026-12-06 *2026-12-13 2026-12-20 2027-12-05',
    ],
    ['filters that contradict each other are an empty result', '?day=2026-11-15&months=12', PAST_DAYS],
  ];
  for (const [sentence, query, dates] of cases)
    test(sentence, async () => {
      const starred = dates.split(' ').filter((date) => date.startsWith('*'));
      assert.deepEqual(
        await listed(dates.replaceAll('*', '').split(' '), query),
        starred.map((date) => date.slice(1)),
      );
    });

  test('the default window ends on the last day of a shorter month', async (context) => {
    const leap = await startService(context, { hasThread: isLong, database, now: '2024-02-29T12:00:00Z' });
    await leap.import(acme(['2025-02-28', '2025-03-01'].map((date) => shift(date))));
    const { shifts } = await leap.list('acme', '', await leap.token('acme'));
    assert.deepEqual(
      shifts.map(({ date }) => date),
      ['2025-02-28'],
    );
  });

  test('today is the date in the time zone of the account', async () => {
    const dates = ['2026-11-14', '2026-11-15', '2026-11-16'];
    // At noon in Greenwich it is already tomorrow in Kiritimati (UTC+14) and still today in Honolulu.
    assert.equal((await listed(dates, '?days=1,2,7', { time_zone: 'Pacific/Kiritimati' }))[0], '2026-11-16');
    assert.equal((await listed(dates, '?days=1,2,7', { time_zone: 'Pacific/Honolulu' }))[0], '2026-11-15');
  });

  for (const [sentence, day, next, lastSecond] of [
    ['at the end of a day with 24 hours', '2026-11-15', '2026-11-16', '2026-11-15T22:59:59Z'],
    ['at the end of the day on which clocks go forward', '2027-03-28', '2027-03-29', '2027-03-28T21:59:59Z'],
  ] as const)
    test(`today moves on at midnight of the account, ${sentence}, without a restart`, async (context) => {
      const midnight = await startService(context, { hasThread: isLong, database, now: lastSecond });
      await midnight.import({
        ...acme([shift(day), shift(next, { publish_date: next })]),
        account: { ...ACME, time_zone: 'Europe/Amsterdam' },
      });
      const token = await midnight.token('acme');
      const dates = async () => (await midnight.list('acme', '', token)).shifts.map(({ date }) => date);
      assert.deepEqual(await dates(), [day]);
      midnight.nowMs += 1000;
      assert.deepEqual(await dates(), [next]);
    });

  test('an overnight shift belongs to the day on which it starts', async () => {
    const overnight = shift('2026-11-30', {
      start_time: '22:00',
      end_time: '06:00',
      end_date: '2026-12-01',
    });
    await service.import({ ...acme([overnight]), account: { ...ACME, slug: 'night' } });
    const token = await service.token('night');
    for (const [query, total] of [
      ['?day=2026-11-30', 1],
      ['?day=2026-12-01', 0],
      ['?months=12', 0],
      ['?date_to=2026-11-30', 1],
    ] as const) {
      assert.equal((await service.list('night', query, token)).meta.total, total, query);
    }
  });

  test('a shift is published from its publish date on; published=false adds the others', async () => {
    const shifts = ['2026-11-14', '2026-11-15', '2026-11-16'].map((publish_date) =>
      shift('2026-11-20', { publish_date }),
    );
    await service.import({ ...acme(shifts), account: { ...ACME, slug: 'publish' } });
    const token = await service.token('publish');
    const publishDates = async (query: string) =>
      (await service.list('publish', query, token)).shifts.map(({ publish_date }) => publish_date);
    assert.deepEqual(await publishDates(''), ['2026-11-14', '2026-11-15']);
    for (const query of ['?published=true', '?published=1']) {
      assert.deepEqual(await publishDates(query), ['2026-11-14', '2026-11-15'], query);
    }
    for (const query of ['?published=false', '?published=0']) {
      assert.deepEqual(await publishDates(query), ['2026-11-14', '2026-11-15', '2026-11-16'], query);
    }
  });
});
