/** Races as tables. */

import { brief, kilobytes, ratio, whole, withSpread } from '../report/format.ts';
import type { Table } from '../report/section.ts';
import { CONTESTANTS, contestantsOf, type Race } from './race.ts';

export function firstPageTable(races: readonly Race[]): Table {
  return {
    columns: [
      'shifts a year',
      'listed',
      'bytes a page',
      'who',
      'pages/s (lowest–highest)',
      'Shiftfeed to it',
    ],
    rows: races.flatMap(({ size, page, rates }) =>
      contestantsOf(rates).map(([name, sample]) => [
        whole(size),
        whole(page.total),
        whole(page.body.length),
        CONTESTANTS[name].label,
        withSpread(sample),
        name === 'ours' ? '' : brief(ratio(rates.ours, sample)),
      ]),
    ),
  };
}

export function otherPagesTable(races: readonly Race[]): Table {
  return {
    columns: [
      ...['question', 'shifts a year', 'listed', 'page', 'Shiftfeed, pages/s', 'fixed buffer', 'ratio'],
      ...['typical service', 'times', 'on PostgreSQL'],
    ],
    rows: races.map(({ query, size, page, rates: { ours, fixed, typical, typicalOnPostgres } }) => [
      query.name,
      whole(size),
      whole(page.total),
      `${page.ids.length} rows, ${kilobytes(page.body.length)}`,
      withSpread(ours),
      withSpread(fixed),
      brief(ratio(ours, fixed)),
      typical ? withSpread(typical) : '',
      typical ? brief(ratio(ours, typical)) : '',
      typicalOnPostgres ? withSpread(typicalOnPostgres) : '',
    ]),
  };
}
