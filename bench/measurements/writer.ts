/** What it costs readers that somebody changes the month that they read, once a second. */

import { DatabaseSync } from 'node:sqlite';
import { formatDate } from '../../src/listing/calendar.ts';
import type { Field } from '../field.ts';
import { readListing } from '../listing.ts';
import { measureThroughput } from '../load/throughput.ts';
import { note } from '../progress.ts';
import { brief, ratio, withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import { inTurns } from '../rounds.ts';
import { LARGE } from '../settings.ts';

/** Long enough for some changes in every round. */
const SECONDS = 4;
const INTERVAL_MS = 1000;

export async function measureWriter(field: Field): Promise<Section> {
  note('A writer');
  const { path, headers, slug } = field.account(LARGE);
  const target = { url: (await field.ours(LARGE)).url + path, headers };
  await readListing(target);
  const database = new DatabaseSync((await field.sqlite()).url.replace('sqlite:', ''));
  const change = database.prepare(
    `UPDATE shifts SET remarks = 'Changed at ' || ? WHERE (account_id, id) IN
       (SELECT account_id, shifts.id FROM shifts JOIN accounts ON accounts.id = account_id
        WHERE slug = ? AND date = ? LIMIT 1)`,
  );
  const today = formatDate(field.today);
  const measure = { alone: () => measureThroughput(target, { seconds: SECONDS }), beside: besideWriter };

  async function besideWriter(): Promise<number> {
    const timer = setInterval(() => change.run(Date.now(), slug, today), INTERVAL_MS);
    try {
      return await measure.alone();
    } finally {
      clearInterval(timer);
    }
  }

  const rates = await inTurns(['alone', 'beside'], field.settings.fewRounds, (name) => measure[name]());
  database.close();
  const kept = ratio(rates.beside, rates.alone);
  return {
    title: 'While somebody writes',
    text:
      'The first page of 128,000 shifts a year, on SQLite. Once a second another process changes a shift of this month; the very next ' +
      'request has to show it.',
    tables: [
      {
        columns: ['', 'pages/s', 'ratio'],
        rows: [
          ['nobody writes', withSpread(rates.alone), ''],
          ['one change a second', withSpread(rates.beside), brief(kept)],
        ],
      },
    ],
    findings: [{ aim: 'writer', value: kept }],
  };
}
