/** Pages a second of Shiftfeed in other circumstances: compressed, and beside a writer. */

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { dateOf, today } from '../accounts.ts';
import { FIRST_PAGE, type Field } from '../field.ts';
import { askOnce, measureThroughput } from '../load.ts';
import { brief, ratio, whole, withSpread } from '../numbers.ts';
import type { Report } from '../report.ts';
import { compare, inTurns } from '../rounds.ts';
import { LARGE } from '../settings.ts';

const ENCODINGS = ['identity', 'gzip', 'br', 'zstd'] as const;

export async function measureCompression(field: Field, report: Report): Promise<void> {
  report.text('The first page of 128,000 shifts a year from Shiftfeed, as clients may ask for it.');
  const addRow = report.table('encoding | bytes a page | pages/s | to identity');
  const { body, target } = await field.page(LARGE, FIRST_PAGE);
  const targetOf = (encoding: string) => ({
    url: target.url,
    headers: { ...target.headers, 'accept-encoding': encoding },
  });
  const rates = await compare(
    { identity: targetOf('identity'), gzip: targetOf('gzip'), br: targetOf('br'), zstd: targetOf('zstd') },
    field.settings.rounds,
  );
  for (const encoding of ENCODINGS) {
    const answer = await askOnce(targetOf(encoding));
    assert.equal(answer.headers.get('content-encoding') ?? 'identity', encoding);
    assert.ok(answer.body.equals(body), `${encoding}: another page`);
    const bytes = whole(Number(answer.headers.get('content-length')));
    addRow(encoding, bytes, withSpread(rates[encoding]), brief(ratio(rates[encoding], rates.identity)));
  }
}

/** Long enough for some changes in every round. */
const WRITER_SECONDS = 4;
const WRITER_INTERVAL_MS = 1000;

/** What it costs readers that somebody changes the month that they read, once a second. */
export async function measureWriter(field: Field, report: Report): Promise<void> {
  report.text(
    'The first page of 128,000 shifts a year, on SQLite. Once a second another process changes a shift of this month; the very next ' +
      'request has to show it.',
  );
  const { target } = await field.page(LARGE, FIRST_PAGE);
  const { databaseUrl } = await field.account('SQLite', LARGE);
  const database = new DatabaseSync(databaseUrl.replace('sqlite:', ''));
  const change = database.prepare(
    `UPDATE shifts SET remarks = 'Changed at ' || ? WHERE (account_id, id) IN
       (SELECT account_id, id FROM shifts WHERE date = ? LIMIT 1)`,
  );
  const write = () => change.run(Date.now(), dateOf(today()));
  const rounds = Math.min(3, field.settings.rounds.rounds);
  const rates = await inTurns(['alone', 'beside'], rounds, async (name) => {
    const timer = name === 'beside' ? setInterval(write, WRITER_INTERVAL_MS) : undefined;
    const rate = await measureThroughput(target, { seconds: WRITER_SECONDS });
    clearInterval(timer);
    return rate;
  });
  database.close();
  const kept = ratio(rates.beside, rates.alone);
  const addRow = report.table(' | pages/s | ratio');
  addRow('nobody writes', withSpread(rates.alone), '');
  addRow('one change a second', withSpread(rates.beside), brief(kept));
  report.finding('writer', kept);
}
