import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ImportProblem } from '../../src/import/problems.ts';
import { ACME, acme, KITCHEN } from '../support/document.ts';
import { BARE_SHIFT, importer } from './importer.ts';

describe('the end date', () => {
  const newShifts: [name: string, given: object, endDate: string][] = [
    ['is the date when the end time is later', { end_time: '09:01' }, '2026-12-01'],
    [
      'is the next day when the end time is earlier',
      { start_time: '22:00', end_time: '06:00' },
      '2026-12-02',
    ],
    ['is the next day when the times are equal: 24 hours', { end_time: '09:00' }, '2026-12-02'],
    ['is worked out when it is null', { end_time: '08:59', end_date: null }, '2026-12-02'],
    ['crosses the end of a year', { date: '2026-12-31', end_time: '01:00' }, '2027-01-01'],
    ['knows leap days', { date: '2028-02-28', end_time: '01:00' }, '2028-02-29'],
    ['is taken as given', { end_date: '2026-12-24' }, '2026-12-24'],
  ];
  for (const [name, given, endDate] of newShifts) {
    test(name, async (t) => {
      const { run, record } = await importer(t);
      await run({ account: ACME, groups: [KITCHEN], shifts: [{ ...BARE_SHIFT, ...given }] });
      assert.equal((await record('shifts', 1)).end_date, endDate);
    });
  }

  // The known shift runs from 2026-12-01 09:00 to 2026-12-03 17:00.
  const knownShifts: [name: string, given: object, endDate: string][] = [
    ['stays when other things change', { remarks: 'Keys' }, '2026-12-03'],
    ['stays when date and times are given as they are', BARE_SHIFT, '2026-12-03'],
    ['is worked out anew when the shift moves', { date: '2027-01-10' }, '2027-01-10'],
    ['is worked out anew when it starts later', { start_time: '18:00' }, '2026-12-02'],
    ['is worked out anew when it ends earlier', { end_time: '08:00' }, '2026-12-02'],
    ['is worked out anew when it is null', { end_date: null }, '2026-12-01'],
    ['moves along when it is given', { date: '2027-01-10', end_date: '2027-01-12' }, '2027-01-12'],
  ];
  for (const [name, given, endDate] of knownShifts) {
    test(`of a known shift ${name}`, async (t) => {
      const { run, record } = await importer(t);
      await run(acme([{ ...BARE_SHIFT, end_date: '2026-12-03' }]));
      await run({ account: ACME, shifts: [{ id: 1, ...given }] });
      assert.equal((await record('shifts', 1)).end_date, endDate);
    });
  }

  const impossible: [name: string, given: object, problem: ImportProblem][] = [
    [
      'before the date',
      { end_date: '2026-11-30' },
      {
        place: 'shifts[0].end_date',
        id: 1,
        message: 'the end, 2026-11-30 17:00, is not after the start, 2026-12-01 09:00',
      },
    ],
    [
      'that makes it end when it starts',
      { end_time: '09:00', end_date: '2026-12-01' },
      {
        place: 'shifts[0].end_date',
        id: 1,
        message: 'the end, 2026-12-01 09:00, is not after the start, 2026-12-01 09:00',
      },
    ],
    [
      'that would come after the last date there is',
      { date: '9999-12-31', end_time: '09:00' },
      { place: 'shifts[0].end_time', id: 1, message: '09:00 comes after 9999-12-31, the last date' },
    ],
  ];
  for (const [name, given, problem] of impossible) {
    test(`${name} is a problem`, async (t) => {
      const { problems } = await importer(t);
      assert.deepEqual(await problems(acme([{ ...BARE_SHIFT, ...given }])), [problem]);
    });
  }

  test('may be the last date there is', async (t) => {
    const { run, record } = await importer(t);
    await run(acme([{ ...BARE_SHIFT, date: '9999-12-31', start_time: '00:00', end_time: '23:59' }]));
    assert.equal((await record('shifts', 1)).end_date, '9999-12-31');
  });
});
