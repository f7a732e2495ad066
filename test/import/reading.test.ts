/** A document is read piece by piece, and what is wrong with it is told by place, whatever its size. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';
import { often } from '../support/strength.ts';
import { importer } from './importer.ts';
import { problemsOfText, readText } from './reading.ts';

const ACCOUNT = '"account": {"slug": "acme"}';
const MEGABYTE = 1_000_000;

describe('a document', () => {
  const text = JSON.stringify({
    $schema: { about: ['this', { is: 'for editors' }] },
    account: { slug: 'acme', name: 'Łukasz & Zoë 🎉' },
    groups: [{ id: 1, name: 'a "quoted" \\ name, {with} [brackets]: and 🎉' }, { id: 2 }],
    people: null,
    shifts: [{ id: 1, remarks: null }, { id: 2.0, starred: true }, { id: 3 }],
  });

  test('has the same parts in pieces of any size', async () => {
    const whole = await readText(text);
    assert.equal(whole.length, 3);
    for (const spaced of [text, JSON.stringify(JSON.parse(text), undefined, 2)]) {
      for (const size of [1, 2, 3, 7, 100]) assert.deepEqual(await readText(spaced, size), whole);
    }
  });

  test('may have its keys in any order: shifts come before the account and the groups', async (t) => {
    const { importText, contents } = await importer(t);
    await importText(`{"shifts": [{"id": 1, "date": "2026-12-01", "start_time": "09:00", "end_time": "17:00",
      "group_id": 1, "publish_date": "2026-01-01"}], "groups": [{"id": 1, "name": "Bar"}], ${ACCOUNT}}`);
    assert.partialDeepStrictEqual(await contents(), { groups: 1, shifts: 1 });
  });

  test('hands on many records in several parts', async () => {
    const groups = Array.from({ length: 2_500 }, (_, i) => ({ id: i + 1 }));
    const parts = await readText(JSON.stringify({ account: { slug: 'acme' }, groups }));
    const records = parts.flatMap((part) => ('table' in part && part.table === 'groups' ? part.records : []));
    assert.deepEqual(records, groups);
    assert.ok(parts.length > 3);
  });

  test('is told by line and column where it is not UTF-8, in pieces of any size', async () => {
    const cases: [marked: string, encoding: BufferEncoding, position: string][] = [
      [`{${ACCOUNT},\n "x": "Caf\xe9"}`, 'latin1', 'line 2, column 11'],
      [`{${ACCOUNT}} \xe9`, 'latin1', 'line 1, column 31'],
      [`{${ACCOUNT}}\n\n\xc3`, 'latin1', 'line 3, column 1'],
      [`{${ACCOUNT}, "\xc3\xa9\xf0\x9f\x8e\x89\xff": 1}`, 'latin1', 'line 1, column 35'],
      [`{${ACCOUNT}, "\xed\xa0\x80": 1}`, 'latin1', 'line 1, column 32'],
      [`\ufeff{${ACCOUNT}}`, 'utf16le', 'line 1, column 1'],
    ];
    for (const [text, encoding, position] of cases) {
      for (const size of [1, 2, 3, 1000]) {
        const [problem] = await problemsOfText(Buffer.from(text, encoding), size);
        const message = `the file is not UTF-8 at ${position}`;
        assert.deepEqual(problem, { place: '', message }, `${JSON.stringify(text)} by ${size}`);
      }
    }
  });

  test('may have any character at the edge of a piece', async () => {
    const name = '\ufeffé€🎉\ufffd'.repeat(3);
    const json = `\ufeff${JSON.stringify({ account: { slug: 'acme', name } })}`;
    for (const size of [1, 2, 3, 4, 5, 1000]) {
      assert.deepEqual(await readText(json, size), [{ account: { slug: 'acme', name } }]);
    }
  });
});

describe('a key that is there twice is a problem', () => {
  const cases: [name: string, marked: string, place: string][] = [
    ['in a record', `{${ACCOUNT}, "shifts": [{"id": 1}, {"id": 1, ¦"id": 2}]}`, 'shifts[1].id'],
    ['in the account', '{"account": {"slug": "a", ¦"slug": "b"}}', 'account.slug'],
    ['in the document', `{${ACCOUNT},\n "groups": [], ¦"groups": [1]}`, 'groups'],
    ['written in two ways', `{${ACCOUNT}, "people": [{"id":1, ¦"\\u0069d":1}]}`, 'people[0].id'],
    ['deep inside', `{${ACCOUNT}, "$schema": {"a": [{"b": 1,\n¦"b": 2}]}}`, '["$schema"].a[0].b'],
  ];
  for (const [name, marked, place] of cases) {
    test(name, async () => {
      const { json, position } = unmarked(marked);
      for (const size of [1, 1000]) {
        assert.deepEqual(await problemsOfText(json, size), [
          { place, message: `the key is there for a second time (${position})` },
        ]);
      }
    });
  }

  test('and each of several is told', async () => {
    const json = `{${ACCOUNT}, "shifts": [{"id": 1, "id": 2, "id": 3}, {"id": 4, "date": "2026-12-01", "date": "2026-12-02"}]}`;
    assert.deepEqual(
      (await problemsOfText(json)).map(({ place }) => place),
      ['shifts[0].id', 'shifts[0].id', 'shifts[1].date'],
    );
  });
});

describe('a text that stops being JSON is told by line and column', () => {
  const cases: (string | [marked: string, why: string])[] = [
    ['¦', ': it is empty'],
    ['\n  ¦', ': it is empty'],
    '{"account"\n ¦5}',
    '{"account": ¦}',
    `{${ACCOUNT},¦}`,
    [`{${ACCOUNT}¦`, ': it ends too early'],
    [`{${ACCOUNT}, "shifts": [{"id": 1},\n ¦`, ': it ends too early'],
    [
      `{${ACCOUNT}, "shifts": [{"id": 1}, {"id": 2, "remarks": "a\\u00¦`,
      ': it ends too early, within what begins at line 1, column 53',
    ],
    [
      `{${ACCOUNT}, "shifts": [{"id": 1},\n {"id": 2, "starred": tr¦`,
      ': it ends too early, within what begins at line 2, column 2',
    ],
    // A bracket or a quote is missing, and everything that follows belongs to the record.
    `{${ACCOUNT}, "shifts": [{"id": 1},\n {"id": 2,\n ¦{"id": 3}, {"id": 4}]}`,
    `{${ACCOUNT}, "shifts": [{"id": 1},\n {"id": 2, "remarks": "a},¦\n {"id": 3}]}`,
    `{${ACCOUNT}}\n¦]`,
    `{${ACCOUNT}, "shifts": [{"id": 1},\n\n  ¦]}`,
    `{${ACCOUNT}, "shifts": [{"id": 1} ¦{"id": 2}]}`,
    `{${ACCOUNT}, "shifts": [\n{"id": ¦01}]}`,
    `{${ACCOUNT}, "shifts": [\n{"id": 1,\n "remarks": "a¦\nb"}]}`,
    `{${ACCOUNT}, "shifts": [{"id": 1, "remarks": "¦\\x"}]}`,
    `{${ACCOUNT}, "shifts": [{"id": 1, ¦id: 2}]}`,
    `{${ACCOUNT}, "shifts": [{"id": 1¦]}]}`,
    `{${ACCOUNT}, "shifts": [{"id": ¦1.}]}`,
    `{${ACCOUNT}, "shifts": [¦nul]}`,
    `{${ACCOUNT}, ¦'shifts': []}`,
    `{${ACCOUNT}, "a¦\tb": 1}`,
  ];
  for (const [marked, why] of cases.map((entry) => (typeof entry === 'string' ? [entry, ''] : entry))) {
    const { json, position } = unmarked(marked as string);
    test(JSON.stringify(json), async () => {
      const message = `the file is not valid JSON at ${position}${why}`;
      for (const size of [1, 5, 1000]) {
        assert.deepEqual(await problemsOfText(json, size), [{ place: '', message }]);
      }
    });
  }

  test('also where a record that never ends becomes too long', async () => {
    const shifts = Array.from({ length: 50_000 }, (_, i) => `\n{"id": ${i + 1}, "remarks": "some text"}`);
    shifts[100] = shifts[100]?.slice(0, -1) ?? '';
    assert.deepEqual(await problemsOfText(`{${ACCOUNT}, "shifts": [${shifts.join(',')}]}`), [
      { place: '', message: 'the file is not valid JSON at line 103, column 1' },
    ]);
  });

  test('after what was wrong until there, which is told as well', async () => {
    const json = `{${ACCOUNT}, "colour": 1, "shifts": [{"id": 0},\n{"id" 1}]}`;
    assert.deepEqual(
      (await problemsOfText(json)).map(({ place, message }) => place || message),
      ['the file is not valid JSON at line 2, column 7', 'colour', 'shifts[0].id'],
    );
  });

  test('and what JSON.parse takes or refuses is taken or refused here, in pieces of any size', async () => {
    const document = fc.record({
      account: fc.record({ slug: fc.string() }),
      groups: fc.array(fc.record({ id: fc.integer(), name: fc.string({ unit: anyCharacter }) }), {
        maxLength: 3,
      }),
      shifts: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
    });
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.nat(2),
      insert: fc.stringMatching(/^[{}[\]",:\\0-9.eE+\-tfnu \n]{0,2}$/),
    });
    await fc.assert(
      fc.asyncProperty(
        document,
        fc.option(change),
        fc.integer({ min: 1, max: 50 }),
        async (value, edit, size) => {
          const json = edited(JSON.stringify(value), edit);
          const problems = await problemsOfText(json, size);
          const isRefused = problems.some(({ message }) => message.startsWith('the file is not valid JSON'));
          if (isJson(json)) assert.equal(isRefused, false, json);
          else assert.ok(problems.length > 0, json);
        },
      ),
      { numRuns: often(75, 1_500) },
    );
  });
});

describe('a value that no record could have does no harm', () => {
  test('a text that is too long for its field is told with its field', async () => {
    const json = `{${ACCOUNT}, "shifts": [{"id": 1, "remarks": "${'x'.repeat(MEGABYTE / 2)}"}, {"id": 0}]}`;
    assert.deepEqual(
      (await problemsOfText(json)).map(({ place }) => place),
      ['shifts[0].remarks', 'shifts[1].id'],
    );
  });

  const long = 'x'.repeat(3 * MEGABYTE);
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const TOO_LONG = 'is longer than 1000000 characters';
  const TOO_DEEP = 'is nested more than 20 levels deep';
  const cases: [name: string, marked: string, place: string, message: string][] = [
    ['a long record', `{${ACCOUNT}, "shifts": [\n¦{"id": 1, "remarks": "${long}"}]}`, 'shifts[0]', TOO_LONG],
    ['a long text in a list', `{${ACCOUNT}, "people": [\n ¦"${long}"]}`, 'people[0]', TOO_LONG],
    ['a long value', `{${ACCOUNT}, "$schema": ¦"${long}"}`, '["$schema"]', TOO_LONG],
    ['a long number', `{${ACCOUNT}, "shifts": [¦1${'0'.repeat(3 * MEGABYTE)}]}`, 'shifts[0]', TOO_LONG],
    ['a long key', `{${ACCOUNT}, ¦"${long}": 1}`, '', `a key ${TOO_LONG}`],
    ['a deep record', `{${ACCOUNT}, "shifts": [¦${deep}]}`, 'shifts[0]', TOO_DEEP],
    ['a deep value', `{${ACCOUNT}, "$schema": ¦${deep}}`, '["$schema"]', TOO_DEEP],
    ['a deep document', `¦${deep}`, '', `the document ${TOO_DEEP}`],
  ];
  for (const [name, marked, place, message] of cases) {
    test(name, async () => {
      const { json, position } = unmarked(marked);
      assert.deepEqual(await problemsOfText(json), [{ place, message: `${message} (${position})` }]);
    });
  }

  test('a deep value of an unknown key', async () => {
    assert.deepEqual(await problemsOfText(`{${ACCOUNT}, "more": ${deep}}`), [
      { place: 'more', message: 'there is no such key' },
    ]);
  });
});

/** The place that is marked with ¦ in a text, and the text without the mark. */
function unmarked(marked: string): { json: string; position: string } {
  const [before = '', after = ''] = marked.split('¦');
  const lines = before.split('\n');
  return {
    json: before + after,
    position: `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`,
  };
}

function edited(json: string, edit: { at: number; remove: number; insert: string } | null): string {
  if (edit === null) return json;
  const at = Math.floor(edit.at * json.length);
  return json.slice(0, at) + edit.insert + json.slice(at + edit.remove);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('a small JSON document is read quickly', () => {
  const keys = often(50_000, 300_000);
  test(`with ${keys} unknown keys, one a line`, async () => {
    const parts = await readText(`{"account": {"slug": "acme"}${',\n"b": 1'.repeat(keys)}}`);
    assert.equal(parts.filter((part) => 'problem' in part).length, keys);
  });

  test('with a key that an object has 110,000 times', async () => {
    const problems = await problemsOfText(
      `{"account": {"slug": "acme"}, "shifts": [{"id": 1${',\n"id": 1'.repeat(110_000)}}]}`,
    );
    assert.equal(problems.length, 21);
    assert.deepEqual(problems[19], {
      place: 'shifts[0].id',
      message: 'the key is there for a second time (line 21, column 1)',
    });
    assert.equal(problems[20]?.message, 'has 109980 more problems');
  });
});
