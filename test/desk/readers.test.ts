/** Uploads are read in processes of their own: what ends one costs a sentence, and nobody else anything. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openPreview } from '../../src/desk/preview.ts';
import { makeReaders, type ReadersOptions } from '../../src/desk/readers.ts';
import type { UploadTask } from '../../src/desk/task.ts';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import { zip } from '../import/sheet/make-workbook.ts';
import { DATABASES, type DatabaseKind, newFolder, newStoreUrl } from '../support/database.ts';
import { acme, KITCHEN, shift } from '../support/document.ts';
import { childrenOf, isAlive, killTree } from '../support/processes.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';
import { BAD_READER } from './desk.ts';

const READERS = new URL('../../src/desk/readers.ts', import.meta.url).href;
const SMALLER = 'save the rows and columns of the plan in a file of their own, and import that';

async function desk(t: TestContext, options: ReadersOptions = {}, database: DatabaseKind = 'sqlite') {
  const readers = makeReaders(options);
  t.after(() => readers.close());
  const folder = await newFolder(t);
  const url = await newStoreUrl(t, database);
  const task = (name: string, given: Partial<UploadTask> = {}): UploadTask => ({
    kind: 'read',
    database: url,
    account: 'acme',
    role: 'planner',
    who: 'Noor',
    file: join(folder, 'upload'),
    name,
    folder,
    answers: [],
    nowMs: Date.parse('2026-11-18T12:00:00Z'),
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

test('an upload is previewed, and only the last import is taken back, by whoever may', async (t) => {
  const { readers, folder, url, task, run, upload } = await desk(t);
  await run(acme([shift('2027-06-01', { id: 1 })]));
  await upload('id,date,start_time,end_time,group,publish_date\n1,2027-06-02,9:00,18:00,Kitchen,2026-01-01');
  const preview = await readers.run(task('plan.csv'));
  assert.ok(preview.kind === 'preview', JSON.stringify(preview));
  assert.deepEqual(preview.days, [{ day: '2027-06-02', first: 0, count: 1 }]);
  using shown = openPreview(folder);
  const [change] = shown?.changes(0, 200) ?? [];
  assert.deepEqual(change?.fields.slice(0, 1), [
    { field: 'date', before: '2027-06-01', after: '2027-06-02' },
  ]);
  assert.deepEqual(shown?.written('2027-06-01', '2027-06-01', 10).shifts, []);
  const [willBe] = shown?.written('2027-06-02', '2027-06-02', 10).shifts ?? [];
  assert.deepEqual(willBe?.group, { id: KITCHEN.id, name: 'Kitchen' });

  const store = await openStore(url, { missing: 'fail' });
  t.after(() => store.close());
  const account = await store.findAccount('acme');
  const undo = { kind: 'undo', database: url, account: 'acme', role: 'planner', who: 'Noor' } as const;
  await run(acme([shift('2027-06-01', { id: 1, remarks: 'Keys' })]));
  const [entry] = await store.history(account?.id ?? 0);
  const other = await readers.run({ ...undo, entry: (entry?.id ?? 0) - 1 });
  assert.match(other.kind === 'failed' ? other.message : '', /only the last one can be taken back/);
  // It asks for the role itself: what the desk has seen may have changed since.
  await run({ account: { slug: 'acme', name: 'New' } });
  const [renamed] = await store.history(account?.id ?? 0);
  const forbidden = await readers.run({ ...undo, entry: renamed?.id ?? 0 });
  assert.match(forbidden.kind === 'failed' ? forbidden.message : '', /cannot be taken back with your key/);
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
        // Not all records are read for that: whoever takes it back looks more closely.
        if (result.kind === 'imported') assert.ok(result.entry);
        const store = await openStore(url, { missing: 'fail' });
        t.after(() => store.close());
        const account = await store.findAccount('acme');
        assert.equal((await store.list('groups', account?.id ?? 0)).length, kind === 'imported' ? 1 : 0);
      });

  /** Tasks that wait until they are let go, with what has begun so far. */
  async function begun(t: TestContext) {
    const { readers, task } = await desk(t, { entry: BAD_READER });
    const started: string[] = [];
    const ends = new Map<string, AbortController>();
    function run(account: string, number: number) {
      const id = `${account}${number}`;
      const stop = new AbortController();
      ends.set(id, stop);
      const onStart = () => void started.push(id);
      const running = readers.run(task('waits.csv', { account }), { signal: stop.signal, onStart });
      running.catch(() => undefined);
      return running;
    }
    const ahead = (id: string) => readers.ahead(ends.get(id)?.signal as AbortSignal);
    const end = (id: string) => ends.get(id)?.abort(new Error('discarded'));
    t.after(() => [...ends.keys()].forEach(end));
    return { readers, task, started, run, ahead, end };
  }

  test('is one of two at once, with eight of an account waiting, and each knows how many are ahead', async (t) => {
    const { readers, task, started, run, ahead, end } = await begun(t);
    const all = Array.from({ length: 10 }, (_, i) => run('a', i));
    await until('two run', () => started.length >= 2);
    assert.equal(started.length, 2);
    assert.deepEqual(
      all.map((_, i) => ahead(`a${i}`)),
      [0, 0, 1, 2, 3, 4, 5, 6, 7, 8],
    );
    await assert.rejects(readers.run(task('answers.csv', { account: 'a' })), {
      message: 'Too many files are waiting to be read: try again in a minute.',
    });
    // Each that ends makes room for one.
    for (const [i, next] of [0, 1, 2].map((number) => [number, number + 2] as const)) {
      end(`a${i}`);
      await assert.rejects(all[i] as Promise<unknown>, { message: 'discarded' });
      await until('the next one runs', () => started.includes(`a${next}`));
      assert.equal(started.length, next + 1);
      assert.deepEqual([ahead(`a${next}`), ahead(`a${next + 1}`)], [0, 1]);
    }
    // One that is waiting is let go without ever having begun.
    end('a6');
    await assert.rejects(all[6] as Promise<unknown>, { message: 'discarded' });
    assert.deepEqual([ahead('a5'), ahead('a6'), ahead('a7')], [1, 0, 2]);
    for (const i of all.keys()) end(`a${i}`);
    for (const one of all) await assert.rejects(one, { message: 'discarded' });
    assert.deepEqual(started, ['a0', 'a1', 'a2', 'a3', 'a4']);
    const next = await readers.run(task('answers.csv'));
    assert.deepEqual(next, { kind: 'failed', message: 'as asked' });
  });

  test('has its turn in rotation, so that the files of one account hold up no other', async (t) => {
    const { started, run, ahead, end } = await begun(t);
    for (let i = 0; i < 6; i++) run('a', i);
    for (let i = 0; i < 2; i++) run('b', i);
    run('c', 0);
    assert.deepEqual(['a2', 'b0', 'c0', 'a3', 'b1', 'a4', 'a5'].map(ahead), [1, 2, 3, 4, 5, 6, 7]);
    for (let i = 0; i < 7; i++) {
      await until('the next two run', () => started.length === i + 2);
      end(started[i] ?? '');
    }
    await until('all have begun', () => started.length === 9);
    assert.deepEqual(started, ['a0', 'a1', 'a2', 'b0', 'c0', 'a3', 'b1', 'a4', 'a5']);
  });

  test('that fails inside is logged, without what it was given', async (t) => {
    const logged: string[] = [];
    const { readers, task } = await desk(t, { onProblem: (message) => void logged.push(message) });
    const secret = 'Secret.csv';
    const result = await readers.run(task(secret, { answers: [null] as never }));
    assert.deepEqual(result, {
      kind: 'failed',
      message: 'An internal error occurred: the log of the desk has it.',
    });
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? '', /^A reader failed: TypeError at .*upload\.ts/);
    assert.doesNotMatch(logged[0] ?? '', /Secret|Noor|acme/);
  });

  test('whose file is gone, or its folder, is a sentence', async (t) => {
    const { readers, folder, task, run } = await desk(t);
    await run(acme([]));
    for (const lose of [() => undefined, () => rm(folder, { recursive: true })]) {
      await lose();
      const { kind, message } = { message: '', ...(await readers.run(task('plan.csv'))) };
      assert.deepEqual([kind, message], ['failed', 'This file is not here any more: choose it again.']);
    }
  });

  test('ends with its desk, and one that writes may finish first', async (t) => {
    const { readers, folder, task } = await desk(t, { entry: BAD_READER });
    const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const write = { kind: 'import', expected: '' } as const;
    const reading = readers.run(task('waits.csv'), { onStart: started[0].resolve });
    const writing = readers.run(task('takes its time.csv', write), { onStart: started[1].resolve });
    const waiting = readers.run(task('answers.csv', write));
    const ended = [reading, waiting].map((one) => assert.rejects(one, { message: 'The desk is closing.' }));
    for (const { promise } of started) await promise;
    const closed = readers.close();
    await Promise.all(ended);
    await writeFile(join(folder, 'go'), '');
    assert.deepEqual(await writing, { kind: 'failed', message: 'as asked' });
    await closed;
    await assert.rejects(readers.run(task('answers.csv')), { message: 'The desk is closing.' });
  });

  test('that writes for too long is ended with its desk, too', async (t) => {
    const { readers, task } = await desk(t, { entry: BAD_READER, stopMs: 1 });
    const { promise: started, resolve: onStart } = Promise.withResolvers<void>();
    const write = { kind: 'import', expected: '' } as const;
    const ended = assert.rejects(readers.run(task('waits.csv', write), { onStart }), {
      message: 'The desk is closing.',
    });
    await started;
    await readers.close();
    await ended;
  });

  test('ends with a desk that is killed, even while it hears nothing', async (t) => {
    const { task } = await desk(t);
    const script = `import { makeReaders } from ${JSON.stringify(READERS)};
      const task = ${JSON.stringify(task('spins.csv'))};
      makeReaders({ entry: new URL(${JSON.stringify(BAD_READER.href)}) }).run(task).catch(() => undefined);`;
    const killed = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
    t.after(() => killTree(killed.pid));
    await until('its reader spins', () => childrenOf(killed.pid).some((pid) => ticksOf(pid) > 50));
    const [reader = 0] = childrenOf(killed.pid);
    killed.kill('SIGKILL');
    await until('its reader has ended', () => !isAlive(reader));
  });
});

/** How much of a processor it has used, in hundredths of a second. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

test('a workbook of many rows in a few bytes costs a sentence', async (t) => {
  const { readers, task, run, upload } = await desk(t);
  await run(acme([]));
  const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const row = (...cells: readonly string[]) =>
    `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`;
  const head = row('date', 'start_time', 'end_time', 'group', 'publish_date');
  const rows = row('never', '9:00', '17:00', 'Bar', '2026-01-01').repeat(isLong ? 1_500_000 : 2_000);
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
  assert.ok(result.more > 1_000);
  assert.deepEqual(first?.cell, { sheet: 1, line: 2, column: 0, heading: 'date' });
});
