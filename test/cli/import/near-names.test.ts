/** A name that is new beside one that it nearly equals is told, because it may be a mistake that shows hidden shifts. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { importer } from '../../import/importer.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newFolder } from '../../support/database.ts';

const NOW_MS = Date.parse('2026-11-16T12:00:00Z');

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
  const args = ['import', file, '--account', 'acme', '--quiet'];
  for (const [more, expected] of [
    [['--dry-run'], told],
    [[], told],
    [[], ''],
  ] as const) {
    assert.deepEqual(await shiftfeed([...args, ...more], options), { code: 0, stdout: '', stderr: expected });
  }
});
