/** A file that was given to a page: mistakes with their cells, a preview, and an import of exactly what it showed. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer } from '../../src/import/questions.ts';
import type { ReadWith } from '../../src/import/upload.ts';
import { DATABASES } from '../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { xlsx } from './sheet/make-workbook.ts';
import { NOW_MS, uploader } from './uploader.ts';

const HEADER = 'date,start_time,end_time,group,person,publish_date';
const row = (day: number, person = 'Ada', start = '9:00') =>
  `2027-06-${String(day).padStart(2, '0')},${start},17:00,Kitchen,${person},2026-01-01`;
const sheet = (...rows: readonly string[]) => [HEADER, ...rows].join('\n');
const REMOVE: Answer = ['replace-days', 'true'];
const KEEP: Answer = ['replace-days', 'false'];
const TODAY: Answer = ['published-from', 'today'];

for (const database of DATABASES.slice(0, often(1, 2)))
  describe(`a preview, on ${database}`, () => {
    test('is what an import writes, and nothing else', async (t) => {
      const { run, preview, read, contents } = await uploader(t, database);
      await run(acme([]));
      const file = sheet(row(1), row(2, 'Bo'));
      const shown = await preview(file);
      assert.deepEqual(shown.counts.shifts, { added: 2, changed: 0, removed: 0, unchanged: 0 });
      assert.equal((await contents()).shifts, 0);
      const again = await preview(file);
      assert.equal(again.digest, shown.digest, 'the same of the same');
      const entries: number[] = [];
      const onEntry = async (id: number) => void entries.push(id);
      const done = await read(file, [], { kind: 'import', expected: shown.digest }, { onEntry });
      assert.ok(done.kind === 'imported', JSON.stringify(done));
      assert.equal(done.headline, 'Imported plan.csv into acme: 2 shifts added; 2 people added.');
      assert.deepEqual(entries, [done.entry]);
      assert.equal((await contents()).shifts, 2);
    });

    test('of an account that was changed since is made anew, and nothing is written', async (t) => {
      const { run, preview, read, plan, store, account } = await uploader(t, database);
      await run(acme([shift('2027-05-01', { id: 1 })]));
      const file = sheet(row(1));
      const changes: readonly (() => Promise<unknown>)[] = [
        () => run(acme([], { people: [{ id: 7, name: 'Ada' }] })),
        () => run(acme([], { account: { ...ACME, name: 'Acme & Co' } })),
        async () => store.change('groups', (await account()).id, KITCHEN.id, { name: 'Cooks' }),
      ];
      for (const change of changes) {
        const { digest } = await preview(file);
        await change();
        const before = await plan();
        const result = await read(file, [], { kind: 'import', expected: digest });
        assert.ok(result.kind === 'preview' && result.isChangedSince, JSON.stringify(result));
        assert.notEqual(result.digest, digest);
        assert.deepEqual(await plan(), before);
      }
    });

    test('stays valid when only what it does not touch has changed', async (t) => {
      const { run, preview, read } = await uploader(t, database);
      await run(acme([shift('2027-05-01', { id: 1 })]));
      const { digest } = await preview(sheet(row(1)));
      await run(acme([{ id: 1, remarks: 'Keys' }]));
      const result = await read(sheet(row(1)), [], { kind: 'import', expected: digest });
      assert.equal(result.kind, 'imported');
    });
  });

for (const database of DATABASES.slice(0, often(1, 2)))
  test(`what is not in a file is asked about, of its days and groups alone, on ${database}`, async (t) => {
    const { run, preview, questions, read, records } = await uploader(t, database);
    const juneOf = (days: readonly number[], fields = {}) =>
      days.map((day) => shift(`2027-06-${String(day).padStart(2, '0')}`, fields));
    const people = [
      { id: 5, name: 'Ada' },
      { id: 6, name: 'Bo' },
    ];
    const groups = [KITCHEN, { id: 2, name: 'Bar' }];
    const [ada] = juneOf([2], { person_id: 5 });
    const stale = juneOf([1, 2, 3], { person_id: 6 });
    const others = [...juneOf([2], { group_id: 2 }), ...juneOf([4, 30])];
    await run(acme([...(ada ? [ada] : []), ...stale, ...others], { people, groups }));
    // Ada's shift begins later now: that is a changed one, whatever becomes of the others.
    const file = sheet(row(2, 'Ada', '10:00'), row(1), row(3, 'Chloé', '12:00'));
    const shown = await preview(file);
    assert.deepEqual(shown.counts.shifts, { added: 2, changed: 1, removed: 0, unchanged: 0 });
    assert.partialDeepStrictEqual(shown.left, {
      message: '3 shifts of Kitchen from 1 to 3 June 2027 are not in this file.',
      choices: [
        { value: 'true', label: 'Remove them: the file is the plan of these days' },
        { value: 'false', label: 'Keep them: the file adds to the plan' },
      ],
    });
    assert.equal(shown.left?.answer, undefined);
    const unasked = await read(file, [], { kind: 'import', expected: shown.digest });
    assert.ok(unasked.kind === 'questions' && unasked.questions[0]?.id === 'replace-days');
    assert.equal((await preview(file, [KEEP])).left?.answer?.value, 'false');
    // More than half of the four that it covers.
    const asked = await questions(file, [REMOVE]);
    assert.equal(
      asked['allow-removals']?.message,
      'The import would remove 3 of the 4 shifts of these days and groups.',
    );
    const answers = [REMOVE, ['allow-removals', 'true']] as const;
    const { digest, counts } = await preview(file, answers);
    assert.equal(counts.shifts.removed, 3);
    const done = await read(file, answers, { kind: 'import', expected: digest });
    assert.ok(done.kind === 'imported', JSON.stringify(done));
    const ids = (await records('shifts')).map(({ id }) => id);
    assert.ok([ada, ...others].every((one) => one && ids.includes(one.id)));
    assert.equal(ids.length, 6);

    // A document has ids, so nothing of it has moved; it is asked the same, and removes nothing but shifts.
    const document = JSON.stringify({
      account: { slug: 'acme' },
      shifts: juneOf([1, 3], { id: 99 }).slice(0, 1),
    });
    const json = await preview(document, [['date-format', 'D/M/YYYY']], { name: 'plan.json' });
    assert.equal(json.left?.message, '1 shift of Kitchen on 1 June 2027 is not in this file.');
    assert.deepEqual(Object.keys(await questions(document, [REMOVE], { name: 'plan.json' })), [
      'allow-removals',
    ]);
    const gone = await preview(document, answers, { name: 'plan.json' });
    assert.deepEqual([gone.counts.shifts.removed, gone.counts.people.removed], [1, 0]);
  });

describe('mistakes', () => {
  test('name neither options nor our names of columns', async (t) => {
    const { run, read } = await uploader(t);
    await run({ account: ACME });
    for (const content of ['id,Date,Start,Start', 'id,Date,Start\n7.0,2027-06-03,9:00\n,2027-06-04,9:00']) {
      const result = await read(content);
      assert.ok(result.kind === 'mistakes', JSON.stringify(result));
      for (const { message } of result.problems) assert.doesNotMatch(message, /--|ignore-columns|\w_\w/);
    }
  });

  test('have their cells, with the rows around them and the headings', async (t) => {
    const { run, read } = await uploader(t);
    await run(acme([]));
    const rows = Array.from({ length: 20 }, (_, i) => row(i + 1, i === 9 ? 'Ada' : 'Bo'));
    const file = ['Plan of June', HEADER, ...rows.with(9, row(10).replace('9:00', '25 past'))].join('\n');
    const result = await read(file);
    assert.ok(result.kind === 'mistakes', JSON.stringify(result));
    assert.equal(result.headline, 'Nothing was imported: the document has a problem.');
    assert.equal(result.more, 0);
    assert.deepEqual(result.problems[0]?.cell, { sheet: 1, line: 12, column: 1, heading: 'start_time' });
    assert.deepEqual(
      result.sheets[0]?.rows.map(({ line }) => line),
      [2, 10, 11, 12, 13, 14],
    );
    assert.equal(result.sheets[0]?.rows[3]?.cells[1], '25 past');
  });

  test('of a roster in the second sheet are found there', async (t) => {
    const { run, read } = await uploader(t);
    await run(acme([]));
    const book = xlsx([
      { name: 'Notes', rows: [['nothing']] },
      {
        name: 'June',
        rows: [
          ['person', '2027-06-01', '2027-06-02', '2027-06-03'],
          ['Ada', '9-17', '9-17', ''],
          ['Bo', '9-17', '9-17=x', '9-17'],
        ],
      },
    ]);
    const result = await read(
      book,
      [
        ['group', 'Kitchen'],
        ['published-from', 'today'],
      ],
      { name: 'plan.xlsx' },
    );
    assert.ok(result.kind === 'mistakes', JSON.stringify(result));
    assert.deepEqual(result.problems[0]?.cell, { sheet: 2, line: 3, column: 2 });
    assert.equal(result.sheets[0]?.name, 'June');
    assert.equal(result.sheets[0]?.rows.length, 3);
  });

  test('of a document have places', async (t) => {
    const { run, read } = await uploader(t);
    await run(acme([]));
    const document = JSON.stringify({ account: { slug: 'acme' }, shifts: [{ id: 1, end_time: '25:61' }] });
    const result = await read(document, [], { name: 'plan.json' });
    assert.ok(result.kind === 'mistakes');
    assert.equal(result.problems[0]?.place, 'shifts[0].end_time (id 1)');
    assert.deepEqual(result.sheets, []);
  });
});

test('an answer that was meant for another file is left out', async (t) => {
  const { run, preview } = await uploader(t);
  await run(acme([]));
  const shown = await preview(sheet(row(1)), [
    ['ignore-columns', 'Uren'],
    ['columns', 'remarks=Notities'],
    ['group', 'Bar'],
  ]);
  assert.deepEqual(
    shown.answers.map(({ option, text }) => [option, text]),
    [['group', 'Bar']],
  );
});

describe('the layout of a file', () => {
  const LIST = 'Datum,Von,Ende,Team\n3/6/2027,9:00,17:00,Bar';
  const book = (name: string, cell: string) =>
    xlsx([
      {
        name,
        rows: [
          ['Datum', 'Von', 'Ende'],
          [cell, '9:00', '17:00'],
        ],
      },
    ]);
  const roster = (people: string, ...days: string[]) =>
    `Name,${days.join()}\n${people},${days.map(() => 'E').join()}`;

  test('is the same for files whose headings are, whatever else they hold', async (t) => {
    const { run, read } = await uploader(t);
    await run(acme([]));
    const layoutOf = async (content: string | Buffer, name = 'plan.csv', answers: readonly Answer[] = []) => {
      const result = await read(content, answers, { name });
      assert.ok('layout' in result, JSON.stringify(result));
      return result.layout;
    };
    const same: readonly (readonly [string | Buffer, string | Buffer, name?: string])[] = [
      [LIST, LIST.replace('3/6', '25/12').replace('Bar', 'Kitchen')],
      [LIST, `Plan of March\n\n${LIST.toUpperCase()}`],
      [roster('Ada', '1/3/2027', '2/3/2027'), roster('Bo', '1/4/2027', '2/4/2027', '3/4/2027')],
      [book('Kitchen March 2027', '3/6/2027'), book('Kitchen May', '25/12/2027'), 'plan.xlsx'],
    ];
    for (const [one, other, name] of same)
      assert.equal(await layoutOf(one, name), await layoutOf(other, name), String(other));
    const different: string[] = [];
    for (const [content, name] of [
      [LIST],
      [LIST.replace('Ende', 'Bis')],
      [roster('Ada', '1/3/2027', '2/3/2027')],
      [book('Kitchen', '3/6/2027'), 'plan.xlsx'],
      [book('Bar', '3/6/2027'), 'plan.xlsx'],
      ['{"account":{"slug":"acme"}}', 'plan.json'],
    ] as const)
      different.push(await layoutOf(content, name));
    assert.equal(new Set(different).size, different.length);
    // What was answered does not change it.
    const latin = Buffer.from(LIST.replace('Team', 'Équipe'), 'latin1');
    const encoding: Answer = ['encoding', 'windows-1252'];
    assert.equal(await layoutOf(latin), await layoutOf(latin, 'plan.csv', [encoding]));
    assert.equal(await layoutOf(LIST, 'plan.csv', [['date-format', 'D/M/YYYY'], TODAY]), different[0]);
  });

  test('brings the answers that were kept for it, once, and those of the page win', async (t) => {
    const { run, read, preview, store } = await uploader(t);
    await run(acme([]));
    const { id = 0 } = (await store.findAccount('acme')) ?? {};
    const asked = await read(LIST);
    assert.ok(asked.kind === 'questions');
    const { layout } = asked;
    assert.deepEqual([asked.answers, asked.keptAt], [[], undefined]);
    const answers = JSON.stringify([['date-format', 'D/M/YYYY'], TODAY]);
    await store.saveDeskLayout(id, layout, { answers, usedAtMs: NOW_MS });
    const told = ({ answers: given }: ReadWith) => given.map(({ text, isKept }) => [text, isKept]);
    const shown = await preview(LIST);
    assert.equal(shown.keptAt, '2026-11-16T12:00:00.000Z');
    assert.deepEqual(told(shown), [
      ['day/month/year', true],
      ['Today', true],
    ]);
    assert.deepEqual(told(await preview(LIST, [['date-format', 'M/D/YYYY']])), [
      ['month/day/year', false],
      ['Today', true],
    ]);
    const changed = await read(LIST, [], { layout });
    assert.ok(changed.kind === 'questions', 'without its answers, it asks again');
    const wrong = await read(LIST.replace('3/6/2027', '41234'));
    assert.ok(wrong.kind === 'mistakes');
    assert.deepEqual(told(wrong), told(shown), 'mistakes tell with what it was read');
    const other = await read(LIST.replace('Ende', 'Bis'));
    assert.ok(other.kind === 'questions');
    assert.deepEqual(other.answers, []);
  });
});

test('of several sheets, each has the answers of its own layout, and all together have theirs', async (t) => {
  const { run, read, store } = await uploader(t);
  await run(acme([]));
  const { id = 0 } = (await store.findAccount('acme')) ?? {};
  const rows = [
    ['Datum', 'Von', 'Ende'],
    ['2027-06-03', '9:00', '17:00'],
  ];
  const book = xlsx([
    { name: 'Kitchen', rows },
    { name: 'Bar', rows },
  ]);
  const readWith = async (answers: readonly Answer[], layout?: string) => {
    const result = await read(book, answers, { name: 'plan.xlsx', layout });
    assert.ok('layout' in result, JSON.stringify(result));
    return { ...result, given: result.answers.map(({ option, value }) => `${option} ${value}`) };
  };
  const first = await readWith([]);
  const [kitchen, bar] = [await readWith([['sheet', 'Kitchen']]), await readWith([['sheet', 'Bar']])];
  assert.equal(new Set([first, kitchen, bar].map(({ layout }) => layout)).size, 3);
  const answers = JSON.stringify([['group', 'Kitchen'], TODAY]);
  await store.saveDeskLayout(id, kitchen.layout, { answers, usedAtMs: NOW_MS });
  assert.deepEqual((await readWith([])).given, [], 'which sheet is asked every time');
  const chosen = await readWith([['sheet', 'Kitchen']], first.layout);
  assert.deepEqual(chosen.given.toSorted(), ['group Kitchen', 'published-from today', 'sheet Kitchen']);
  assert.deepEqual((await readWith([['sheet', 'Bar']], first.layout)).given, ['sheet Bar']);
  const all: readonly Answer[] = [['sheet', 'all']];
  await store.saveDeskLayout(id, first.layout, { answers: JSON.stringify(all), usedAtMs: NOW_MS });
  assert.deepEqual((await readWith([])).given, ['sheet all']);
});

test('what a page cannot give is refused', async (t) => {
  const { run, read } = await uploader(t);
  await run(acme([]));
  for (const name of ['premium', 'account', 'dry-run', 'nonsense'])
    for (const file of ['plan.csv', 'plan.json'])
      await assert.rejects(read('{}', [[name, 'true']], { name: file }), {
        message: `A page cannot give "${name}".`,
      });
});

test('a document for another account, and a file of another kind, are refused', async (t) => {
  const { run, read } = await uploader(t);
  await run(acme([]));
  await assert.rejects(read('{"account": {"slug": "other"}}', [], { name: 'plan.json' }), {
    message: 'Nothing was imported: the document is for the account "other", not "acme".',
  });
  assert.equal((await read('', [], { name: 'plan.exe' })).kind, 'failed');
});

test('a mistake after more questions than are asked at once is told with them', async (t) => {
  const { run, read } = await uploader(t);
  await run(acme([]));
  const rows = Array.from({ length: 250 }, (_, i) => `2027-06-01,C${i},Bar,Ada`);
  const result = await read(['Date,Time,Team,Name', ...rows, 'never,9-17,Bar,Ada'].join('\n'), [
    ['published-from', 'today'],
  ]);
  assert.ok(result.kind === 'questions', JSON.stringify(result).slice(0, 500));
  assert.deepEqual(
    result.mistakes?.map(({ place }) => place),
    ['line 252, Date'],
  );
});

test('what a cell holds is quoted as it is, whatever it looks like', async (t) => {
  const { run, read } = await uploader(t);
  await run(acme([]));
  const result = await read(sheet(row(1, 'Ada', '--late end_time')).replace('start_time', 'Von'));
  assert.ok(result.kind === 'mistakes', JSON.stringify(result));
  const [problem] = result.problems;
  assert.match(problem?.message ?? '', /^"--late end_time" is not a time/);
  assert.deepEqual(
    [problem?.place, problem?.cell],
    ['line 2, Von', { sheet: 1, line: 2, column: 1, heading: 'Von' }],
  );
});
