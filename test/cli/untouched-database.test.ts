/** What commands leave alone: databases that they only read, and files of other programs. */

import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { describeDatabase } from '../../src/store/open.ts';
import { shiftfeed } from '../support/cli-in-process.ts';
import { DATABASES, newDatabaseUrl, newFolder, pathOf, postgresClient, runSql } from '../support/database.ts';
import { acme } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { refused } from '../support/outcome.ts';

const READING = [
  ['account', 'list'],
  ['account', 'show', 'acme'],
  ['token', 'list', 'acme'],
  ['export', 'acme'],
  ['group', 'list', 'acme'],
];
const said = (sentence: RegExp) => new RegExp(`^shiftfeed: ${sentence.source}\n$`);

describe('Commands that only read', () => {
  test('make no tables in a database of PostgreSQL', async (context) => {
    const databaseUrl = await newDatabaseUrl(context, 'postgres');
    const program = await postgresClient(context, databaseUrl);
    for (const command of READING) {
      const { code, stdout, stderr } = await shiftfeed(command, { databaseUrl });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        said(/The database \S+ has no Shiftfeed tables yet: "import" and "serve" make them\./),
      );
    }
    const { rows } = await program.query("SELECT to_regnamespace('shiftfeed') AS made");
    assert.deepEqual(rows, [{ made: null }]);
  });

  test('make no tables in an empty SQLite file, and no file where there is none', async (context) => {
    const folder = await newFolder(context);
    const path = join(folder, 'empty.db');
    await writeFile(path, '');
    for (const command of READING) {
      const empty = await shiftfeed(command, { databaseUrl: `sqlite:${path}` });
      assert.deepEqual(
        empty,
        refused(`The database ${path} has no Shiftfeed tables yet: "import" and "serve" make them.`),
      );
      const missing = join(folder, 'missing.db');
      assert.deepEqual(
        await shiftfeed(command, { databaseUrl: `sqlite:${missing}` }),
        refused(`There is no database at ${missing}: "import" and "serve" create one.`),
      );
    }
    assert.deepEqual(await readdir(folder), ['empty.db']);
    assert.equal((await readFile(path)).length, 0);
  });

  for (const kind of DATABASES) {
    test(`leave a schema of another version on ${kind} as it is, and say which way it differs`, async (context) => {
      const { databaseUrl } = await filledDatabase(context, acme([]), kind);
      const setVersion = async (version: number) => {
        if (kind === 'sqlite') runSql(databaseUrl, `PRAGMA user_version = ${version}`);
        else {
          const program = await postgresClient(context, databaseUrl);
          await program.query('UPDATE shiftfeed.schema_version SET version = $1', [version]);
        }
      };
      const sentences: [number, RegExp][] = [
        [
          999,
          said(
            /The database \S+ was written by a newer Shiftfeed \(schema 999, this one knows \d+\): use that version here, too\./,
          ),
        ],
        [
          -1,
          said(
            /The database \S+ was written by an older Shiftfeed \(schema -1, this one needs \d+\): "shiftfeed migrate" brings it up to date\./,
          ),
        ],
      ];
      for (const [version, sentence] of sentences) {
        await setVersion(version);
        for (const command of READING) {
          const { code, stdout, stderr } = await shiftfeed(command, { databaseUrl });
          assert.deepEqual([code, stdout], [1, '']);
          assert.match(stderr, sentence);
        }
      }
    });
  }

  test('read a SQLite file and leave nothing beside it', async (context) => {
    const { databaseUrl } = await filledDatabase(context, acme([]));
    const folder = dirname(pathOf(databaseUrl));
    // In the tests somebody else still has it open.
    const before = await readdir(folder);
    const copy = join(await newFolder(context), 'copy.db');
    runSql(databaseUrl, `VACUUM INTO '${copy}'`);
    for (const [url, files] of [
      [databaseUrl, before],
      [`sqlite:${copy}`, ['copy.db']],
    ] as const) {
      for (const command of READING) {
        const { code, stderr } = await shiftfeed(command, { databaseUrl: url });
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      }
      assert.deepEqual(await readdir(dirname(pathOf(url))), files);
    }
  });
});

test('a SQLite file of another program is left alone, whatever the command', async (context) => {
  const folder = await newFolder(context);
  const path = join(folder, 'planner.db');
  runSql(
    `sqlite:${path}`,
    'CREATE TABLE shifts (id INTEGER PRIMARY KEY); INSERT INTO shifts VALUES (1); PRAGMA user_version = 1',
  );
  const before = await readFile(path);
  const file = join(await newFolder(context), 'plan.json');
  await writeFile(file, JSON.stringify(acme([])));
  for (const command of [
    ['import', file],
    ['serve', '--port', '0'],
    ['account', 'set', 'acme', '--name', 'Acme'],
    ...READING,
  ]) {
    assert.deepEqual(
      await shiftfeed(command, { databaseUrl: `sqlite:${path}` }),
      refused(`The database ${path} has tables of another program: give Shiftfeed a file of its own.`),
    );
    assert.deepEqual(await readFile(path), before);
    assert.deepEqual(await readdir(folder), ['planner.db']);
  }
});

for (const kind of DATABASES) {
  test(`a database of before the first release is told what it is, and left alone, on ${kind}`, async (context) => {
    const databaseUrl = await newDatabaseUrl(context, kind);
    const program = kind === 'postgres' ? await postgresClient(context, databaseUrl) : undefined;
    await program?.query('CREATE SCHEMA shiftfeed; SET search_path = shiftfeed');
    const statements = 'CREATE TABLE schema_version (version integer); INSERT INTO schema_version VALUES (4)';
    if (program) await program.query(statements);
    else runSql(databaseUrl, `${statements}; PRAGMA application_id = 0x73686674; PRAGMA user_version = 4`);
    const state = async () =>
      program ? (await program.query('SELECT oid FROM pg_class')).rows : await readFile(pathOf(databaseUrl));
    const before = await state();
    const file = join(await newFolder(context), 'plan.json');
    await writeFile(file, JSON.stringify(acme([])));
    const sentence = `The database ${describeDatabase(databaseUrl)} was made by a Shiftfeed from before the first release, and this one cannot read it: export its accounts with the version that made it, and import them into a new database with this one.`;
    for (const command of [
      ['import', file],
      ['serve', '--port', '0'],
      ['desk', '--port', '0'],
      ['migrate'],
      ...READING,
    ])
      assert.deepEqual(await shiftfeed(command, { databaseUrl }), refused(sentence), command.join(' '));
    const doctor = await shiftfeed(['doctor'], { databaseUrl });
    assert.equal(doctor.code, 1);
    assert.ok(doctor.stdout.includes(sentence), doctor.stdout);
    assert.deepEqual(await state(), before);
  });
}

test('a SQLite file with our tables that has lost its version is told what it is, and left alone', async (context) => {
  const { databaseUrl } = await filledDatabase(context, acme([]));
  const copy = join(await newFolder(context), 'copy.db');
  runSql(databaseUrl, `VACUUM INTO '${copy}'`);
  for (const lost of ['PRAGMA user_version = 0', 'PRAGMA application_id = 0']) {
    runSql(`sqlite:${copy}`, lost);
    const before = await readFile(copy);
    for (const command of [['serve', '--port', '0'], ...READING]) {
      const { code, stderr } = await shiftfeed(command, { databaseUrl: `sqlite:${copy}` });
      assert.equal(code, 1);
      assert.match(stderr, /has the tables of Shiftfeed, but does not tell which version made them/);
      assert.deepEqual(await readFile(copy), before);
    }
  }
  const { stderr } = await shiftfeed(['account', 'list'], { databaseUrl: `sqlite:${copy}` });
  runSql(`sqlite:${copy}`, /PRAGMA .*;/.exec(stderr)?.[0] ?? '');
  assert.equal((await shiftfeed(['account', 'list'], { databaseUrl: `sqlite:${copy}` })).code, 0);
});

test('a SQLite file that has only the tables of Litestream is empty to us', async (context) => {
  const folder = await newFolder(context);
  const databaseUrl = `sqlite:${join(folder, 'shiftfeed.db')}`;
  runSql(
    databaseUrl,
    `PRAGMA journal_mode = WAL; CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
     CREATE TABLE _litestream_lock (id INTEGER)`,
  );
  const file = join(folder, 'plan.json');
  await writeFile(file, JSON.stringify(acme([])));
  assert.equal((await shiftfeed(['import', file], { databaseUrl })).code, 0);
});
