/** A large document is read in a thread, and nobody could tell by what is read. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { type DocumentPart, packPart, unpackPart } from '../../src/import/document.ts';
import type { SheetTask } from '../../src/import/options.ts';
import { readInThread, readingFor, readParts, type ThreadOptions } from '../../src/import/read.ts';
import { readHere } from '../../src/import/read-here.ts';
import { anyCharacter } from '../support/any-character.ts';
import { until } from '../support/until.ts';
import { BARE_SHIFT } from './importer.ts';
import { readSheetText, readText } from './reading.ts';

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
      const inThread = await Array.fromAsync(readParts(piecesOf(bytes), options, undefined, 1));
      assert.deepEqual(meaning(inThread), meaning(await Array.fromAsync(readHere(piecesOf(bytes), options))));
    });
  }
});

describe('whatever a document says goes from thread to thread unchanged', () => {
  const onTheWay = (parts: readonly DocumentPart[]) =>
    parts.map((part) => unpackPart(structuredClone(packPart(part))));

  test('in JSON', async () => {
    const id = fc.constantFrom(1, 2, 2 ** 53 - 1, null, 'x', -1);
    const date = fc.constantFrom('2026-12-01', '2026-12-02', '9999-12-31', '2026-02-30', null);
    const time = fc.constantFrom('09:00', '17:00', '24:00', 9);
    const flag = fc.constantFrom(true, false, 'yes');
    const shift = fc.record(
      {
        id,
        date,
        start_time: time,
        end_time: time,
        end_date: date,
        group_id: id,
        location_id: id,
        person_id: id,
        publish_date: date,
        remarks: fc.oneof(fc.string({ unit: anyCharacter }), fc.constant(null)),
        starred: flag,
        cancelled: flag,
        noshow: flag,
        other: flag,
      },
      { requiredKeys: ['id', 'date', 'start_time', 'end_time', 'group_id', 'publish_date'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.constant(BARE_SHIFT), shift)), async (shifts) => {
        const parts = await readText(JSON.stringify({ account: ACCOUNT, groups: [{ id: 1 }], shifts }));
        assert.deepEqual(meaning(onTheWay(parts)), meaning(parts));
      }),
    );
  });

  test('in a sheet', async () => {
    const columns = ['id', 'date', 'start_time', 'end_time', 'end_date', 'group', 'location', 'address'];
    const more = ['person', 'publish_date', 'remarks', 'starred', 'cancelled', 'noshow'];
    const cell = fc.constantFrom('', '', '1', '7', '2026-12-01', '09:00', 'x', 'no', 'Bar', '"Zoë, 🎉"');
    const sheet = fc
      .subarray([...columns, ...more])
      .chain((header) =>
        fc
          .array(fc.array(cell, { minLength: header.length, maxLength: header.length }))
          .map((lines) => [header, ...lines].map((cells) => cells.join(',')).join('\n')),
      );
    await fc.assert(
      fc.asyncProperty(sheet, async (text) => {
        const parts = await readSheetText(text);
        assert.deepEqual(meaning(onTheWay(parts)), meaning(parts));
      }),
    );
  });
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
        'import { workerData } from "node:worker_threads"; workerData.parts.postMessage({ value: {} }); for (;;);',
      ),
    });
    await parts.next();
    const next = parts.next();
    const reason = new Error('stopped');
    stopping.abort(reason);
    await assert.rejects(next, (error) => error === reason);
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
