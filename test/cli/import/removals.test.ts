/** What --replace may remove: a sheet that would remove most of what it covers was probably cut off. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { importer } from '../../import/importer.ts';
import { xlsx } from '../../import/sheet/make-workbook.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { DATABASES, newFolder } from '../../support/database.ts';
import { often } from '../../support/strength.ts';

const HEADER = 'date,start_time,end_time,group,publish_date';
const days = (count: number, month = '12') =>
  Array.from(
    { length: count },
    (_, i) => `2026-${month}-${String(i + 1).padStart(2, '0')},09:00,17:00,Bar,2026-11-01`,
  );
const sheet = (...rows: string[]) => `${[HEADER, ...rows].join('\n')}\n`;

for (const database of DATABASES.slice(0, often(1, 2))) {
  const shared = await importer({ after }, database);
  describe(`--replace by a sheet, on ${database}`, () => {
    let accounts = 0;
    async function newAccount(t: Parameters<typeof newFolder>[0], ...rows: string[]) {
      const slug = `removals-${++accounts}`;
      await shared.importSheet(sheet(...rows), { account: { slug } });
      const folder = await newFolder(t);
      return {
        slug,
        before: await shared.plan(slug),
        plan: () => shared.plan(slug),
        async replace(text: string, ...options: string[]) {
          const file = join(folder, 'plan.csv');
          await writeFile(file, text);
          return shiftfeed(['import', file, '--account', slug, '--replace', ...options], {
            databaseUrl: shared.url,
          });
        },
      };
    }

    test('that was cut off at the end of a line is refused, also in a dry run, and changes nothing', async (t) => {
      const { replace, plan, before } = await newAccount(t, ...days(25));
      for (const options of [[], ['--dry-run'], ['--quiet']]) {
        const { code, stdout, stderr } = await replace(sheet(...days(12)), ...options);
        assert.deepEqual(
          { code, stdout, stderr },
          {
            code: 1,
            stdout: '',
            stderr:
              'shiftfeed: Nothing was imported: the document has a problem.\n' +
              '  --replace would remove 13 of the 25 shifts that it covers; ' +
              'to replace only the days of the sheet, give --from 2026-12-01 --to 2026-12-12; ' +
              'if they are all meant to go, give --allow-removals (with --dry-run --show, it lists them)\n',
          },
        );
      }
      assert.deepEqual(await plan(), before);
    });

    test('removes more than half with --allow-removals', async (t) => {
      const { replace } = await newAccount(t, ...days(25));
      const listed = await replace(sheet(...days(12)), '--allow-removals', '--dry-run', '--show');
      assert.equal(listed.stdout.match(/^- shift/gm)?.length, 13);
      const { code, stdout } = await replace(sheet(...days(12)), '--allow-removals');
      assert.equal(code, 0);
      assert.match(stdout, /^shifts +0 +0 +13 +12$/m);
    });

    test('counts only the days that it covers', async (t) => {
      const { replace } = await newAccount(t, ...days(25, '10'), ...days(20));
      const inDecember = ['--from', '2026-12-01', '--to', '2026-12-31'];
      const { code, stderr } = await replace(sheet(...days(8)), ...inDecember);
      assert.equal(code, 1);
      assert.match(stderr, /would remove 12 of the 20 shifts that it covers/);
    });

    test('of other days alone asks before all shifts go, however few they are', async (t) => {
      const { replace, slug } = await newAccount(t, ...days(3, '10'));
      const { code, stderr } = await replace(sheet(...days(2)));
      assert.equal(code, 1);
      assert.match(stderr, /would remove all 3 shifts that it covers; .*--from 2026-12-01 --to 2026-12-02;/);
      assert.equal((await replace(sheet(...days(2)), '--from', '2026-12-01', '--to', '2026-12-02')).code, 0);
      assert.equal((await shared.contents(slug)).shifts, 5);
    });

    test('removes half, or ten, without being asked', async (t) => {
      const half = await newAccount(t, ...days(24));
      assert.match((await half.replace(sheet(...days(12)))).stdout, /^shifts +0 +0 +12 +12$/m);
      const ten = await newAccount(t, ...days(11));
      assert.match((await ten.replace(sheet(...days(1)))).stdout, /^shifts +0 +0 +10 +1$/m);
    });

    test('that has no shifts at all needs --allow-empty, and nothing else', async (t) => {
      const { replace } = await newAccount(t, ...days(25));
      assert.match((await replace(sheet())).stderr, /give --allow-empty\n$/);
      assert.match((await replace(sheet(), '--allow-empty')).stdout, /^shifts +0 +0 +25 +0$/m);
    });

    test('may not, but a JSON document may remove any number', async (t) => {
      const { slug } = await newAccount(t, ...days(25));
      const { tables } = await shared.run({ account: { slug }, groups: [{ id: 1 }] }, { replace: true });
      assert.equal(tables.shifts.removed, 25);
    });
  });
}

test('--replace --from today keeps what was, and removes what the file no longer has', async (t) => {
  const { url, records } = await importer(t);
  const folder = await newFolder(t);
  const file = join(folder, 'plan.csv');
  const run = async (rows: readonly string[], ...args: string[]) => {
    const lines = rows.map((date) => `${date},09:00,17:00,Kitchen`);
    await writeFile(file, ['date,start_time,end_time,group', ...lines].join('\n'));
    const given = ['import', file, '--account', 'acme', '--published-from', '2026-01-01', ...args];
    return shiftfeed(given, { databaseUrl: url });
  };
  // Days that are on the same side of today wherever the account is, and at midnight.
  const day = (days: number) => String(Temporal.Now.plainDateISO('UTC').add({ days }));
  await run([day(-9), day(9), day(10)]);
  assert.equal((await run([day(10)], '--replace', '--from', 'today')).code, 0);
  const dates = async () => (await records('shifts')).map(({ date }) => date).toSorted();
  assert.deepEqual(await dates(), [day(-9), day(10)]);
  assert.equal((await run([day(10)], '--replace', '--to', 'today')).code, 0);
  assert.deepEqual(await dates(), [day(10)]);

  const backwards = await run([day(10)], '--replace', '--from', day(5), '--to', 'today');
  assert.equal(backwards.code, 2);
  assert.match(backwards.stderr, /^shiftfeed: --from \S+ comes after --to \d{4}-\d\d-\d\d\.\n$/);
});

test('with a JSON document, today needs the account', async () => {
  const { code, stderr } = await shiftfeed(['import', 'plan.json', '--replace', '--from', 'today']);
  assert.equal(code, 2);
  assert.match(stderr, /today needs --account, whose time zone says what today is/);
});

for (const database of DATABASES.slice(0, often(1, 2)))
  test(`--replace-days removes of its days and groups what a corrected roster lacks, on ${database}`, async (t) => {
    const { url, records, importSheet } = await importer(t, database);
    const file = join(await newFolder(t), 'roster.csv');
    const account = { slug: 'acme' };
    const run = async (lines: readonly string[], ...args: string[]) => {
      await writeFile(file, `Name,Team,2027-03-08,2027-03-09,2027-03-10\n${lines.join('\n')}\n`);
      const given = ['import', file, '--account', 'acme', '--published-from', '2026-01-01', ...args];
      return shiftfeed(given, { databaseUrl: url });
    };
    const shown = async () => {
      const names = new Map((await records('people')).map(({ id, name }) => [id, name]));
      return new Map(
        (await records('shifts')).map((one) => [
          one.id,
          `${one.date} ${one.start_time} ${names.get(one.person_id ?? 0)}`,
        ]),
      );
    };
    // Another group, and a day after those of the roster.
    await importSheet(
      sheet('2027-03-09,09:00,17:00,Door,2026-11-01', '2027-03-11,09:00,17:00,Bar,2026-11-01'),
      { account },
    );
    await run(['Ada,Bar,9-17,9-17,9-17', 'Bo,Kitchen,9-17,9-17,9-17']);
    const before = await shown();
    // Ada begins later on one day, and is off on another; Bo has nothing left, but his group is named.
    const corrected = ['Ada,Bar,10-18,,9-17', 'Bo,Kitchen,,,'];
    const kept = await run(corrected, '--dry-run', '--show');
    assert.match(
      kept.stdout,
      /^~ shift \d+ {2}2027-03-08 .*: start_time 09:00 → 10:00, end_time 17:00 → 18:00$/m,
    );
    assert.match(
      kept.stdout,
      /^4 shifts of Bar and Kitchen from 8 to 10 March 2027 are not in this file, and stay: --replace-days removes them\.$/m,
    );
    assert.match(kept.stdout, /^shifts +0 +1 +0 +1$/m);
    const replaced = await run(corrected, '--replace-days');
    assert.deepEqual([replaced.code, replaced.stderr], [0, '']);
    assert.match(replaced.stdout, /^shifts +0 +1 +4 +1$/m);
    assert.doesNotMatch(replaced.stdout, /not in this file/);
    const moved = (text: string) => text.replace('2027-03-08 09:00 Ada', '2027-03-08 10:00 Ada');
    const isLeft = (text: string) => !/ Bo$|-09 .* Ada$/.test(text);
    assert.deepEqual(
      await shown(),
      new Map([...before].filter(([, text]) => isLeft(text)).map(([id, text]) => [id, moved(text)])),
    );
    assert.match((await shiftfeed(['undo', 'acme'], { databaseUrl: url })).stdout, /\S/);
    assert.deepEqual(await shown(), before);

    const empty = await run(['Ada,Bar,,,', 'Bo,Kitchen,,,'], '--replace-days');
    assert.match(
      empty.stderr,
      /no shifts at all, and --replace-days would remove 6 shifts; .*--allow-empty\n$/,
    );
    assert.equal((await run(['Ada,Bar,,,', 'Bo,Kitchen,,,'], '--replace-days', '--allow-empty')).code, 0);
    assert.equal((await shown()).size, 2);
    const overlapping = await run(['Ada,Bar,9-17,,']);
    assert.equal(overlapping.stderr, '');
    await importSheet(
      'date,start_time,end_time,group,person,publish_date\n2027-03-08,16:00,20:00,Door,Ada,2026-11-01\n',
      { account },
    );
    assert.equal(
      (await run(['Ada,Bar,9-17:30,,'])).stderr,
      'shiftfeed: Is this meant? A person has two shifts at once: cell C2 (Ada, who has 16:00 to 20:00 on 2027-03-08 already).\n',
    );
  });

for (const database of DATABASES.slice(0, often(1, 2)))
  test(`each sheet of a workbook covers its own days and groups, on ${database}`, async (t) => {
    const { url, records, importSheet } = await importer(t, database);
    const file = join(await newFolder(t), 'plan.xlsx');
    const all = ['Kitchen', 'Bar'].flatMap((group) =>
      ['2027-03-08', '2027-03-09', '2027-04-05', '2027-04-06'].map((date) => ({ date, group })),
    );
    const lines = all.map(({ date, group }) => `${date},9:00,17:00,${group},2026-01-01,Ada`);
    await importSheet(`date,start_time,end_time,group,publish_date,person\n${lines.join('\n')}\n`, {
      account: { slug: 'acme' },
    });
    const run = async (sheets: Parameters<typeof xlsx>[0], ...args: string[]) => {
      await writeFile(file, xlsx(sheets));
      const given = ['import', file, '--account', 'acme', '--published-from', '2026-01-01', '--sheet', 'all'];
      return shiftfeed([...given, '--tabs', 'group', ...args], { databaseUrl: url });
    };
    const shown = async () => {
      const names = new Map((await records('groups')).map(({ id, name }) => [id, name]));
      const shifts = await records('shifts');
      return shifts
        .map((one) => `${one.date.slice(5)} ${one.start_time} ${names.get(one.group_id)}`)
        .toSorted();
    };
    const kitchen = {
      name: 'Kitchen',
      rows: [
        ['Name', '2027-03-08', '2027-03-09'],
        ['Ada', '9-17', ''],
      ],
    };
    // Ada's shift in the kitchen at 9 is not the one that has moved: her other one is.
    const bar = {
      name: 'Bar',
      rows: [
        ['Name', '2027-04-05', '2027-04-06'],
        ['Ada', '10-18', ''],
      ],
    };
    const kept = await run([kitchen, bar], '--dry-run');
    assert.match(
      kept.stdout,
      /^2 shifts of Kitchen and Bar from 8 March to 6 April 2027, on the days of their sheets, are not in this file, and stay/m,
    );
    assert.match(kept.stdout, /^shifts +0 +1 +0 +1$/m);
    const replaced = await run([kitchen, bar], '--replace-days');
    assert.match(replaced.stdout, /^shifts +0 +1 +2 +1$/m);
    const others = ['03-08 09:00 Bar', '03-08 09:00 Kitchen', '03-09 09:00 Bar'];
    const april = ['04-05 09:00 Kitchen', '04-05 10:00 Bar', '04-06 09:00 Kitchen'];
    assert.deepEqual(await shown(), [...others, ...april]);
  });
