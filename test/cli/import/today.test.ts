/** `--from today` and `--to today`: for imports that run every day without a shell around them. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { importer } from '../../import/importer.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newFolder } from '../../support/database.ts';

test('--replace --from today keeps what was, and removes what the file no longer has', async (t) => {
  const { url, records } = await importer(t);
  const folder = await newFolder(t);
  const file = join(folder, 'plan.csv');
  const run = async (rows: readonly string[], ...args: string[]) => {
    const lines = rows.map((date) => `${date},09:00,17:00,Kitchen`);
    await writeFile(file, ['date,start_time,end_time,group', ...lines].join('\n'));
    const given = ['import', file, '--account', 'acme', '--published-from', '2026-01-01', ...args];
    return shiftfeed(given, { databaseUrl: url });
  };
  // Days that are on the same side of today wherever the account is, and at midnight.
  const day = (days: number) => String(Temporal.Now.plainDateISO('UTC').add({ days }));
  await run([day(-9), day(9), day(10)]);
  assert.equal((await run([day(10)], '--replace', '--from', 'today')).code, 0);
  const dates = async () => (await records('shifts')).map(({ date }) => date).toSorted();
  assert.deepEqual(await dates(), [day(-9), day(10)]);
  assert.equal((await run([day(10)], '--replace', '--to', 'today')).code, 0);
  assert.deepEqual(await dates(), [day(10)]);

  const backwards = await run([day(10)], '--replace', '--from', day(5), '--to', 'today');
  assert.equal(backwards.code, 2);
  assert.match(backwards.stderr, /^shiftfeed: --from \S+ comes after --to \d{4}-\d\d-\d\d\.\n$/);
});

test('with a JSON document, today needs the account', async () => {
  const { code, stderr } = await shiftfeed(['import', 'plan.json', '--replace', '--from', 'today']);
  assert.equal(code, 2);
  assert.match(stderr, /today needs --account, whose time zone says what today is/);
});
