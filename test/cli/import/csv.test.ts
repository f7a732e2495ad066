import assert from 'node:assert/strict';
import { openSync, utimesSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileOf } from '../../../src/cli/import/file.ts';
import { withStore } from '../../../src/cli/options.ts';
import { readFile, readParts } from '../../../src/import/read.ts';
import { importer } from '../../import/importer.ts';
import { shiftfeed as runProcess } from '../../support/cli.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newFolder } from '../../support/database.ts';
import { printed, refused } from '../../support/outcome.ts';

describe('import of a CSV', () => {
  const rooster = [
    'Datum;Van;Tot;Ploeg;Wie;Uren',
    '1-12-2026;9:00;17:00;Keuken;Ada;8',
    '2-12-2026;22:00;6:00;Keuken;;8',
  ].join('\r\n');
  const options = [
    ...[
      '--account',
      'acme',
      '--columns',
      'date=Datum,start_time=Van,end_time=Tot',
      '--columns',
      'group=Ploeg,person=Wie',
    ],
    ...['--ignore-columns', 'Uren', '--date-format', 'D-M-YYYY', '--published-from', '2026-11-01'],
    ...['--time-zone', 'Europe/Amsterdam', '--premium', 'true'],
  ];

  test('--published-from today is the date in the time zone that the account has after the import', async (t) => {
    const { url, records } = await importer(t);
    const file = join(await newFolder(t), 'plan.csv');
    await writeFile(file, 'date,start_time,end_time,group\n2026-12-01,09:00,17:00,Kitchen\n');
    // It is never the same date in these two.
    for (const [zone, args] of [
      ['UTC', []],
      ['Pacific/Kiritimati', ['--time-zone', 'Pacific/Kiritimati']],
      ['Pacific/Kiritimati', []],
      ['Pacific/Pago_Pago', ['--time-zone', 'Pacific/Pago_Pago']],
    ] as const) {
      const today = () => String(Temporal.Now.plainDateISO(zone));
      const before = today();
      const { code, stderr } = await shiftfeed(
        ['import', file, '--account', 'acme', '--published-from', 'today', ...args],
        { databaseUrl: url },
      );
      assert.equal(code, 0, stderr);
      const [imported] = await records('shifts');
      assert.ok([before, today()].includes(String(imported?.publish_date)), zone);
    }
  });

  test('--published-from today needs a time zone that exists', async (t) => {
    const { url, run, store, account } = await importer(t);
    await run({ account: { slug: 'acme' } });
    const settings = await account();
    await store.write(async (transaction) => {
      await transaction.lockAccount('acme');
      await transaction.saveAccount({ ...settings, timeZone: 'Mars/Olympus' });
      return true;
    });
    const file = join(await newFolder(t), 'plan.csv');
    await writeFile(file, 'date,start_time,end_time,group\n2026-12-01,09:00,17:00,Kitchen\n');
    const args = ['import', file, '--account', 'acme', '--published-from', 'today'];
    assert.deepEqual(
      await shiftfeed(args, { databaseUrl: url }),
      refused(
        'The account acme has the time zone "Mars/Olympus", which does not exist, so nobody knows ' +
          'what today is there: give another one with --time-zone.',
      ),
    );
  });

  test('of a planner in another language, by file and by standard input', async (t) => {
    const { url, account, records, contents } = await importer(t);
    const file = join(await newFolder(t), 'rooster.csv');
    await writeFile(file, rooster);
    const first = await shiftfeed(['import', file, ...options], { databaseUrl: url });
    assert.deepEqual(
      first,
      printed(
        `Imported into ${url.replace('sqlite:', '')}.`,
        'The account acme is new.',
        'Read Datum as date, Van as start_time, Tot as end_time, Ploeg as group, Wie as person.',
        'Left out the column Uren (8).',
        '           added  changed  removed  unchanged',
        'groups         1        0        0          0',
        'locations      0        0        0          0',
        'people         1        0        0          0',
        'shifts         2        0        0          0',
        'New groups: Keuken.',
        'New people: Ada.',
      ),
    );
    assert.partialDeepStrictEqual(await account(), { premium: true, timeZone: 'Europe/Amsterdam' });
    assert.deepEqual(
      (await records('shifts')).map(({ date, end_date, publish_date }) => [date, end_date, publish_date]),
      [
        ['2026-12-01', '2026-12-01', '2026-11-01'],
        ['2026-12-02', '2026-12-03', '2026-11-01'],
      ],
    );
    const { revision } = await contents();
    const again = await shiftfeed(['import', '-', '--format', 'csv', '--quiet', ...options], {
      databaseUrl: url,
      stdin: rooster,
    });
    assert.deepEqual(again, printed());
    assert.equal((await contents()).revision, revision);
  });

  const plan = (rows: number, group = 'Keuken') =>
    ['date,start_time,end_time,group,remarks']
      .concat(Array.from({ length: rows }, (_, i) => `2026-12-${10 + (i % 20)},9:00,17:00,${group},${i}`))
      .join('\n');
  for (const [what, later] of [
    ['cut off', plan(6_000)],
    ['changed in place', plan(10_000, 'Garten')],
  ] as const)
    test(`of a file that is ${what} while it is read writes nothing, and neither does a dry run`, async (t) => {
      const { url, contents } = await importer(t);
      const file = join(await newFolder(t), 'plan.csv');
      let onRead = () => {};
      const importPlan = (dryRun: boolean) =>
        readFile(
          fileOf(file, false),
          'sheet',
          { account: 'acme', publishedFrom: '2026-11-01', replace: true, dryRun },
          {
            withStore: (missing, work) => withStore(url, { missing }, work),
            async *read(bytes, sheet) {
              async function* pieces() {
                for await (const piece of bytes) {
                  onRead();
                  yield piece;
                }
              }
              yield* readParts(pieces(), sheet);
            },
            nowMs: Date.now,
            origin: { who: 'test', file },
          },
        );
      const before = plan(10_000);
      for (const dryRun of [true, false]) {
        writeFileSync(file, before);
        // So that the change is told on any file system, however exact its times are.
        utimesSync(file, 0, 0);
        onRead = () => {};
        await importPlan(false);
        onRead = () => writeFileSync(file, later);
        await assert.rejects(importPlan(dryRun), {
          name: 'ReadingFailed',
          message: `${file} was written to while it was read, so nothing was imported: import it again.`,
        });
        assert.partialDeepStrictEqual(await contents(), { groups: 1, shifts: 10_000 });
      }
    });

  test('says that standard input is a folder', async (t) => {
    const { url } = await importer(t);
    assert.deepEqual(
      await runProcess(['import', '-', '--format', 'csv', ...options], {
        databaseUrl: url,
        stdio: [openSync('/', 'r'), 'pipe', 'pipe'],
      }),
      refused('Standard input could not be read: it is a folder.'),
    );
  });

  test('tells problems by line and column, and changes nothing', async (t) => {
    const { url, store } = await importer(t);
    const file = join(await newFolder(t), 'plan.csv');
    const rows = Array.from({ length: 21 }, () => '2026-12-01,09:00,25:61,Kitchen,2026-11-01');
    await writeFile(file, ['date,start_time,end_time,group,publish_date', ...rows].join('\n'));
    const { code, stdout, stderr } = await shiftfeed(['import', file, '--account', 'acme'], {
      databaseUrl: url,
    });
    const lines = stderr.trimEnd().split('\n');
    assert.deepEqual([code, stdout, lines.length], [1, '', 22]);
    assert.equal(lines[0], 'shiftfeed: Nothing was imported: the document has 21 problems.');
    assert.match(lines[1] ?? '', /^ {2}line 2, end_time: "25:61" is not a time from 00:00 to 24:00/);
    assert.equal(lines.at(-1), '  and 1 more; --all-problems shows every one');
    assert.deepEqual(await store.accounts(), []);
  });

  test('--dry-run --show lists what would change', async (t) => {
    const { url, importSheet } = await importer(t);
    await importSheet(
      'id,date,start_time,end_time,group,publish_date\n7,2026-12-01,09:00,17:00,Bar,2026-11-01\n8,2026-12-05,09:00,17:00,Bar,2026-11-01',
    );
    const file = join(await newFolder(t), 'plan.csv');
    await writeFile(file, 'id,date,end_time\n7,2026-12-02,18:00\n');
    const range = ['--replace', '--from', '2026-12-01', '--to', '2026-12-31'];
    const { code, stdout } = await shiftfeed(
      ['import', file, '--account', 'acme', '--dry-run', '--show', ...range],
      { databaseUrl: url },
    );
    assert.equal(code, 0);
    assert.deepEqual(stdout.split('\n').slice(0, 3), [
      '~ shift 7  2026-12-01 09:00 to 17:00, Bar: date 2026-12-01 → 2026-12-02, end_time 17:00 → 18:00, end_date 2026-12-01 → 2026-12-02',
      '- shift 8  2026-12-05 09:00 to 17:00, Bar',
      `Nothing was written: this is what an import into ${url.replace('sqlite:', '')} would do.`,
    ]);
    assert.match(stdout, /^shifts +0 +1 +1 +0$/m);
  });

  test('--replace by a sheet without rows needs --allow-empty', async (t) => {
    const { url, importSheet, contents } = await importer(t);
    await importSheet(
      'id,date,start_time,end_time,group,publish_date\n7,2026-12-01,09:00,17:00,A,2026-11-01',
    );
    const file = join(await newFolder(t), 'plan.csv');
    await writeFile(file, 'date,start_time,end_time,group,publish_date\n');
    const replace = ['import', file, '--account', 'acme', '--replace'];
    const { code, stderr } = await shiftfeed(replace, { databaseUrl: url });
    assert.equal(code, 1);
    assert.match(stderr, /^ {2}the file has no shifts at all, and --replace would remove a shift; /m);
    assert.equal((await contents()).shifts, 1);
    assert.equal((await shiftfeed([...replace, '--allow-empty'], { databaseUrl: url })).code, 0);
    assert.equal((await contents()).shifts, 0);
  });

  test('without an account, all that is wrong is told at once, with a command line that mends it', async (t) => {
    const cwd = await newFolder(t);
    await writeFile(
      join(cwd, 'Dienst.csv'),
      Buffer.from('Datum;Beginn;Ende;Mitarbeiter\r\n3/6/2027;9:00;17:00;J\u00fcrgen\r\n', 'latin1'),
    );
    const { code, stderr } = await shiftfeed(['import', 'Dienst.csv'], { cwd });
    assert.deepEqual(
      [code, stderr.split('\n')[0]],
      [2, 'shiftfeed: Say with --account whose shifts these are: a sheet does not tell.'],
    );
    assert.match(stderr, /not UTF-8.*--encoding windows-1252/);
    assert.match(
      stderr,
      /^Try: npx --no -- shiftfeed import Dienst.csv --account NAME --group NAME --published-from today --date-format D\/M\/YYYY --encoding windows-1252$/m,
    );
    const more = await shiftfeed(
      ['import', 'Dienst.csv', '--account', 'acme', '--group', 'Bar', '--published-from', 'today'],
      { cwd },
    );
    assert.match(
      more.stderr,
      /^Try: npx --no -- shiftfeed import Dienst.csv --account acme --group Bar --published-from today --date-format D\/M\/YYYY --encoding windows-1252$/m,
    );
  });

  test('a command line that would mend a sheet was tried before, and what it leaves out is told', async (t) => {
    const cwd = await newFolder(t);
    await writeFile(join(cwd, 'plan.csv'), 'Date,Start,End,Name,Colour,Rate\n2027-03-06,9,5,Ada,red,12\n');
    const words = ['import', 'plan.csv', '--account', 'acme', '--published-from', 'today'];
    const { code, stderr } = await shiftfeed(words, { cwd });
    assert.deepEqual(
      [code, stderr],
      [
        1,
        [
          'shiftfeed: Nothing was imported: the document has a problem.',
          '  line 1: there is no column "group"; --columns tells what a sheet calls it, and --group gives one for all rows',
          '  then line 2, start_time: may be 09:00 to 05:00 or 09:00 to 17:00; say whether the sheet has a 24-hour clock, --clock 24, or a 12-hour clock, --clock 12; or write am and pm',
          ...['Try: CLOCK 12', 'Or:  CLOCK 24'].flatMap((line) => [
            line.replace('CLOCK', `npx --no -- shiftfeed ${words.join(' ')} --group NAME --clock`),
            '     It leaves out the columns Colour, Rate.',
          ]),
          '',
        ].join('\n'),
      ],
    );
    await writeFile(join(cwd, 'plan.csv'), 'Date,Start,End,Name\n2027-03-06,9,17,Ada\n3/6/2027,9,17,#REF!\n');
    const still = await shiftfeed([...words, '--group', 'Bar'], { cwd });
    assert.match(
      still.stderr,
      /#REF!.*\nTry: .* --date-format D\/M\/YYYY\nOr: {2}.* --date-format M\/D\/YYYY\n$/,
    );
  });

  test('a heading that looks like something to fill in does not keep a command line from being tried', async (t) => {
    const cwd = await newFolder(t);
    await writeFile(
      join(cwd, 'plan.csv'),
      'Date,Start,End,Team,FIRST YEAR,NAME\n2027-03-06,9,17,Bar,Ada,x\n2027-03-07,9,17,Bar,Bo & Cy,#REF!\n',
    );
    const words = ['import', 'plan.csv', '--account', 'acme', '--published-from', 'today'];
    const { stderr } = await shiftfeed([...words, '--ignore-columns', 'NAME'], { cwd });
    assert.match(stderr, /^ {2}then line 3, person: "Bo & Cy" may be several people/m);
    assert.match(stderr, /^Try: .* --columns 'person=FIRST YEAR' --people-separator '&'$/m);
  });

  test('of many questions, those that are kept make the command line', async (t) => {
    const cwd = await newFolder(t);
    const rows = Array.from({ length: 1_500 }, (_, i) => `2027-03-06,C${i},Bar,Ada`);
    await writeFile(join(cwd, 'plan.csv'), `Date,Time,Team,Name\n${rows.join('\n')}\n`);
    const words = ['import', 'plan.csv', '--account', 'acme', '--published-from', 'today'];
    const { stderr } = await shiftfeed([...words, '--all-problems'], { cwd });
    const lines = stderr.trimEnd().split('\n');
    assert.equal(lines.filter((line) => /^ {2}line .* is not two times/.test(line)).length, 1_500);
    const command = lines.find((line) => line.startsWith('Try: ')) ?? '';
    // Those that are kept of what was told, and of what three trials tell.
    assert.equal(command.split(',').length, 300 + 3 * 100);
  });

  test('of a file that is a spreadsheet under another name is refused', async (t) => {
    const file = join(await newFolder(t), 'plan.csv');
    await writeFile(file, Buffer.from('PK\u0003\u0004'));
    const { code, stderr } = await shiftfeed(['import', file, '--account', 'acme'], {
      cwd: await newFolder(t),
    });
    assert.equal(code, 1);
    assert.match(stderr, /^ {2}the workbook is broken, or was cut off: save it again/m);
  });
});
