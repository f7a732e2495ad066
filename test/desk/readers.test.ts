/** Uploads are read in processes of their own: what ends one costs a sentence, and nobody else anything. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { changesBetween, readChanges } from '../../src/desk/changes.ts';
import { makeReaders, type ReadersOptions, type ReaderTask } from '../../src/desk/readers.ts';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import { zip } from '../import/sheet/make-workbook.ts';
import { DATABASES, type DatabaseKind, newFolder, newStoreUrl } from '../support/database.ts';
import { acme, KITCHEN, shift } from '../support/document.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';

const BAD_READER = new URL('./bad-reader.ts', import.meta.url);
const SMALLER = 'save the rows and columns of the plan in a file of their own, and import that';

async function desk(t: TestContext, options: ReadersOptions = {}, database: DatabaseKind = 'sqlite') {
  const readers = makeReaders(options);
  t.after(() => readers.close());
  const folder = await newFolder(t);
  const url = await newStoreUrl(t, database);
  const task = (name: string, given: Partial<ReaderTask> = {}): ReaderTask => ({
    kind: 'read',
    database: url,
    account: 'acme',
    role: 'planner',
    who: 'Noor',
    file: join(folder, 'upload'),
    name,
    folder,
    answers: [],
    ...given,
  });
  async function run(document: object): Promise<void> {
    const store = await openStore(url, { missing: 'create' });
    await importDocument(store, document, { replace: false, dryRun: false });
    await store.close();
  }
  const upload = (content: string | Buffer) => writeFile(join(folder, 'upload'), content);
  return { readers, folder, url, task, run, upload };
}

test('an upload is previewed, imported and taken back', async (t) => {
  const { readers, folder, url, task, run, upload } = await desk(t);
  await run(acme([shift('2027-06-01', { id: 1 })]));
  await upload('id,date,start_time,end_time,group,publish_date\n1,2027-06-02,9:00,18:00,Kitchen,2026-01-01');
  const preview = await readers.run(task('plan.csv'));
  assert.ok(preview.kind === 'preview', JSON.stringify(preview));
  assert.deepEqual(preview.days, [{ day: '2027-06-02', first: 0, count: 1 }]);
  const [change] = await readChanges(folder, 0, 200);
  assert.deepEqual(change?.fields.slice(0, 1), [
    { field: 'date', before: '2027-06-01', after: '2027-06-02' },
  ]);
  const now = new Set([1, 2]);
  const was = await changesBetween(folder, '2027-06-01', '2027-06-01', now);
  assert.deepEqual([was.after, [...was.touched]], [[], [1]]);
  const willBe = await changesBetween(folder, '2027-06-02', '2027-06-02', now);
  assert.deepEqual(willBe.after[0]?.group, { id: KITCHEN.id, name: 'Kitchen' });

  const done = await readers.run(task('plan.csv', { kind: 'import', expected: preview.digest }));
  assert.equal(done.kind, 'imported', JSON.stringify(done));
  const store = await openStore(url, { missing: 'fail' });
  t.after(() => store.close());
  const account = await store.findAccount('acme');
  const [entry] = await store.history(account?.id ?? 0);
  assert.equal(entry?.who, 'Noor');
  const undo = { database: url, account: 'acme', role: 'planner', who: 'Noor' } as const;
  const other = await readers.undo({ ...undo, entry: (entry?.id ?? 0) - 1 });
  assert.match(other.kind === 'failed' ? other.message : '', /only the last one can be taken back/);
  const undone = await readers.undo({ ...undo, entry: entry?.id ?? 0 });
  assert.equal(undone.kind, 'undone', JSON.stringify(undone));
});

describe('a reader', () => {
  const ends: [does: string, options: ReadersOptions, why: string][] = [
    ['waits', { maxMs: 100 }, `it takes longer than 0.1 seconds: ${SMALLER}`],
    ['spins', { maxMs: 100 }, `it takes longer than 0.1 seconds: ${SMALLER}`],
    ['throws', {}, 'the process that reads it ended'],
    ['swells', { maxResidentMb: 200 }, `it takes more than 512 MB of memory: ${SMALLER}`],
  ];
  if (isLong)
    ends.push(['grows', { maxResidentMb: 10_000 }, `it takes more than 512 MB of memory: ${SMALLER}`]);
  for (const [does, options, why] of ends)
    test(`that ${does} is a sentence`, async (t) => {
      const { readers, task } = await desk(t, { entry: BAD_READER, ...options });
      assert.deepEqual(await readers.run(task(`${does}.csv`)), {
        kind: 'failed',
        message: `Nothing was imported: ${does}.csv could not be read, because ${why}.`,
      });
    });

  const deaths = [
    ['commits and dies', 'imported'],
    ['dies before it commits', 'failed'],
  ] as const;
  for (const database of isLong ? DATABASES : DATABASES.slice(0, 1))
    for (const [does, kind] of deaths)
      test(`that ${does} tells the truth, on ${database}`, async (t) => {
        const { readers, task, run, url } = await desk(t, { entry: BAD_READER }, database);
        await run({ account: { slug: 'acme' } });
        const result = await readers.run(task(`${does}.csv`, { kind: 'import', expected: '' }));
        assert.equal(result.kind, kind, JSON.stringify(result));
        const store = await openStore(url, { missing: 'fail' });
        t.after(() => store.close());
        const account = await store.findAccount('acme');
        assert.equal((await store.list('groups', account?.id ?? 0)).length, kind === 'imported' ? 1 : 0);
      });

  test('is one of two at once, with eight waiting, and ends when nobody wants it any more', async (t) => {
    const { readers, task } = await desk(t, { entry: BAD_READER });
    const stop = new AbortController();
    let started = 0;
    const run = (name: string) =>
      readers.run(task(name), { signal: stop.signal, onStart: () => void started++ });
    const all = Array.from({ length: 10 }, () => run('waits.csv'));
    const outcomes = Promise.allSettled(all);
    await until('two run', () => started === 2);
    await assert.rejects(run('answers.csv'), {
      message: 'Too many files are waiting to be read: try again in a minute.',
    });
    stop.abort(new Error('discarded'));
    for (const outcome of await outcomes)
      assert.equal(outcome.status === 'rejected' && outcome.reason.message, 'discarded');
    assert.equal(started, 2);
    const next = await readers.run(task('answers.csv'));
    assert.deepEqual(next, { kind: 'failed', message: 'as asked' });
  });

  test('ends with its desk', async (t) => {
    const { readers, task } = await desk(t, { entry: BAD_READER });
    const { promise: started, resolve: onStart } = Promise.withResolvers<void>();
    const run = readers.run(task('waits.csv'), { onStart });
    const ended = assert.rejects(run, { message: 'The desk is closing.' });
    await started;
    await readers.close();
    await ended;
    await assert.rejects(readers.run(task('answers.csv')), { message: 'The desk is closing.' });
  });
});

test('a workbook of many rows in a few bytes costs a sentence', async (t) => {
  const { readers, task, run, upload } = await desk(t);
  await run(acme([]));
  const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const row = (...cells: readonly string[]) =>
    `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`;
  const head = row('date', 'start_time', 'end_time', 'group', 'publish_date');
  const rows = row('never', '9:00', '17:00', 'Bar', '2026-01-01').repeat(isLong ? 1_500_000 : 20_000);
  const file = zip([
    ['[Content_Types].xml', '<Types/>'],
    [
      'xl/workbook.xml',
      `<workbook xmlns:r="${relation}"><sheets><sheet name="Plan" r:id="s1"/></sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships><Relationship Id="s1" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ],
    ['xl/worksheets/sheet1.xml', `<worksheet><sheetData>${head}${rows}</sheetData></worksheet>`],
  ]);
  await upload(file);
  const result = await readers.run(task('plan.xlsx'));
  assert.ok(result.kind === 'mistakes', JSON.stringify(result));
  const [first] = result.problems;
  if (isLong)
    return assert.match(first?.message ?? '', /^the workbook is larger than any plan of shifts, unpacked/);
  assert.equal(result.problems.length, 100);
  assert.ok(result.more > 10_000);
  assert.deepEqual(first?.cell, { sheet: 1, line: 2, column: 0 });
});
