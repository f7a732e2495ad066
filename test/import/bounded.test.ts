/** What an import takes of memory and disk does not grow with the document. */

import assert from 'node:assert/strict';
import { createWriteStream, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, type TestContext, test } from 'node:test';
import type { ShiftRecord } from '../../src/store/records.ts';
import { type Finished, shiftfeed as runProcess } from '../support/cli.ts';
import { shiftfeed as runInProcess } from '../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { isLong, often } from '../support/strength.ts';
import { importer } from './importer.ts';

const MEGABYTE = 1024 * 1024;
/** The long part runs commands in processes of their own, with a little more memory than they need without a document. */
const SMALL_HEAP = ['--max-old-space-size=40'];
const RECORDS = often(2_000, 20_000);

function shiftfeed(args: readonly string[], databaseUrl?: string): Promise<Finished> {
  const options = databaseUrl === undefined ? {} : { databaseUrl };
  return isLong ? runProcess(args, { ...options, nodeArgs: SMALL_HEAP }) : runInProcess(args, options);
}

describe('with little memory', { concurrency: often(1, 2) }, () => {
  test('a text of many megabytes is a problem with a place', async (t) => {
    const long = 'x'.repeat(MEGABYTE);
    const file = await fileOf(t, [shiftJson({ remarks: 'LONG' }).replace('LONG', long.repeat(often(2, 20)))]);
    const { code, stderr } = await shiftfeed(
      ['import', file, '--dry-run', '--quiet'],
      await newDatabaseUrl(t),
    );
    assert.equal(
      stderr,
      'shiftfeed: Nothing was imported: the document has a problem.\n' +
        '  shifts[0]: is longer than 1000000 characters (line 2, column 1)\n',
    );
    assert.equal(code, 1);
  });

  test('the problems of many records are counted, and the first ones shown', async (t) => {
    const bad = JSON.stringify(Object.fromEntries(Object.keys(shift('2026-12-01')).map((key) => [key, {}])));
    const file = await fileOf(
      t,
      repeat(RECORDS, () => bad),
    );
    const { code, stderr } = await shiftfeed(
      ['import', file, '--dry-run', '--quiet'],
      await newDatabaseUrl(t),
    );
    const lines = stderr.trimEnd().split('\n');
    assert.equal(lines[0], `shiftfeed: Nothing was imported: the document has ${13 * RECORDS} problems.`);
    assert.equal(lines.length, 1 + 20 + 1);
    assert.equal(lines.at(-1), `  and ${13 * RECORDS - 20} more; --all-problems shows every one`);
    assert.equal(code, 1);

    const all = await shiftfeed(
      ['import', file, '--dry-run', '--quiet', '--all-problems'],
      await newDatabaseUrl(t),
    );
    const allLines = all.stderr.trimEnd().split('\n');
    assert.equal(allLines.length, 13 * RECORDS + 1);
    assert.equal(allLines[13 * RECORDS - 1], `  shifts[${RECORDS - 1}].noshow: {} is not true or false`);
    assert.equal(allLines.at(-1), lines[0]);
    assert.equal(all.code, 1);
  });

  test('what only the database can tell of many records is counted as well', async (t) => {
    const file = await fileOf(
      t,
      repeat(RECORDS, (i) => shiftJson({ id: 1 + (i % 2), group_id: 9, location_id: 9, person_id: 9 })),
    );
    const { stderr } = await shiftfeed(['import', file, '--dry-run', '--quiet'], await newDatabaseUrl(t));
    const lines = stderr.trimEnd().split('\n');
    assert.equal(lines[0], `shiftfeed: Nothing was imported: the document has ${4 * RECORDS - 2} problems.`);
    assert.deepEqual(lines.slice(6, 9), [
      '  shifts[1].person_id (id 2): there is no person 9 in the document or the account',
      '  shifts[2].id: 1 is the id of shifts[0] too',
      '  shifts[2].group_id (id 1): there is no group 9 in the document or the account',
    ]);
    assert.equal(lines.at(-1), `  and ${4 * RECORDS - 22} more; --all-problems shows every one`);
  });

  test('a document of many megabytes is imported, and found unchanged the next time', async (t) => {
    const { url, plan } = await importer(t);
    const count = often(2_500, 15_000);
    const remarks = 'x'.repeat(2_000);
    const file = await fileOf(
      t,
      repeat(count, (i) => shiftJson({ id: i + 1, remarks })),
    );
    assert.ok(statSync(file).size > 2_000 * count);
    const first = await shiftfeed(['import', file], url);
    assert.match(first.stdout, new RegExp(`^shifts +${count} +0 +0 +0$`, 'm'), first.stderr);
    const before = await plan();
    const again = await shiftfeed(['import', file, '--replace'], url);
    assert.match(again.stdout, new RegExp(`^shifts +0 +0 +0 +${count}$`, 'm'), again.stderr);
    assert.deepEqual(await plan(), before);
  });
});

describe('the write-ahead log is given back while others have the database open', () => {
  /** More than the page cache holds, so that the log grows before anything is committed. */
  const count = often(2_500, 7_500);
  const document = acme(
    repeat(count, (i) => shift('2026-12-01', { id: i + 1, remarks: 'x'.repeat(9_900) })).toArray(),
  );

  test('after a large import', async (t) => {
    const { url, run, contents } = await importer(t);
    openAlongside(t, url);
    await run(document);
    assert.equal((await contents()).shifts, count);
    assert.ok(logSizeOf(url) <= 16 * MEGABYTE, `${logSizeOf(url)} bytes`);
  });

  if (isLong)
    test('after one that failed', async (t) => {
      const { url, run, store } = await importer(t);
      const other = openAlongside(t, url);
      other.exec(`CREATE TRIGGER refuse BEFORE INSERT ON shifts WHEN NEW.id = ${count}
        BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
      await assert.rejects(run(document), { message: 'The database refused a row: not this one.' });
      assert.deepEqual(await store.accounts(), []);
      assert.ok(logSizeOf(url) <= 16 * MEGABYTE, `${logSizeOf(url)} bytes`);
    });
});

function openAlongside(context: TestContext, url: string): DatabaseSync {
  const database = new DatabaseSync(pathOf(url));
  context.after(() => database.close());
  database.prepare('SELECT count(*) FROM accounts').get();
  return database;
}

function logSizeOf(url: string): number {
  return statSync(`${pathOf(url)}-wal`).size;
}

function pathOf(url: string): string {
  return url.slice('sqlite:'.length);
}

function shiftJson(fields: Partial<ShiftRecord>): string {
  return JSON.stringify(shift('2026-12-01', fields));
}

function repeat<T>(count: number, make: (i: number) => T): IteratorObject<T> {
  return new Array(count).keys().map(make);
}

/** A document with these shifts, one a line. */
async function fileOf(context: TestContext, shifts: Iterable<string>): Promise<string> {
  const file = join(await newFolder(context), 'plan.json');
  function* lines() {
    const { shifts: _, ...rest } = acme([]) as { shifts: unknown };
    yield `${JSON.stringify(rest).slice(0, -1)}, "shifts": [\n`;
    let separator = '';
    for (const json of shifts) {
      yield separator + json;
      separator = ',\n';
    }
    yield ']}\n';
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
  return file;
}

test('problems far down a long list are named by their own place', async (context) => {
  const folder = await newFolder(context);
  const file = join(folder, 'plan.json');
  const shifts = Array.from({ length: 25_003 }, (_, i) => {
    const one = shift('2026-12-01', { id: i + 1 });
    if (i === 10_001) return { ...one, end_time: '25:61' };
    if (i === 15_002) return { ...one, group_id: 99 };
    return i === 25_002 ? { ...one, end_date: '2026-11-30' } : one;
  });
  await writeFile(file, JSON.stringify(acme(shifts)));
  const { code, stderr } = await shiftfeed(['import', file, '--quiet'], await newDatabaseUrl(context));
  assert.equal(code, 1);
  const places = stderr
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(' ')[0]);
  assert.deepEqual(places, ['shifts[10001].end_time', 'shifts[15002].group_id', 'shifts[25002].end_date']);
});
