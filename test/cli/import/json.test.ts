import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { importer } from '../../import/importer.ts';
import type { Finished } from '../../support/cli.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newFolder } from '../../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../../support/document.ts';
import { printed, refused } from '../../support/outcome.ts';

describe('import', () => {
  test('creates the database with its folder, and sums up what it did', async (t) => {
    const folder = await newFolder(t);
    const path = join(folder, 'new', 'folder', 'shifts.db');
    const databaseUrl = `sqlite:${path}`;
    const file = await fileOf(t, acme([shift('2026-12-01'), shift('2026-12-02')]));
    assert.deepEqual(
      await shiftfeed(['import', file], { databaseUrl }),
      printed(
        `Imported into ${path}.`,
        'The account acme is new.',
        '           added  changed  removed  unchanged',
        'groups         1        0        0          0',
        'locations      0        0        0          0',
        'people         0        0        0          0',
        'shifts         2        0        0          0',
        'New groups: Kitchen.',
      ),
    );
  });

  test('again changes nothing', async (t) => {
    const { url, run, plan } = await importer(t);
    const document = acme([shift('2026-12-01')]);
    await run(document);
    const before = await plan();
    const { stdout } = await shiftfeed(['import', await fileOf(t, document)], { databaseUrl: url });
    assert.match(stdout, /The account acme keeps its settings\.$/m);
    assert.match(stdout, /^shifts +0 +0 +0 +1$/m);
    assert.deepEqual(await plan(), before);
  });

  test('with other settings says so', async (t) => {
    const { url, run, account } = await importer(t);
    await run(acme([]));
    const file = await fileOf(t, { account: { slug: 'acme', sort: 'group' } });
    const { stdout } = await shiftfeed(['import', file], { databaseUrl: url });
    assert.match(stdout, /The account acme has new settings\.$/m);
    assert.equal((await account()).sort, 'group');
  });

  test('--replace also removes', async (t) => {
    const { url, run, contents } = await importer(t);
    await run(acme([shift('2026-12-01', { id: 1 }), shift('2026-12-02', { id: 2 })]));
    const file = await fileOf(t, acme([shift('2026-12-02', { id: 2 })]));
    const { stdout } = await shiftfeed(['import', file, '--replace'], { databaseUrl: url });
    assert.match(stdout, /^shifts +0 +0 +1 +1$/m);
    assert.equal((await contents()).shifts, 1);
  });

  test('--account agrees with the document or nothing is imported', async (t) => {
    const { url, run, contents } = await importer(t);
    await run(acme([]));
    const file = await fileOf(t, acme([shift('2026-12-01')]));
    assert.deepEqual(
      await shiftfeed(['import', file, '--account', 'other'], { databaseUrl: url }),
      refused('Nothing was imported: the document is for the account "acme", not "other".'),
    );
    assert.equal((await contents()).shifts, 0);
    assert.equal((await shiftfeed(['import', file, '--account', 'acme'], { databaseUrl: url })).code, 0);
    assert.equal((await contents()).shifts, 1);
  });
});

describe('import --dry-run', () => {
  const summary = [
    'The account acme is new.',
    '           added  changed  removed  unchanged',
    'groups         1        0        0          0',
  ];

  test('changes nothing', async (t) => {
    const { url, run, contents } = await importer(t);
    await run(acme([shift('2026-12-01')]));
    const before = await contents();
    const file = await fileOf(t, acme([shift('2026-12-02')]));
    const { code, stdout } = await shiftfeed(['import', file, '--replace', '--dry-run'], {
      databaseUrl: url,
    });
    assert.equal(code, 0);
    assert.match(stdout, /^Nothing was written/);
    assert.match(stdout, /^shifts +1 +0 +1 +0$/m);
    assert.deepEqual(await contents(), before);
  });

  test('leaves no file or folder behind when there was no database', async (t) => {
    const folder = join(await newFolder(t), 'data');
    const file = await fileOf(t, acme([]));
    const databaseUrl = `sqlite:${join(folder, 'shifts.db')}`;
    const { code, stdout } = await shiftfeed(['import', file, '--dry-run'], { databaseUrl });
    assert.equal(code, 0);
    const [first, ...rest] = stdout.split('\n');
    assert.equal(first, `Nothing was written: this is what an import into ${folder}/shifts.db would do.`);
    assert.deepEqual(rest.slice(0, 3), summary);
    assert.equal(existsSync(folder), false);
  });

  test('finds the same problems', async (t) => {
    const { url } = await importer(t);
    const file = await fileOf(t, acme([shift('2026-12-01', { group_id: 9 })]));
    const dry = await shiftfeed(['import', file, '--dry-run'], { databaseUrl: url });
    assert.deepEqual(dry, await shiftfeed(['import', file], { databaseUrl: url }));
    assert.equal(dry.code, 1);
  });
});

describe('the problems of a document', () => {
  test('are listed by place', async (t) => {
    const { end_time: _, ...rest } = shift('2026-12-01', { id: 5002 });
    const document = acme([shift('2026-02-30', { id: 5001 }), { ...rest, endtime: '17:00' } as object]);
    assert.deepEqual(await importing(t, document), {
      code: 1,
      stdout: '',
      stderr: [
        'shiftfeed: Nothing was imported: the document has 3 problems.',
        '  shifts[0].date (id 5001): "2026-02-30" is not a date YYYY-MM-DD from 1000-01-01 to 9999-12-31',
        '  shifts[0].end_date (id 5001): "2026-02-30" is not a date YYYY-MM-DD from 1000-01-01 to 9999-12-31',
        '  shifts[1].endtime (id 5002): there is no such key; did you mean "end_time"?',
        '',
      ].join('\n'),
    });
  });

  test('include what only the database can tell', async (t) => {
    const shifts = [shift('2026-12-01', { id: 5001, group_id: 9 })];
    const document = { account: ACME, groups: [KITCHEN], shifts };
    assert.partialDeepStrictEqual(await importing(t, document), {
      code: 1,
      stderr: [
        'shiftfeed: Nothing was imported: the document has a problem.',
        '  shifts[0].group_id (id 5001): there is no group 9 in the document or the account',
        '',
      ].join('\n'),
    });
  });

  for (const [count, more] of [
    [20, []],
    [21, ['  and 1 more; --all-problems shows every one']],
  ] as const) {
    test(`are shown up to 20, of ${count}`, async (t) => {
      const shifts = Array.from({ length: count }, () => shift('2026-12-01', { start_time: '25:00' }));
      const { stderr } = await importing(t, acme(shifts));
      const [heading, ...lines] = stderr.trimEnd().split('\n');
      assert.equal(heading, `shiftfeed: Nothing was imported: the document has ${count} problems.`);
      assert.match(lines[19] ?? '', /^ {2}shifts\[19\]\.start_time \(id \d+\): "25:00" is not /);
      assert.deepEqual(lines.slice(20), more);
    });
  }

  test('are all shown with --all-problems, and counted at the end', async (t) => {
    const shifts = Array.from({ length: 50 }, (_, i) =>
      shift('2026-12-01', { id: 1 + (i % 25), group_id: 9 }),
    );
    const document = acme(shifts, { colour: 'blue' });
    const { code, stdout, stderr } = await importing(t, document, '--all-problems');
    const lines = stderr.trimEnd().split('\n');
    assert.equal(lines.length, 1 + 50 + 25 + 1);
    assert.equal(lines[0], '  colour: there is no such key');
    assert.equal(lines[1], '  shifts[0].group_id (id 1): there is no group 9 in the document or the account');
    assert.equal(lines[26], '  shifts[25].id: 1 is the id of shifts[0] too');
    assert.equal(lines.at(-1), 'shiftfeed: Nothing was imported: the document has 76 problems.');
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  });

  test('--all-problems is no problem where there are none', async (t) => {
    const { url } = await importer(t);
    const file = await fileOf(t, acme([shift('2026-12-01')]));
    const finished = await shiftfeed(['import', file, '--all-problems'], { databaseUrl: url });
    assert.equal(finished.code, 0);
    assert.equal(finished.stderr, '');
  });

  test('tell no more of private data than the bad value itself', async (t) => {
    const ada = { id: 1, name: 'Ada Lovelace', phone: '06 1234 5678' };
    const remarks = `Call Lovelace about ${'the very secret plan '.repeat(600)}`;
    const document = acme([shift('2026-12-01', { remarks, start_time: '9am' })], { people: [ada] });
    const { stderr } = await importing(t, document);
    assert.match(stderr, /people\[0\]\.phone \(id 1\): there is no such key/);
    assert.match(stderr, /shifts\[0\]\.start_time \(id \d+\): "9am" is not/);
    assert.match(
      stderr,
      /shifts\[0\]\.remarks \(id \d+\): "Call Lovelace about the very secret plan…" is not/,
    );
    assert.doesNotMatch(stderr, /Ada|1234|plan the/);
  });

  test('show nothing of a file that is no JSON', async (t) => {
    const { code, stderr } = await importing(t, '{"people": [{"id": 1, "name": "Ada Lovelace"');
    assert.equal(code, 1);
    assert.match(stderr, /^shiftfeed: .*\n {2}the file is not valid JSON/);
    assert.doesNotMatch(stderr, /Ada|Lovelace/);
  });
});

describe('a file that cannot be imported makes no database, and is told in a sentence', () => {
  const problem = (message: string) => `Nothing was imported: the document has a problem.\n  ${message}`;
  const cases: [name: string, sentence: string][] = [
    ['none.json', 'none.json could not be read: there is no such file.'],
    ['folder.json', 'folder.json could not be read: it is a folder.'],
    [
      'plan.xml',
      'plan.xml is neither a spreadsheet (.xlsx, .ods, .csv) nor a .json file: save it as .xlsx, or say with --format what it is.',
    ],
    ['latin-1.json', problem('the file is not UTF-8 at line 1, column 16')],
    ['empty.json', problem('the file is not valid JSON at line 1, column 1: it is empty')],
    [
      'bad.json',
      problem('shifts[0].date (id 7): "x" is not a date YYYY-MM-DD from 1000-01-01 to 9999-12-31'),
    ],
    ['half.json', problem('the file is not valid JSON at line 1, column 30: it ends too early')],
  ];
  for (const [name, sentence] of cases) {
    test(`${name}: ${sentence}`, async (t) => {
      const cwd = await newFolder(t);
      await mkdir(join(cwd, 'folder.json'));
      await writeFile(join(cwd, 'plan.xml'), '<plan/>');
      await writeFile(join(cwd, 'latin-1.json'), JSON.stringify({ $schema: 'Café' }), 'latin1');
      await writeFile(join(cwd, 'empty.json'), '');
      await writeFile(
        join(cwd, 'bad.json'),
        JSON.stringify(acme([shift('x', { id: 7, end_date: '2026-12-01' })])),
      );
      await writeFile(join(cwd, 'half.json'), '{"account": {"slug": "acme"},');
      for (const options of [[], ['--all-problems']]) {
        const { code, stdout, stderr } = await shiftfeed(['import', name, ...options], { cwd });
        assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
        const [first, ...rest] = `shiftfeed: ${sentence}\n`.split(/(?<=\n)/);
        assert.equal(stderr, options.length === 0 ? [first, ...rest].join('') : [...rest, first].join(''));
        assert.equal(existsSync(join(cwd, 'data')), false);
      }
    });
  }
});

async function fileOf(context: TestContext, document: object | string): Promise<string> {
  const file = join(await newFolder(context), 'plan.json');
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document));
  return file;
}

/** Imports a document, or a text in place of one, into a database that has nothing yet. */
async function importing(
  context: TestContext,
  document: object | string,
  ...options: readonly string[]
): Promise<Finished> {
  const { url, store } = await importer(context);
  const file = await fileOf(context, document);
  const finished = await shiftfeed(['import', file, ...options], { databaseUrl: url });
  assert.deepEqual(await store.accounts(), []);
  return finished;
}
