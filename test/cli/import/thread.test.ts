/** A large document is read in a thread, and nobody could tell by what is read. */

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { readInThread, readIsolated, type ThreadOptions } from '../../../src/cli/import/isolated.ts';
import type { DocumentPart } from '../../../src/import/document.ts';
import type { SheetTask } from '../../../src/import/options.ts';
import { readingFor, readParts } from '../../../src/import/read.ts';
import { BARE_SHIFT } from '../../import/importer.ts';
import { until } from '../../support/until.ts';

const ACCOUNT = { slug: 'acme', name: 'Zoë & Łukasz 🎉' };
const SHEET: SheetTask = {
  account: { slug: 'acme' },
  columnNames: new Map([['date', 'Datum']]),
  ignoredColumns: ['Notiz'],
  dateFormat: 'D.M.YYYY',
  publishedFrom: '2026-01-01',
};

describe('a document that is read in a thread has the same parts', () => {
  const shifts = Array.from({ length: 2_500 }, (_, i) => ({ ...BARE_SHIFT, id: i + 1, remarks: `é🎉 ${i}` }));
  const document = {
    account: ACCOUNT,
    colour: 'blue',
    tokens: [
      ...Array.from({ length: 1_500 }, (_, i) => ({ hash: String(i).padStart(64, '0') })),
      { hash: 1 },
    ],
    groups: [
      { id: 1, name: 'Bar' },
      { id: '2', nam: 'Kitchen' },
    ],
    shifts: [...shifts, { id: 7, end_time: '25:61' }, 'no shift', { ...BARE_SHIFT, end_time: '09:00' }],
  };
  const json = JSON.stringify(document);
  const rows = [
    'id;Datum;start_time;end_time;group;location;address;person;starred;Notiz',
    '1;1.12.2026;9:00;17:00;Bar;Hall;"Main\nStreet 1";Zoë;x;a',
    ';2.12.2026;22:00;06:00;Bar;;;;;',
    '3;31.2.2026;22:00;06:00;Bar;;;;perhaps;',
    '4;3.12.2026;22:00;06:00',
  ];
  const sheet = Buffer.from(`${rows.join('\r\n')}\r\n`);
  const cases: [name: string, bytes: Buffer, sheet: SheetTask | undefined][] = [
    ['JSON with problems', Buffer.from(json), undefined],
    ['JSON that breaks off', Buffer.from(json.slice(0, 300_000)), undefined],
    ['a sheet with problems', sheet, SHEET],
    ['a sheet with a wrong header', sheet, { ...SHEET, ignoredColumns: [] }],
    ['a sheet that stops being UTF-8', Buffer.concat([sheet, Buffer.from('5;\xe9', 'latin1')]), SHEET],
  ];
  for (const [name, bytes, options] of cases) {
    test(name, async () => {
      const inThread = await Array.fromAsync(readIsolated(piecesOf(bytes), options, undefined, 1));
      assert.deepEqual(
        meaning(inThread),
        meaning(await Array.fromAsync(readParts(piecesOf(bytes), options))),
      );
    });
  }
});

describe('the thread that reads', () => {
  test('is held up by a slow import, so that memory stays bounded', async () => {
    const chunks = 40;
    const source = manyShifts(chunks);
    let parts = 0;
    for await (const part of readInThread(source.bytes(), undefined)) {
      // The other side gets time to run ahead.
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      if ('table' in part) parts++;
      assert.ok(source.given() - parts <= 20, `${source.given()} chunks were read for ${parts} parts`);
    }
    assert.equal(parts, chunks);
  });

  test('ends when the import does, and lets go of the file', async () => {
    const source = manyShifts(1_000);
    for await (const part of readInThread(source.bytes(), undefined)) if ('table' in part) break;
    await until('the file is closed', source.isClosed);
    assert.ok(source.given() < 100);
  });

  test('passes on why a file cannot be read', async () => {
    const failure = new Error('EIO: i/o error, read');
    async function* bytes() {
      yield* manyShifts(3).bytes();
      throw failure;
    }
    await assert.rejects(Array.fromAsync(readInThread(bytes(), undefined)), (error) => error === failure);
  });

  const script = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

  test('ends as soon as it is told to, even if it never pauses', async () => {
    const stopping = new AbortController();
    const parts = readInThread(manyShifts(3).bytes(), undefined, {
      stop: stopping.signal,
      script: script(
        'import { parentPort } from "node:worker_threads"; parentPort.once("message", ({ parts }) => { parts.postMessage({ value: {} }); for (;;); });',
      ),
    });
    await parts.next();
    const next = parts.next();
    const reason = new Error('stopped');
    stopping.abort(reason);
    await assert.rejects(next, (error) => error === reason);
  });

  /** The threads that are started during the test. */
  function startedThreads(t: TestContext): readonly Worker[] {
    const started: Worker[] = [];
    const note = (message: unknown) => started.push((message as { worker: Worker }).worker);
    subscribe('worker_threads', note);
    t.after(() => unsubscribe('worker_threads', note));
    return started;
  }

  const readShifts = async (chunks: number) =>
    (await Array.fromAsync(readInThread(manyShifts(chunks).bytes(), undefined))).length;

  test('reads the next small file, too, and none after a large one', async (t) => {
    await readShifts(1);
    const started = startedThreads(t);
    const parts = await readShifts(1);
    assert.equal(await readShifts(1), parts);
    assert.equal(started.length, 0);
    const chunks =
      Math.ceil(1_000_000 / Buffer.byteLength(`${JSON.stringify(BARE_SHIFT)},`.repeat(1_000))) + 1;
    await readShifts(chunks);
    assert.equal(started.length, 0);
    await readShifts(1);
    assert.equal(started.length, 1);
  });

  test('is replaced if it ended while it waited for the next file', async (t) => {
    await readShifts(20);
    const started = startedThreads(t);
    const parts = await readShifts(1);
    assert.equal(started.length, 1);
    await started[0]?.terminate();
    assert.equal(await readShifts(1), parts);
    assert.equal(started.length, 2);
  });

  test('is not started after it was told to stop', async () => {
    const parts = readInThread(manyShifts(3).bytes(), undefined, { stop: AbortSignal.abort() });
    await assert.rejects(parts.next(), { name: 'AbortError' });
  });

  const SMALLER = 'save the rows and columns of the plan in a file of their own, and import that';
  const excesses: [name: string, options: ThreadOptions, message: string][] = [
    [
      'works too long on a part',
      { script: script('for (;;);'), maxPartMs: 20 },
      'it takes longer than 0.02 seconds to read on',
    ],
    [
      'takes too much memory',
      { script: script('const all = []; for (;;) all.push([...all, 1]);'), maxMemoryMb: 20 },
      'it takes more than 20 MB of memory',
    ],
  ];
  for (const [name, options, message] of excesses) {
    test(`is ended with a sentence if it ${name}`, async () => {
      const parts = readInThread(manyShifts(3).bytes(), undefined, options);
      await assert.rejects(Array.fromAsync(readingFor(undefined, 'plan.json', parts)), {
        name: 'ReadingFailed',
        message: `Nothing was imported: plan.json could not be read, because ${message}: ${SMALLER}.`,
      });
    });
  }

  const deaths: [name: string, code: string, message: string][] = [
    ['of an error', 'throw new Error("out of memory")', 'the thread that reads it ended: out of memory'],
    ['without a word', 'process.exit(0)', 'the thread that reads it ended'],
  ];
  for (const [name, code, message] of deaths) {
    test(`is missed when it dies ${name}`, async () => {
      const parts = readInThread(manyShifts(100).bytes(), undefined, { script: script(code) });
      await assert.rejects(Array.fromAsync(readingFor(undefined, 'plan.json', parts)), {
        name: 'ReadingFailed',
        message: `Nothing was imported: plan.json could not be read, because ${message}.`,
      });
    });
  }
});

/** Both ways of reading may cut a document differently, complete a shift, or name a field that has no value. */
function meaning(parts: readonly DocumentPart[]): unknown {
  return JSON.parse(JSON.stringify(parts));
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 50_000) yield bytes.subarray(start, start + 50_000);
}

/** A document of which each chunk has as many shifts as a part. */
function manyShifts(chunks: number) {
  let given = 0;
  let isClosed = false;
  const text = `${JSON.stringify(BARE_SHIFT)},`.repeat(1_000);
  return {
    async *bytes(): AsyncGenerator<Uint8Array> {
      try {
        for (; given < chunks; given++) {
          const start = given === 0 ? `{"account": {"slug": "acme"}, "shifts": [` : '';
          yield Buffer.from(given === chunks - 1 ? `${start}${text.slice(0, -1)}]}` : `${start}${text}`);
        }
      } finally {
        isClosed = true;
      }
    },
    given: () => given,
    isClosed: () => isClosed,
  };
}
