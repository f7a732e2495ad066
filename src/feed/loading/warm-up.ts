/**
 * Loads pages of a made-up account, so that the code for it is compiled, and what it needs of ICU is loaded, before the
 * first load. Then asks the database, so that it is connected.
 */

import { setImmediate } from 'node:timers/promises';
import type { Scratch } from '../../listing/build-month.ts';
import { type Day, firstDayOf, formatDate, type Month, monthOf } from '../../listing/calendar.ts';
import { DAYS_PER_MONTH, span } from '../../listing/day-mask.ts';
import { MAX_PER_PAGE } from '../../listing/filter.ts';
import type { Shift } from '../../listing/shift.ts';
import type { AccountState, FeedStore } from '../../store/feed-store.ts';
import { shiftOf } from '../../store/rows.ts';
import { loadPages, type PagesToLoad } from './load-pages.ts';

/** What runs so often is compiled to fast code. */
const LOADS = 4;
const YEAR = 2000;

export async function warmUp(
  store: () => Promise<Pick<FeedStore, 'read'>>,
  scratch: Scratch,
): Promise<undefined> {
  for (let i = 0; i < LOADS; i++) {
    await loadPages(MADE_UP, FIRST_PAGE, scratch);
    // Somebody may wait for a load by now.
    await setImmediate();
  }
  // There is no account without a name.
  await (await store()).read('', async () => undefined);
}

const STATE: AccountState = {
  account: {
    id: 1,
    slug: 'made-up',
    name: 'Made up',
    premium: true,
    // Any but UTC, which has no rules.
    timeZone: 'Europe/Amsterdam',
    // Comparing names needs the most code.
    sort: 'group',
  },
  history: '',
  revision: 1,
  months: Array.from({ length: 13 }, (_, i) => ({ month: (monthOf(YEAR, 1) + i) as Month, stamp: 1 })),
};

const FIRST_PAGE: PagesToLoad = {
  slug: STATE.account.slug,
  history: STATE.history,
  nowMs: Date.UTC(YEAR, 0, 1),
  pages: [
    {
      dates: {},
      rows: { includeUnpublished: false },
      paging: { page: 1, perPage: MAX_PER_PAGE },
      viewKey: '',
      dayStarts: new Map(),
    },
  ],
  wholeMonths: [],
  held: new Map(),
  eagerRows: 0,
};

/** Every day has a page. */
const MADE_UP: Pick<FeedStore, 'read'> = {
  read: (_slug, work) =>
    work({
      state: STATE,
      countDays: async (queries) =>
        queries.map(() => ({
          matching: new Uint32Array(DAYS_PER_MONTH).fill(MAX_PER_PAGE),
          rows: DAYS_PER_MONTH * MAX_PER_PAGE,
        })),
      shifts: async ({ month, days }) => shiftsOf((firstDayOf(month) + span(days)[0]) as Day),
    }),
};

function shiftsOf(day: Day): Shift[] {
  const date = formatDate(day);
  return Array.from({ length: MAX_PER_PAGE }, (_, i) => {
    const group = i % 10;
    const times = [date, '08:00', '16:00', date] as const;
    const location = [1, 'Location', 'Address'] as const;
    return shiftOf([i + 1, ...times, group, `Group ${group}`, ...location, 'Person', date, '', 0, 0, 0]);
  });
}
