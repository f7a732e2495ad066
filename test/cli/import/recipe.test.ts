/** Recipes: the options of a sheet in a file. */

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { importer } from '../../import/importer.ts';
import { shiftfeed as shiftfeedProcess } from '../../support/cli.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newFolder } from '../../support/database.ts';

/** Nothing of it is understood without options. */
const SHEET = 'Wann,Kommt,Geht,Wo,"Wer, bitte"\n3/6/2027,9,17,Küche,Ada\n4/6/2027,F,,Küche,Noor\n';
const RECIPE = {
  columns: { date: 'Wann', start_time: 'Kommt', end_time: 'Geht', group: 'Wo', person: 'Wer, bitte' },
  'date-format': 'D/M/YYYY',
  'published-from': '2026-11-01',
};
const ROWS = SHEET.replace(/^4.*\n/m, '');
/** The same without people, whose heading no command line can name. */
const WITHOUT_PEOPLE = 'Wann,Kommt,Geht,Wo\n3/6/2027,9,17,Küche\n';

describe('--recipe', () => {
  test('holds the options of the nightly line, and those of the command line win', async (t) => {
    const { run, dates, file } = await setUp(t, ROWS);
    await file('plan.json', RECIPE);
    const { code, stderr } = await run('--recipe', 'plan.json');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.deepEqual(await dates(), [['2027-06-03', '2026-11-01']]);

    await run('--recipe', 'plan.json', '--date-format', 'M/D/YYYY', '--published-from', '2026-11-02');
    assert.deepEqual(await dates(), [
      ['2027-03-06', '2026-11-02'],
      ['2027-06-03', '2026-11-01'],
    ]);
    await run('--recipe', 'plan.json', '--replace');
    assert.deepEqual(await dates(), [['2027-06-03', '2026-11-01']]);
  });

  test('has lists and pairs as JSON or as on the command line, to which the command line adds', async (t) => {
    const { run, records, file } = await setUp(
      t,
      `Uren,${ROWS.replaceAll('\n3', '\n8,3').replace(',"Wer, bitte"', ',Wer')}`,
    );
    await file('plan.json', {
      ...RECIPE,
      columns: 'date=Wann,start_time=Kommt,end_time=Geht,group=Nirgends',
      'ignore-columns': ['Uren'],
      replace: true,
      from: '2027-01-01',
    });
    const { code, stderr } = await run('--recipe', 'plan.json', '--columns', 'group=Wo,person=Wer');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.deepEqual(
      (await records('groups')).map(({ name }) => name),
      ['Küche'],
    );
    assert.deepEqual(
      (await records('people')).map(({ name }) => name),
      ['Ada'],
    );
  });

  test('can hold all that a roster needs', async (t) => {
    const roster = 'Name,1 March,2 March\nAda,F,frei\nNoor,frei,F\n';
    const { run, records, file } = await setUp(t, roster);
    await file('plan.json', {
      year: 2027,
      codes: { F: '06:00-14:00', frei: '' },
      group: 'Küche',
      'published-from': 'today',
      sheet: 1,
    });
    const { code, stderr } = await run('--recipe', 'plan.json');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.equal((await records('shifts')).length, 2);
  });

  test('has codes, of which those of the command line win and the others stay', async (t) => {
    const { run, records, file } = await setUp(t, 'Name,2027-03-01,2027-03-02\nAda,F,S\n');
    await file('plan.json', {
      codes: { F: '06:00-14:00', S: '14:00-22:00' },
      group: 'Küche',
      'published-from': 'today',
    });
    const { code, stderr } = await run('--recipe', 'plan.json', '--codes', 'F=07:00-15:00');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.deepEqual((await records('shifts')).map(({ start_time }) => start_time).toSorted(), [
      '07:00',
      '14:00',
    ]);
  });

  test('tells all that is wrong with it, by place, and nothing is imported', async (t) => {
    const { run, file, url } = await setUp(t, ROWS);
    await file('plan.json', {
      account: 'acme',
      'time-zone': 'UTC',
      dateFormat: 'D/M/YYYY',
      colour: 'red',
      columns: { colour: 'Kleur' },
      'fill-down': [1],
      'date-format': 'DD-MM',
      encoding: 'ansi',
      year: 27,
      codes: { F: 'early' },
      group: 7,
      'published-from': 'soon',
      replace: 'yes',
      format: 'json',
      __proto__: undefined,
    });
    const { code, stdout, stderr } = await run('--recipe', 'plan.json');
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    const [first, ...problems] = stderr.trimEnd().split('\n');
    assert.equal(first, 'shiftfeed: The recipe plan.json has 14 problems.');
    assert.deepEqual(
      problems.map((problem) => problem.slice(2, 60)),
      [
        'account: is not part of a recipe; give it on the command l',
        'time-zone: is not part of a recipe; give it on the command',
        '"dateFormat": there is no such key; did you mean "date-for',
        '"colour": there is no such key; there are format, replace,',
        'columns: "colour=Kleur" is not COLUMN=HEADING, where COLUM',
        'fill-down: Expected a list such as ["date"].',
        'date-format: Expected a pattern of D or DD, M, MM, MMM or ',
        'encoding: Expected a label such as windows-1252, macintosh',
        'year: Expected a whole number from 1000 to 9999.',
        'codes: "F=early" is not CODE=TIMES, such as E=06:00-14:00,',
        'group: Expected a text in quotes.',
        'published-from: Expected a date YYYY-MM-DD, or today.',
        'replace: Expected true or false.',
        'format: Expected csv, xlsx, ods.',
      ],
    );
    assert.equal((await shiftfeed(['account', 'list'], { databaseUrl: url })).stdout.includes('acme'), false);
  });

  for (const [text, sentence] of [
    ['{"year": 2027,}', 'The recipe plan.json has a problem in line 1, column 15: this is not JSON.'],
    [
      '{"year": 2027, "year": 2028}',
      'The recipe plan.json has a problem in line 1, column 16: the key year is there twice.',
    ],
    ['', 'The recipe plan.json has a problem in line 1, column 1: this is not JSON.'],
    ['[]', 'The recipe plan.json has a problem.\n  it must be an object such as {"date-format": "D/M/YYYY"}'],
    [
      '{"__proto__": {"year": 2027}}',
      'The recipe plan.json has a problem.\n  "__proto__": there is no such key; there are format, replace, from, to, replace-days, columns, ignore-columns, date-format, encoding, fill-down, sheet, year, codes, status, people-separator, people, tabs, sections, clock, group, published-from',
    ],
    [undefined, 'The recipe plan.json does not exist.'],
  ] as const)
    test(`${text} is refused with a sentence`, async (t) => {
      const { run, file } = await setUp(t, ROWS);
      if (text !== undefined) await file('plan.json', text);
      const { code, stderr } = await run('--recipe', 'plan.json');
      assert.deepEqual({ code, stderr }, { code: 1, stderr: `shiftfeed: ${sentence}\n` });
    });

  for (const option of ['--recipe', '--save-recipe'])
    test(`${option} is not for JSON documents`, async (t) => {
      const { cwd, file } = await setUp(t, ROWS);
      await file('plan.json', RECIPE);
      const { code, stderr } = await shiftfeed(['import', 'x.json', option, 'plan.json'], { cwd });
      assert.equal(code, 2);
      assert.equal(stderr, `shiftfeed: ${option} is for sheets: a JSON document says this itself.\n`);
    });
});

describe('--save-recipe', () => {
  const OPTIONS = [
    '--columns',
    'date=Wann,start_time=Kommt,end_time=Geht,group=Wo',
    '--date-format',
    'D/M/YYYY',
  ];

  test('writes what this import was told, and not what belongs to the account or to this once', async (t) => {
    const { run, cwd, saved } = await setUp(t, WITHOUT_PEOPLE);
    const { code, stdout } = await run(
      ...[...OPTIONS, '--published-from', 'today', '--replace', '--from', 'today', '--allow-empty'],
      ...['--time-zone', 'Europe/Berlin', '--premium', 'true', '--save-recipe', 'plan.json'],
    );
    assert.equal(code, 0);
    assert.ok(stdout.endsWith('\nSaved the recipe plan.json.\n'), stdout);
    assert.deepEqual(await saved(), {
      columns: { date: 'Wann', start_time: 'Kommt', end_time: 'Geht', group: 'Wo' },
      'date-format': 'D/M/YYYY',
      'published-from': 'today',
      replace: true,
      from: 'today',
    });
    assert.deepEqual((await readdir(cwd)).toSorted(), ['plan.csv', 'plan.json']);
    const again = await run('--recipe', 'plan.json');
    assert.match(again.stdout, /^shifts +0 +0 +0 +1$/m);
  });

  test('may be the recipe that was read: what the command line added is kept', async (t) => {
    const { run, saved, file } = await setUp(t, ROWS);
    await file('plan.json', RECIPE);
    const { code } = await run(
      '--recipe',
      'plan.json',
      '--group',
      'Bar',
      '--save-recipe',
      'plan.json',
      '--quiet',
    );
    assert.equal(code, 0);
    assert.deepEqual(await saved(), { ...RECIPE, group: 'Bar' });
  });

  test('writes nothing when nothing was imported', async (t) => {
    const { run, cwd } = await setUp(t, SHEET);
    const { code } = await run(...OPTIONS, '--published-from', 'today', '--save-recipe', 'plan.json');
    assert.equal(code, 1);
    assert.deepEqual(await readdir(cwd), ['plan.csv']);
  });

  test('overwrites nothing but a recipe, and imports nothing then', async (t) => {
    const { run, cwd, file, url } = await setUp(t, WITHOUT_PEOPLE);
    await file('package.json', { name: 'shiftfeed' });
    await mkdir(join(cwd, 'folder'));
    for (const name of ['plan.csv', 'package.json', 'folder', '/dev/null', 'nowhere/plan.json']) {
      const before = await readFile(join(cwd, name), 'utf8').catch(() => undefined);
      const { code, stderr } = await run(...OPTIONS, '--published-from', 'today', '--save-recipe', name);
      assert.equal(code, 1);
      const sentence =
        name === 'nowhere/plan.json'
          ? 'The recipe cannot be saved, because the folder nowhere cannot be written to.'
          : `${name} is there already and is not a recipe: save it under another name.`;
      assert.equal(stderr, `shiftfeed: ${sentence}\n`);
      assert.equal(await readFile(join(cwd, name), 'utf8').catch(() => undefined), before);
    }
    assert.doesNotMatch((await shiftfeed(['account', 'list'], { databaseUrl: url })).stdout, /acme/);
  });

  test('writes where a link leads, by a real process and from standard input', async (t) => {
    const { cwd, saved, file, url } = await setUp(t, WITHOUT_PEOPLE);
    await file('plan.json', {});
    await symlink('plan.json', join(cwd, 'link.json'));
    const { code } = await shiftfeedProcess(
      [
        'import',
        '-',
        '--format',
        'csv',
        '--account',
        'acme',
        ...OPTIONS,
        '--published-from',
        '2026-11-01',
        '--save-recipe',
        'link.json',
      ],
      { cwd, databaseUrl: url, stdin: WITHOUT_PEOPLE },
    );
    assert.equal(code, 0);
    assert.equal((await saved())['date-format'], 'D/M/YYYY');
  });

  test('and --dry-run contradict each other', async (t) => {
    const { run } = await setUp(t, WITHOUT_PEOPLE);
    const { code, stderr } = await run('--dry-run', '--save-recipe', 'plan.json');
    assert.equal(code, 2);
    assert.match(stderr, /--save-recipe writes a file, and --dry-run writes nothing: give one of them\./);
  });
});

async function setUp(t: TestContext, sheet: string) {
  const { url, records } = await importer(t);
  const cwd = await newFolder(t);
  await writeFile(join(cwd, 'plan.csv'), sheet);
  return {
    url,
    cwd,
    records,
    run: (...args: string[]) =>
      shiftfeed(['import', 'plan.csv', '--account', 'acme', ...args], { databaseUrl: url, cwd }),
    file: (name: string, content: unknown) =>
      writeFile(join(cwd, name), typeof content === 'string' ? content : JSON.stringify(content)),
    saved: async () => JSON.parse(await readFile(join(cwd, 'plan.json'), 'utf8')),
    dates: async () =>
      (await records('shifts')).map(({ date, publish_date }) => [date, publish_date]).toSorted(),
  };
}
