/** PostgreSQL beside SQLite: pages in memory. */

import type { Field } from '../field.ts';
import { assertSamePage, readListing } from '../listing.ts';
import { note } from '../progress.ts';
import { FIRST_PAGE, pathOf, TEN } from '../queries.ts';
import { brief, ratio, whole, withSpread } from '../report/format.ts';
import type { Section, Table } from '../report/section.ts';
import { compare } from '../rounds.ts';

export async function measureDatabases(field: Field): Promise<Section> {
  note('PostgreSQL beside SQLite');
  const size = Math.max(...field.settings.postgresSizes);
  return {
    title: 'PostgreSQL beside SQLite',
    text: `Shiftfeed on both, ${whole(size)} shifts a year. PostgreSQL runs on the core of the server.`,
    tables: [await pagesTable(field, size)],
  };
}

async function pagesTable(field: Field, size: number): Promise<Table> {
  const account = field.account(size);
  const rows: string[][] = [];
  for (const query of [FIRST_PAGE, TEN]) {
    const path = pathOf(query, account, await field.facts(size));
    const targets = {
      sqlite: { url: (await field.ours(size)).url + path, headers: account.headers },
      postgres: { url: (await field.oursOnPostgres()).url + path, headers: account.headers },
    };
    assertSamePage(await readListing(targets.postgres), await readListing(targets.sqlite), 'PostgreSQL');
    const rates = await compare(targets, field.settings.rounds);
    rows.push([
      query.name,
      withSpread(rates.sqlite),
      withSpread(rates.postgres),
      brief(ratio(rates.postgres, rates.sqlite)),
    ]);
  }
  return { columns: ['in memory', 'SQLite, pages/s', 'PostgreSQL, pages/s', 'ratio'], rows };
}
