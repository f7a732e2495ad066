/** Rows and names that may well be meant are imported, and questioned once. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { findNear } from '../../../src/import/near-names.ts';
import { importer } from '../../import/importer.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { type Cleanup, DATABASES, newFolder } from '../../support/database.ts';
import { often } from '../../support/strength.ts';

const NOW_MS = Date.parse('2026-11-16T12:00:00Z');
const HEADER = 'date,start_time,end_time,end_date,group,person,publish_date';
const row = (date: string, start: string, end: string, person = '', endDate = '') =>
  `${date},${start},${end},${endDate},Bar,${person},2026-11-01`;

for (const database of DATABASES.slice(0, often(1, 2))) {
  const shared = await importer({ after }, database);
  describe(`odd rows, on ${database}`, () => {
    let accounts = 0;
    async function newAccount(t: Cleanup) {
      const slug = `odd-${++accounts}`;
      const file = join(await newFolder(t), 'plan.csv');
      return async (rows: readonly string[], ...options: string[]) => {
        await writeFile(file, [HEADER, ...rows].join('\n'));
        const args = ['import', file, '--account', slug, '--quiet', ...options];
        const { code, stderr } = await shiftfeed(args, { databaseUrl: shared.url, nowMs: NOW_MS });
        assert.equal(code, 0, stderr);
        return stderr;
      };
    }

    test('of 16 hours or more are told with their lines, once', async (t) => {
      const run = await newAccount(t);
      const rows = [
        row('2026-12-01', '17:00', '09:00'),
        row('2026-12-02', '17:00', '08:59'),
        row('2026-12-03', '06:00', '22:00'),
        row('2026-12-04', '06:00', '21:59'),
        row('2026-12-05', '09:00', '09:00'),
        row('2026-12-06', '09:00', '08:00', '', '2026-12-08'),
      ];
      const told =
        'shiftfeed: Is this meant? 4 shifts last 16 hours or more: line 2 (17:00 to 09:00), ' +
        'line 4 (06:00 to 22:00), line 6 (09:00 to 09:00) and 1 more.\n';
      assert.equal(await run(rows, '--dry-run'), told);
      assert.equal(await run(rows), told);
      assert.equal(await run(rows), '', 'what stays as it is was told before');
      const changed = [row('2026-12-01', '17:00', '10:00'), ...rows.slice(1)];
      assert.match(await run(changed), /\? A shift lasts 16 hours or more: line 2 \(17:00 to 10:00\)\.\n$/);
    });

    test('more than two years away are told', async (t) => {
      const run = await newAccount(t);
      assert.equal(
        await run([
          row('2023-12-31', '09:00', '17:00'),
          row('2024-01-01', '09:00', '17:00'),
          row('2028-12-31', '09:00', '17:00'),
          row('2207-03-06', '09:00', '17:00'),
        ]),
        'shiftfeed: Is this meant? 2 shifts lie more than two years from 2026: line 2 (2023-12-31), line 5 (2207-03-06).\n',
      );
    });

    test('that are equal are told, and those that differ in anything are not', async (t) => {
      const run = await newAccount(t);
      const ada = row('2026-12-01', '09:00', '17:00', 'Ada');
      const open = row('2026-12-01', '09:00', '17:00');
      const rows = [ada, row('2026-12-01', '09:00', '17:00', 'Noor'), ada, open, open, open];
      assert.equal(
        await run([...rows, row('2026-12-01', '09:00', '18:00')]),
        'shiftfeed: Is this meant? 3 rows are equal to earlier ones: line 4 (as line 2), line 6 (as line 5), line 7 (as line 5).\n',
      );
      const { id } = await shared.account(`odd-${accounts}`);
      assert.equal((await shared.store.describeAccount(id)).shifts, 7);
    });

    test('that begin while their person has another shift are told with both lines, once', async (t) => {
      const run = await newAccount(t);
      const night = row('2026-12-01', '22:00', '06:00', 'Ada');
      const rows = [
        row('2026-12-02', '05:00', '12:00', 'Ada'),
        night,
        row('2026-12-02', '12:00', '14:00', 'Ada'),
        row('2026-12-02', '05:00', '12:00', 'Noor'),
        row('2026-12-02', '05:00', '12:00'),
        row('2026-12-02', '05:30', '12:00'),
      ];
      const told = 'shiftfeed: Is this meant? A person has two shifts at once: line 2 (Ada, as in line 3).\n';
      assert.equal(await run(rows, '--dry-run'), told);
      assert.equal(await run(rows), told);
      assert.equal(await run(rows), '', 'what stays as it is was told before');
      const noor = row('2026-12-02', '04:00', '05:01', 'Noor');
      assert.equal(
        await run([...rows, noor]),
        'shiftfeed: Is this meant? A person has two shifts at once: line 5 (Noor, as in line 8).\n',
      );
    });

    test('of a roster are told with their cells', async (t) => {
      const slug = `odd-${++accounts}`;
      const file = join(await newFolder(t), 'roster.csv');
      await writeFile(file, 'Name,2026-12-01,2026-12-02\nAda,9-17,6-23\n');
      const { stderr } = await shiftfeed(
        ['import', file, '--account', slug, '--group', 'Bar', '--published-from', '2026-11-01'],
        { databaseUrl: shared.url, nowMs: NOW_MS },
      );
      assert.equal(
        stderr,
        'shiftfeed: Is this meant? A shift lasts 16 hours or more: cell C2 (06:00 to 23:00).\n',
      );
    });
  });
}

// Such a name may be a mistake that shows hidden shifts.
test('names that are new beside ones that they nearly equal are told once, also with --quiet', async (t) => {
  const { url, run } = await importer(t);
  await run({
    account: { slug: 'acme' },
    groups: [
      { id: 1, name: 'Kitchen' },
      { id: 2, name: 'Management', active: false },
      { id: 3, name: 'Team 1' },
      { id: 4, name: 'Bar' },
    ],
    locations: [{ id: 1, name: 'Café' }],
    people: [
      { id: 1, name: 'Ada Lovelace' },
      { id: 2, name: 'Anna' },
    ],
  });
  const file = join(await newFolder(t), 'plan.csv');
  const cells = [
    ['Kitchens', 'Cafe', 'Lovelace, Ada'],
    ['Managment', 'Pier', 'Hanna'],
    ['Team 2', 'Peer', 'Ada Lovelaze'],
    ['Car', 'Piers', ''],
    ['kitchen', 'café', 'ada lovelace'],
  ];
  const rows = cells.map(([group, location, person], i) =>
    [`2026-12-0${i + 1}`, '9:00', '17:00', group, location, person, '2026-11-01'].join(';'),
  );
  await writeFile(file, ['date;start_time;end_time;group;location;person;publish_date', ...rows].join('\n'));
  const told = [
    'shiftfeed: Is this meant? The group Kitchens is new beside Kitchen.',
    'shiftfeed: Is this meant? The group Managment is new beside Management, which is not active.',
    'shiftfeed: Is this meant? The location Cafe is new beside Café.',
    'shiftfeed: Is this meant? The location Peer is new beside Pier.',
    'shiftfeed: Is this meant? The location Piers is new beside Pier.',
    'shiftfeed: Is this meant? 2 more names are new beside ones that they nearly equal.',
    '',
  ].join('\n');
  const options = { databaseUrl: url, nowMs: NOW_MS };
  const args = ['import', file, '--account', 'acme', '--quiet', '--people-separator', 'none'];
  for (const [more, expected] of [
    [['--dry-run'], told],
    [[], told],
    [[], ''],
  ] as const) {
    assert.deepEqual(await shiftfeed([...args, ...more], options), { code: 0, stdout: '', stderr: expected });
  }
});

test('new people who are unlike the others are told in one line, and imported', async (t) => {
  const { url, run } = await importer(t);
  await run({ account: { slug: 'acme' } });
  const file = join(await newFolder(t), 'plan.csv');
  const names = ['Ada', 'Bo', 'Cy', 'Di', 'as ever', 'LUNCHEON', 'Staff party'];
  const rows = names.map((name, i) => `2026-12-0${i + 1},9:00,17:00,Bar,${name},2026-11-01`);
  await writeFile(file, ['date,start_time,end_time,group,person,publish_date', ...rows].join('\n'));
  const { code, stderr, stdout } = await shiftfeed(['import', file, '--account', 'acme'], {
    databaseUrl: url,
    nowMs: NOW_MS,
  });
  assert.equal(code, 0);
  assert.equal(
    stderr,
    'shiftfeed: Is this meant? 3 new people are unlike the others: as ever, Staff party, LUNCHEON.\n',
  );
  assert.match(stdout, /^New people: Ada, Bo, Cy, Di, as ever, LUNCHEON, Staff party\.$/m);
});

test('of many new names, each is compared with those that have the same numbers, and names of numbers with none', () => {
  const made = Array.from({ length: 16_000 }, (_, i) => `Kitchen ${i}`);
  const numbered = Array.from({ length: 16_000 }, (_, i) => `N${i}`);
  const near = 'Kitchne 15999';
  assert.deepEqual(
    findNear([...numbered, ...made, near], [...numbered, ...made, near], 'groups', new Set()),
    [{ table: 'groups', name: near, near: 'Kitchen 15999', isNearInactive: false }],
  );
});

test('of 20,000 new people, each is found beside one with nearly the same letters', () => {
  const letters = (number: number) =>
    [...String(number)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('a');
  const made = Array.from({ length: 20_000 }, (_, i) => letters(10_000 + i) + letters(99_999 - 3 * i));
  const wrong = made
    .slice(-1_000)
    .map((name, i) => name.slice(0, i % 9) + 'xyz'.at(i % 3) + name.slice(i % 9));
  const found = findNear([...made, ...wrong], [...made, ...wrong], 'people', new Set());
  const near = new Map(found.map((one) => [one.name, one.near]));
  assert.deepEqual(
    wrong.map((name) => near.get(name)),
    made.slice(-1_000),
  );
});

test('what is more than a name is a problem, until an option or a recipe says who is meant', async (t) => {
  const { url, run, records } = await importer(t);
  await run({
    account: { slug: 'acme' },
    people: [
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Cy?' },
    ],
  });
  const folder = await newFolder(t);
  const [file, recipe] = [join(folder, 'plan.csv'), join(folder, 'recipe.json')];
  const people = ['Ada', 'cy?', 'a=b?', 'Ada, or "Bo"?', 'closed', 'Ada krank', 'Ada\nbis Mittag', 'Ada 38h'];
  const rows = people.map(
    (name, i) => `2026-12-0${i + 1},9:00,17:00,Bar,"${name.replaceAll('"', '""')}",2026-11-01`,
  );
  await writeFile(file, ['date,start_time,end_time,group,person,publish_date', ...rows].join('\n'));
  const options = { databaseUrl: url, nowMs: NOW_MS };
  const args = ['import', file, '--account', 'acme', '--people-separator', ','];
  const refused = await shiftfeed(args, options);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /the document has 5 problems/);
  assert.match(
    refused.stderr,
    /^ {2}line 4, person: "a=b\?" may be more than a name, or no name; say who is meant with --people "a=b\?=NAME", with nothing after = for nobody$/m,
  );
  const [ways] = /^Try: .*$/m.exec(refused.stderr) ?? [];
  assert.match(
    ways ?? '',
    / --people 'a=b\?=NAME' --people closed=NAME --people 'Ada krank=NAME' --people 'or "Bo"\?=NAME'$/,
  );
  assert.match(refused.stderr, /^Or: .* --people closed= --people 'Ada krank=' /m);
  assert.equal((await records('people')).length, 2);
  const answers = { 'a=b?': 'a=b?', 'or "Bo"?': 'Bo', closed: '', 'Ada bis Mittag': 'Ada' };
  await writeFile(recipe, JSON.stringify({ people: answers }));
  const told = await shiftfeed([...args, '--recipe', recipe, '--people', 'Ada krank=Ada; Di'], options);
  assert.equal(told.code, 0, told.stderr);
  assert.equal(told.stderr, 'shiftfeed: Is this meant? The person Ada 38h is new beside Ada.\n');
  assert.match(told.stdout, /^New people: a=b\?, Bo, Di, Ada 38h \(beside Ada\)\.$/m);
  assert.match(told.stdout, /^Read 1 cell as nobody: closed\.$/m);
});
