import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, type TestContext, test } from 'node:test';
import { importer } from '../import/importer.ts';
import { command, shiftfeed } from '../support/cli-in-process.ts';
import { acme, KITCHEN, shift } from '../support/document.ts';
import { printed, refused } from '../support/outcome.ts';
import { startService } from '../support/service.ts';

const NOW = '2026-11-15T12:00:00Z';

const CLOSED = { id: 20, name: 'Closed', active: false, private: true };
const service = await startService({ after }, { now: NOW });
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
      assert.deepEqual(shown, printed(...table));
      assert.deepEqual(JSON.parse((await command(url, noun, 'list', 'acme', '--json')).stdout), json);
      assert.match((await command(url, noun, 'list', 'empty')).stdout, /^empty has no \w+\.\n$/);
    });
  }
});

test('what a database holds cannot steer a terminal', async (t) => {
  const own = await startService(t, { now: NOW });
  await own.import(acme([], { people: [{ id: 3, name: 'Noor' }] }));
  const name = '\u202eNoor\x1b]0;owned\x07\u009b2J';
  const program = new DatabaseSync(own.databaseUrl.slice('sqlite:'.length));
  program.prepare('UPDATE people SET name = ?').run(name);
  program.prepare('UPDATE accounts SET name = ?').run(name);
  program.close();
  const printed = await Promise.all([
    command(own.databaseUrl, 'person', 'list', 'acme'),
    command(own.databaseUrl, 'account', 'show', 'acme'),
    command(own.databaseUrl, 'account', 'list'),
    command(own.databaseUrl, 'person', 'list', 'acme', '--json'),
  ]);
  for (const { code, stdout, stderr } of printed) {
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /[^\P{Cc}\n]|\u202e/u);
    assert.match(stdout, /\\u001b/);
  }
  assert.equal(JSON.parse(printed[3].stdout)[0].name, name);
});

describe('group set', () => {
  test('holds from the next request on, and changes what is given alone', async () => {
    const token = await service.token('acme');
    const listed = async () =>
      (await service.list('acme', '', token)).shifts.map(({ date, group }) => `${date} ${group.name}`);
    assert.deepEqual(await listed(), ['2026-12-01 Kitchen', '2026-12-02 Kitchen']);
    assert.deepEqual(await command(url, 'group', 'set', 'acme', '20', '--active', 'true', '--name', 'Bar'), {
      code: 0,
      stdout:
        'acme: group 20 is Bar, private, active.\nA sheet that still says Closed would make a new group: change that before the next import.\n',
      stderr: '',
    });
    assert.deepEqual(await listed(), ['2026-12-01 Kitchen', '2026-12-02 Kitchen', '2026-12-03 Bar']);
    const { stdout } = await command(url, 'group', 'set', 'acme', '20', '--private', 'false', '--json');
    assert.deepEqual(JSON.parse(stdout), { id: 20, name: 'Bar', active: true, private: false });
    assert.deepEqual(
      await command(url, 'group', 'set', 'acme', '1', '--active', 'false'),
      printed('acme: group 1 is Kitchen, not private, not active, so its shifts are not listed.'),
    );
    assert.deepEqual(await listed(), ['2026-12-03 Bar']);
  });

  test('of a group that there is not, or without anything to set, changes nothing', async () => {
    assert.deepEqual(
      await command(url, 'group', 'set', 'acme', '99', '--name', 'New'),
      refused('acme has no group 99: "shiftfeed group list acme" shows the ids.'),
    );
    assert.deepEqual(
      await command(url, 'group', 'set', 'acme', '1'),
      refused('nothing to set: give --name, --active or --private', 2),
    );
  });
});

/** A service of its own for a test that removes, with three shifts, and what its listing says of them. */
async function startWithShifts(t: TestContext, database: 'sqlite' | 'postgres' = 'sqlite') {
  const own = await startService(t, { now: NOW, database });
  await own.import(
    acme(
      [
        shift('2026-12-01', { location_id: 7, person_id: 3 }),
        shift('2026-12-02', { location_id: 7, person_id: 4 }),
        shift('2027-01-03', { person_id: 3 }),
      ],
      {
        groups: [KITCHEN, { id: 2, name: 'Bar' }],
        locations: [{ id: 7, name: 'Pier', address: 'Long Pier 4' }],
        people: [
          { id: 3, name: 'Noor' },
          { id: 4, name: 'Ada' },
          { id: 5, name: 'Sam' },
          { id: 6, name: 'Sam' },
          { id: 8, name: '3' },
        ],
      },
    ),
  );
  const token = await own.token('acme');
  const listed = async () => {
    const { shifts } = await own.list('acme', '', token);
    return shifts.map(({ person, location }) => [person?.name ?? null, location?.name ?? null]);
  };
  const run = (...args: string[]) => command(own.databaseUrl, ...args);
  return { run, listed, url: own.databaseUrl };
}

describe('location set and person set', () => {
  test('hold from the next request on, and change what is given alone', async (t) => {
    const { run, listed } = await startWithShifts(t);
    assert.deepEqual(await run('person', 'set', 'acme', 'Noor', '--name', 'Noor Bakker'), {
      code: 0,
      stdout:
        'acme: person 3 is Noor Bakker.\nA sheet that still says Noor would make a new person: change that before the next import.\n',
      stderr: '',
    });
    assert.deepEqual(await run('location', 'set', 'acme', '7', '--name', 'Quay'), {
      code: 0,
      stdout:
        'acme: location 7 is Quay, Long Pier 4.\nA sheet that still says Pier would make a new location: change that before the next import.\n',
      stderr: '',
    });
    assert.deepEqual(await listed(), [
      ['Noor Bakker', 'Quay'],
      ['Ada', 'Quay'],
      ['Noor Bakker', null],
    ]);
    const { stdout } = await run('location', 'set', 'acme', 'Quay', '--address', '');
    assert.equal(stdout, 'acme: location 7 is Quay, without an address.\n');
    const { stdout: json } = await run('location', 'set', 'acme', '7', '--address', 'A\nB', '--json');
    assert.deepEqual(JSON.parse(json), { id: 7, name: 'Quay', address: 'A\nB' });
  });

  for (const database of ['sqlite', 'postgres'] as const) {
    test(`on ${database}, a person gets a name that another has only by --merge, which gives away the shifts`, async (t) => {
      const { run, listed } = await startWithShifts(t, database);
      assert.deepEqual(
        await run('person', 'set', 'acme', 'noor', '--name', ' ADA '),
        refused(
          'Nothing was changed: acme has person 4, Ada, already, and two of one name would share one personal link. ' +
            'If both are the same person, --merge gives 2 shifts of Noor to Ada; otherwise give another name.',
        ),
      );
      assert.deepEqual(
        await run('person', 'set', 'acme', 'noor', '--name', 'ada', '--merge'),
        printed(
          'acme: person 3, Noor, gave 2 shifts to person 4, Ada, and is removed.',
          'A sheet that still says Noor would make a new person: change that before the next import.',
        ),
      );
      assert.deepEqual(
        (await listed()).map(([person]) => person),
        ['Ada', 'Ada', 'Ada'],
      );
      assert.deepEqual(
        await run('person', 'set', 'acme', 'Ada', '--name', 'Noor', '--merge'),
        refused('Nothing was changed: acme has no other person named "Noor" to merge with.'),
      );
      assert.equal((await run('person', 'set', 'acme', 'Ada', '--name', 'ADA')).code, 0);
    });
  }

  const refusals: [args: string[], code: number, sentence: string][] = [
    [['person', 'set', 'acme', '3'], 2, 'nothing to set: give --name'],
    [['location', 'set', 'acme', '7'], 2, 'nothing to set: give --name or --address'],
    [
      ['location', 'set', 'acme', '7', '--address', 'x'.repeat(1001)],
      2,
      'Expected at most 1000 characters without control characters.',
    ],
    [
      ['person', 'set', 'acme', 'Nemo', '--name', 'Noor'],
      1,
      'acme has no person "Nemo": "shiftfeed person list acme" shows the ids.',
    ],
  ];
  for (const [args, code, sentence] of refusals) {
    test(`${args.slice(0, 5).join(' ')} is refused: ${sentence}`, async () => {
      const refused = await command(url, ...args);
      assert.equal(refused.code, code);
      assert.ok(refused.stderr.endsWith(`${sentence}\n`), refused.stderr);
    });
  }
});

describe('person remove', () => {
  test('leaves the shifts as open ones, which the next request sees', async (t) => {
    const { run, listed } = await startWithShifts(t);
    await listed();
    assert.deepEqual(
      await run('person', 'remove', 'acme', 'Noor', '--yes'),
      printed('acme: person 3, Noor, is removed. 2 shifts are now open.'),
    );
    assert.deepEqual(await listed(), [
      [null, 'Pier'],
      ['Ada', 'Pier'],
      [null, null],
    ]);
    const { stdout: json } = await run('person', 'remove', 'acme', '4', '--yes', '--json');
    assert.deepEqual(JSON.parse(json), { id: 4, name: 'Ada', shifts: 1 });
    const { stdout } = await run('person', 'remove', 'acme', '5', '--yes');
    assert.equal(stdout, 'acme: person 5, Sam, is removed. No shift was changed.\n');
  });

  test('forgets somebody whom the last import has removed, too, which ends the undo', async (t) => {
    const { url, run: runImport } = await importer(t);
    await runImport(acme([], { people: [{ id: 3, name: 'Noor' }] }));
    await runImport(acme([]), { replace: true });
    const run = (...args: string[]) => command(url, ...args);
    const kept =
      'person 3, Noor, is kept only so that the last import can be taken back, which would not be possible any more';
    assert.deepEqual(
      await run('person', 'remove', 'acme', 'noor'),
      refused(`Nothing was removed: ${kept}. Give --yes to remove the person without being asked.`, 2),
    );
    assert.deepEqual(
      await run('person', 'remove', 'acme', 'noor', '--yes'),
      printed('acme: person 3, Noor, is forgotten. The last import cannot be taken back any more.'),
    );
    assert.match(
      (await run('person', 'remove', 'acme', 'noor', '--yes')).stderr,
      /acme has no person "noor"/,
    );
    assert.match((await run('undo', 'acme')).stderr, /cannot be taken back/);
    assert.deepEqual(JSON.parse((await run('person', 'list', 'acme', '--json')).stdout), []);
  });

  test('takes a number for an id first, and asks for the id where several have the name', async (t) => {
    const { run } = await startWithShifts(t);
    assert.deepEqual(
      await run('person', 'remove', 'acme', 'Sam', '--yes'),
      refused('acme has 2 people named "Sam": give the id of one, 5, 6.'),
    );
    assert.match((await run('person', 'remove', 'acme', '3', '--yes')).stdout, /person 3, Noor,/);
    assert.match((await run('person', 'remove', 'acme', '3', '--yes')).stdout, /person 8, 3,/);
    assert.equal(
      (await run('person', 'remove', 'acme', '3', '--yes')).stderr,
      'shiftfeed: acme has no person 3: "shiftfeed person list acme" shows the ids.\n',
    );
  });

  test('removes nobody without --yes where nobody can be asked, and tells what would happen', async (t) => {
    const { url: databaseUrl, listed } = await startWithShifts(t);
    const before = await listed();
    const args = ['person', 'remove', 'acme', 'Noor'];
    assert.deepEqual(
      await shiftfeed(args, { databaseUrl }),
      refused(
        'Nothing was removed: person 3, Noor, has 2 shifts, which would then be open. ' +
          'Give --yes to remove the person without being asked.',
        2,
      ),
    );
    const { code, stderr } = await shiftfeed(args, { databaseUrl, isTerminal: true });
    assert.equal(code, 1);
    assert.match(stderr, /^acme: person 3, Noor, has 2 shifts, .* Remove the person for good\? \[y\/N\] /);
    assert.match(stderr, /shiftfeed: Nothing was removed\.\n$/);
    assert.deepEqual(await listed(), before);
  });
});

test('location remove leaves the shifts without a location', async (t) => {
  const { run, listed } = await startWithShifts(t);
  await listed();
  assert.deepEqual(
    await run('location', 'remove', 'acme', 'Pier', '--yes'),
    printed('acme: location 7, Pier, is removed. 2 shifts are now without a location.'),
  );
  assert.deepEqual(await listed(), [
    ['Noor', null],
    ['Ada', null],
    ['Noor', null],
  ]);
});

test('group remove refuses while shifts need the group, and says what to do', async (t) => {
  const { run, listed } = await startWithShifts(t);
  assert.deepEqual(
    await run('group', 'remove', 'acme', 'Kitchen', '--yes'),
    refused(
      'Nothing was removed: 3 shifts need group 1, Kitchen. Import them with another group first, ' +
        'or hide them with "shiftfeed group set acme 1 --active false".',
    ),
  );
  assert.equal((await listed()).length, 3);
  assert.deepEqual(
    await run('group', 'remove', 'acme', '2', '--yes'),
    printed('acme: group 2, Bar, is removed.'),
  );
});
