import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newFolder } from '../../support/database.ts';
import { ACME } from '../../support/document.ts';
import { BARE_SHIFT, importer } from '../importer.ts';

test('an exported CSV changes nothing where it comes from, and gives the same shifts elsewhere', async (t) => {
  const here = await importer(t);
  await here.run({
    account: ACME,
    groups: [
      { id: 4, name: ' Kitchen; "old" ' },
      { id: 9, name: 'Bar' },
    ],
    locations: [
      { id: 2, name: 'Office', address: 'North 1' },
      { id: 3, name: 'Office', address: '' },
      { id: 5, name: 'n/a', address: '' },
    ],
    people: [
      { id: 1, name: 'Jan' },
      { id: 2, name: 'Jan' },
      { id: 3, name: '?' },
    ],
    shifts: [
      {
        ...BARE_SHIFT,
        id: 1,
        group_id: 4,
        location_id: 3,
        person_id: 2,
        remarks: 'Keys,\r\n"both"\n',
        starred: true,
      },
      {
        ...BARE_SHIFT,
        id: 2,
        group_id: 9,
        location_id: 2,
        person_id: 1,
        end_date: '2026-12-05',
        noshow: true,
      },
      { ...BARE_SHIFT, id: 3, group_id: 9, remarks: '  spaces  ', cancelled: true },
      { ...BARE_SHIFT, id: 4, group_id: 9, remarks: 'One\rtwo' },
      { ...BARE_SHIFT, id: 5, group_id: 9, location_id: 5, person_id: 3 },
    ],
  });
  const before = await here.plan();
  const { stdout } = await shiftfeed(['export', 'acme', '--format', 'csv'], { databaseUrl: here.url });
  const file = join(await newFolder(t), 'acme.csv');
  await writeFile(file, stdout);
  const again = await shiftfeed(['import', file, '--account', 'acme', '--replace'], {
    databaseUrl: here.url,
  });
  assert.match(again.stdout, /^shifts +0 +0 +0 +5$/m, again.stderr);
  assert.deepEqual(await here.plan(), before);

  const elsewhere = await importer(t);
  await elsewhere.importSheet(stdout);
  const shown = async ({ records }: typeof here) => {
    const [groups, locations, people] = [
      await records('groups'),
      await records('locations'),
      await records('people'),
    ];
    return (await records('shifts')).map(({ group_id, location_id, person_id, ...shift }) => ({
      ...shift,
      group: groups.find(({ id }) => id === group_id)?.name,
      location: locations.find(({ id }) => id === location_id)?.address,
      person: people.find(({ id }) => id === person_id)?.name,
    }));
  };
  assert.deepEqual(await shown(elsewhere), await shown(here));
});
