import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { command } from '../support/command.ts';
import { acme, KITCHEN, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const CLOSED = { id: 20, name: 'Closed', active: false, private: true };
const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
const url = service.databaseUrl;
await service.import(
  acme(
    [
      shift('2026-12-01', { location_id: 7, person_id: 3 }),
      shift('2026-12-02'),
      shift('2026-12-03', { group_id: 20 }),
    ],
    {
      groups: [CLOSED, KITCHEN],
      locations: [{ id: 7, name: 'Pier', address: 'Long Pier 4\nBack door' }],
      people: [
        { id: 3, name: 'Noor' },
        { id: 4, name: 'Ada' },
      ],
    },
  ),
);
await service.import({ account: { slug: 'empty' } });

describe('lists are tables by id with the number of shifts, or JSON', () => {
  const lists: [noun: string, table: string[], json: object[]][] = [
    [
      'group',
      [
        'ID  NAME     ACTIVE  PRIVATE  SHIFTS',
        ' 1  Kitchen  yes     no            2',
        '20  Closed   no      yes           1',
      ],
      [
        { ...KITCHEN, shifts: 2 },
        { ...CLOSED, shifts: 1 },
      ],
    ],
    [
      'location',
      ['ID  NAME  ADDRESS                 SHIFTS', ' 7  Pier  Long Pier 4, Back door       1'],
      [{ id: 7, name: 'Pier', address: 'Long Pier 4\nBack door', shifts: 1 }],
    ],
    [
      'person',
      ['ID  NAME  SHIFTS', ' 3  Noor       1', ' 4  Ada        0'],
      [
        { id: 3, name: 'Noor', shifts: 1 },
        { id: 4, name: 'Ada', shifts: 0 },
      ],
    ],
  ];
  for (const [noun, table, json] of lists) {
    test(`${noun} list`, async () => {
      const shown = await command(url, noun, 'list', 'acme');
      assert.deepEqual(shown, { code: 0, stdout: `${table.join('\n')}\n`, stderr: '' });
      assert.deepEqual(JSON.parse((await command(url, noun, 'list', 'acme', '--json')).stdout), json);
      assert.match((await command(url, noun, 'list', 'empty')).stdout, /^empty has no \w+\.\n$/);
    });
  }
});

describe('group set', () => {
  test('holds from the next request on, and changes what is given alone', async () => {
    const token = await service.token('acme');
    const listed = async () =>
      (await service.list('acme', '', token)).shifts.map(({ date, group }) => `${date} ${group.name}`);
    assert.deepEqual(await listed(), ['2026-12-01 Kitchen', '2026-12-02 Kitchen']);
    assert.deepEqual(await command(url, 'group', 'set', 'acme', '20', '--active', 'true', '--name', 'Bar'), {
      code: 0,
      stdout: 'acme: group 20 is Bar, private, active.\n',
      stderr: '',
    });
    assert.deepEqual(await listed(), ['2026-12-01 Kitchen', '2026-12-02 Kitchen', '2026-12-03 Bar']);
    const { stdout } = await command(url, 'group', 'set', 'acme', '20', '--private', 'false', '--json');
    assert.deepEqual(JSON.parse(stdout), { id: 20, name: 'Bar', active: true, private: false });
    assert.deepEqual(await command(url, 'group', 'set', 'acme', '1', '--active', 'false'), {
      code: 0,
      stdout: 'acme: group 1 is Kitchen, not private, not active, so its shifts are not listed.\n',
      stderr: '',
    });
    assert.deepEqual(await listed(), ['2026-12-03 Bar']);
  });

  test('of a group that there is not, or without anything to set, changes nothing', async () => {
    assert.deepEqual(await command(url, 'group', 'set', 'acme', '99', '--name', 'New'), {
      code: 1,
      stdout: '',
      stderr: 'shiftfeed: acme has no group 99: "shiftfeed group list acme" shows the ids.\n',
    });
    assert.deepEqual(await command(url, 'group', 'set', 'acme', '1'), {
      code: 2,
      stdout: '',
      stderr: 'shiftfeed: nothing to set: give --name, --active or --private\n',
    });
  });
});
