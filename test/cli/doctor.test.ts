import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { importer } from '../import/importer.ts';
import { command } from '../support/cli-in-process.ts';
import { newFolder, pathOf, runSql } from '../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { printed } from '../support/outcome.ts';

const WELL = [
  'well   the database can be read, and its schema is of this version',
  'well   the database finds no damage',
  'well   tables and constraints are there, and indexes and triggers are as they should be',
  'well   whatever rows refer to is there',
  'well   every month that has shifts is stamped',
  'well   no account has shifts in more than 2,400 months',
  'well   all time zones exist',
];

describe('doctor', () => {
  test('tells what is well, and what is not listed on purpose, with exit code 0', async (t) => {
    const { url, run } = await importer(t);
    const groups = [KITCHEN, { id: 2, name: 'Closed', active: false }];
    const hidden = [1, 2].map(() => shift('2027-01-01', { group_id: 2 }));
    await run(acme([...hidden, shift('2027-01-01', { publish_date: '9999-12-31' })], { groups }));
    await run({ account: { ...ACME, slug: 'free', premium: false }, groups, shifts: [shift('2027-01-01')] });
    await run({ account: { slug: 'empty' } });
    assert.deepEqual(
      await command(url, 'doctor'),
      printed(
        `The database is ${pathOf(url)}`,
        ...WELL,
        'note   2 shifts of acme are not listed, because the group is not active. "shiftfeed group list acme" shows the groups.',
        'note   A shift of acme is not published yet, and only listed with published=false.',
        'note   acme is in UTC. If its shifts are elsewhere, "shiftfeed account set acme --time-zone …" says where.',
        'note   Nobody can read acme, because it has no live token. "shiftfeed token create acme" makes one.',
        'note   free is in UTC. If its shifts are elsewhere, "shiftfeed account set free --time-zone …" says where.',
        'note   Nobody can read free, because it is not premium. "shiftfeed account set free --premium true" changes that.',
      ),
    );
    await command(url, 'token', 'create', 'acme');
    assert.doesNotMatch((await command(url, 'doctor')).stdout, /read acme/);
  });

  test('tells what is wrong with exit code 1, also for scripts', async (t) => {
    const { url, run } = await importer(t);
    await run({ account: ACME });
    runSql(url, "UPDATE accounts SET time_zone = 'Mars/Olympus'");
    const text = await command(url, 'doctor');
    assert.equal(text.code, 1);
    assert.equal(text.stderr, 'shiftfeed: Something is wrong.\n');
    const sentence =
      'The account acme has the time zone "Mars/Olympus", which does not exist, so its requests fail.';
    const advice = '"shiftfeed account set acme --time-zone …" changes it.';
    assert.ok(text.stdout.endsWith(`\nWRONG  ${sentence} ${advice}\n`));
    const json = await command(url, 'doctor', '--json');
    assert.equal(json.code, 1);
    const { checks, ...rest } = JSON.parse(json.stdout);
    assert.deepEqual(rest, {
      database: pathOf(url),
      well: false,
      findings: [{ check: 'time zones', wrong: true, account: 'acme', sentence, advice }],
    });
    assert.deepEqual(
      checks.filter(({ well }: { well: boolean }) => !well),
      [{ check: 'time zones', well: false }],
    );
  });

  test('gives the statement that makes a missing trigger anew, on one line', async (t) => {
    const { url, run } = await importer(t);
    await run({ account: ACME });
    const program = new DatabaseSync(pathOf(url));
    program.exec('DROP TRIGGER shifts_inserted');
    const { code, stdout } = await command(url, 'doctor');
    assert.equal(code, 1);
    const [, statement = ''] =
      /^WRONG {2}The trigger shifts_inserted is missing\. Make it anew: (CREATE TRIGGER .* END;) Then stamp /m.exec(
        stdout,
      ) ?? [];
    program.exec(statement);
    program.close();
    assert.equal((await command(url, 'doctor')).code, 0);
  });

  test('tells of a database that is not there as of something wrong', async (t) => {
    const path = join(await newFolder(t), 'none.db');
    const { code, stdout } = await command(`sqlite:${path}`, 'doctor', '--json');
    assert.equal(code, 1);
    assert.partialDeepStrictEqual(JSON.parse(stdout), {
      well: false,
      checks: [{ check: 'database', well: false }],
      findings: [{ sentence: `There is no database at ${path}: "import" and "serve" create one.` }],
    });
  });

  test('tells of a table that is missing', async (t) => {
    const { url, run } = await importer(t);
    await run({ account: ACME });
    runSql(url, 'DROP TABLE months');
    const { code, stdout } = await command(url, 'doctor');
    assert.equal(code, 1);
    assert.match(stdout, /^WRONG {2}SQLite failed on \S+: no such table: months\.$/m);
  });

  test('tells of a damaged file', async (t) => {
    const { url, run } = await importer(t);
    await run(acme(Array.from({ length: 500 }, () => shift('2027-01-01'))));
    const copy = join(await newFolder(t), 'copy.db');
    runSql(url, `VACUUM INTO '${copy}'`);
    const file = await open(copy, 'r+');
    const { size } = await file.stat();
    await file.write(Buffer.alloc(4096), 0, 4096, size - 4096);
    await file.close();
    const { code, stdout } = await command(`sqlite:${copy}`, 'doctor');
    assert.equal(code, 1);
    assert.match(stdout, /^WRONG {2}(SQLite finds damage: |The database \S+ is damaged)/m);
  });
});
