import { formatMonth, type Month, parseMonth } from '../../src/listing/calendar.ts';

/** An account with so many shifts, spread evenly over so many months. */
export function plan(slug: string, count: number, months = 12): object {
  const first = months > 12 ? parseMonth('1000-01') : parseMonth('2026-11');
  return {
    account: { slug, premium: true },
    groups: Array.from({ length: 50 }, (_, i) => ({ id: i + 1, name: `Group ${i + 1}` })),
    shifts: Array.from({ length: count }, (_, i) => ({
      id: i + 1,
      date: `${formatMonth((first + (i % months)) as Month)}-${10 + (i % 18)}`,
      start_time: '09:00',
      end_time: '17:00',
      group_id: 1 + (i % 50),
      publish_date: '2020-01-01',
      remarks: 'Bring the keys, and the list of the day before.',
    })),
  };
}
