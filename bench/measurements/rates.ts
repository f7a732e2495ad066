/** Answers a second of Shiftfeed in other circumstances: compressed, on PostgreSQL, by the gateway, beside a writer. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dateOf, today } from '../accounts.ts';
import { FIRST_PAGE, type Field, TEN } from '../field.ts';
import { askOnce, assertSameBytes, assertSamePage, measureThroughput, readListing } from '../load.ts';
import { brief, ratio, whole, withSpread } from '../numbers.ts';
import { SHIFTFEED, startServer } from '../processes.ts';
import type { Report } from '../report.ts';
import { compare, inTurns } from '../rounds.ts';
import { LARGE, SMALL } from '../settings.ts';

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

export async function measureDatabases(field: Field, report: Report): Promise<void> {
  const size = Math.max(...field.settings.postgresSizes);
  report.text(`Shiftfeed on both, ${whole(size)} shifts a year. PostgreSQL runs on the core of the server.`);
  const addRow = report.table('in memory | SQLite, pages/s | PostgreSQL, pages/s | ratio');
  const server = await field.ours('PostgreSQL', size);
  const { headers } = await field.account('PostgreSQL', size);
  for (const query of [FIRST_PAGE, TEN]) {
    const page = await field.page(size, query);
    const onPostgres = { url: server.url + (await field.pathOf(size, query)), headers };
    assertSamePage(await readListing(onPostgres), page, 'PostgreSQL');
    const rates = await compare({ sqlite: page.target, postgres: onPostgres }, field.settings.rounds);
    const toSqlite = brief(ratio(rates.postgres, rates.sqlite));
    addRow(query.name, withSpread(rates.sqlite), withSpread(rates.postgres), toSqlite);
  }
}

const DAYS_AHEAD = 30;
export const GATEWAY_PATHS = { JSON: '/kitchen/shifts', calendar: '/kitchen/shifts.ics' } as const;

export async function measureGateway(field: Field, report: Report): Promise<void> {
  const gateway = await startGateway(field);
  report.text(`${DAYS_AHEAD} days of an account of 5,000 shifts a year, as JSON and as a calendar.`);
  const addRow = report.table('form | bytes | gateway, visitors/s | fixed buffer | to it');
  for (const [form, path] of Object.entries(GATEWAY_PATHS)) {
    const target = { url: gateway.url + path, headers: {} };
    const { body } = await askOnce(target);
    const { server: fixed } = await field.fixed({ body });
    const limit = { url: `${fixed.url}/body`, headers: {} };
    await assertSameBytes(limit, body);
    const rates = await compare({ gateway: target, fixed: limit }, field.settings.rounds);
    await fixed.stop();
    const toFixed = brief(ratio(rates.gateway, rates.fixed));
    addRow(form, whole(body.length), withSpread(rates.gateway), withSpread(rates.fixed), toFixed);
  }
  await gateway.stop();
}

export async function startGateway(field: Field) {
  const { slug, token } = await field.account('SQLite', SMALL);
  const upstream = await field.ours('SQLite', SMALL);
  const config = join(field.folder, 'gateway.json');
  await writeFile(join(field.folder, 'gateway.token'), token, { mode: 0o600 });
  await writeFile(
    config,
    JSON.stringify({
      upstream: `${upstream.url}/${slug}`,
      token_file: 'gateway.token',
      feeds: { kitchen: { group_ids: 'all', days_ahead: DAYS_AHEAD } },
    }),
  );
  return startServer(SHIFTFEED, ['gateway', config, '--port', '0']);
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
