import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { confirm } from '../../src/cli/print.ts';
import { importer } from '../import/importer.ts';
import { command, shiftfeed } from '../support/cli-in-process.ts';
import { newDatabaseUrl, runSql } from '../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { printed, refused } from '../support/outcome.ts';
import { startService } from '../support/service.ts';

const HARBOUR = { slug: 'harbour', name: 'Harbour Bistro', time_zone: 'Europe/Amsterdam', sort: 'group' };

describe('account list', () => {
  test('is a table in the order of the slugs', async (t) => {
    const { url, run } = await importer(t);
    await run({ account: HARBOUR });
    await run({ account: ACME });
    assert.deepEqual(
      await command(url, 'account', 'list'),
      printed(
        'SLUG     NAME            PREMIUM  TIME ZONE         SORT',
        'acme     Acme            yes      UTC               time',
        'harbour  Harbour Bistro  no       Europe/Amsterdam  group',
      ),
    );
  });

  test('is JSON for scripts, named as in the import document', async (t) => {
    const { url, run } = await importer(t);
    await run({ account: HARBOUR });
    await run({ account: ACME });
    const { stdout } = await command(url, 'account', 'list', '--json');
    assert.deepEqual(JSON.parse(stdout), [ACME, { ...HARBOUR, premium: false }]);
  });

  test('says so when there is none, and is an empty list for scripts', async (t) => {
    const { url } = await importer(t);
    const table = await command(url, 'account', 'list');
    assert.equal(table.stdout, 'There is no account yet: "shiftfeed import" creates one.\n');
    const json = await command(url, 'account', 'list', '--json');
    assert.deepEqual(JSON.parse(json.stdout), []);
  });
});

describe('account show', () => {
  const document = acme(
    [
      shift('2026-12-01'),
      shift('2027-01-30', { person_id: 3, publish_date: '9999-12-31' }),
      shift('2027-01-31', { group_id: 2 }),
    ],
    { groups: [KITCHEN, { id: 2, name: 'Closed', active: false }], people: [{ id: 3, name: 'Ada' }] },
  );

  test('tells the settings and what the account has', async (t) => {
    const { url, run } = await importer(t);
    await run(document);
    const { code, stdout } = await command(url, 'account', 'show', 'acme');
    assert.equal(code, 0);
    assert.equal(
      stdout.replace(/last import .*\nrevision .*\n/, ''),
      [
        'slug         acme',
        'name         Acme',
        'premium      yes',
        'time zone    UTC',
        'sort         time',
        'groups       2, 1 of them inactive',
        'locations    0',
        'people       1',
        'tokens       0',
        'shifts       3, from 2026-12-01 to 2027-01-31',
        'open         2',
        'unpublished  1',
        'not listed   1, of groups that are not active',
        '',
        'MONTH    SHIFTS  OPEN  UNPUBLISHED  NOT LISTED',
        '2026-12       1     1            0           0',
        '2027-01       2     1            1           1',
        '',
      ].join('\n'),
    );
  });

  test('is JSON for scripts', async (t) => {
    const { url, run, contents } = await importer(t);
    await run(document);
    const { stdout } = await command(url, 'account', 'show', 'acme', '--json');
    const { revision, lastImportedAtMs } = await contents();
    assert.deepEqual(JSON.parse(stdout), {
      ...ACME,
      revision,
      groups: 2,
      inactive_groups: 1,
      locations: 0,
      people: 1,
      tokens: 0,
      shifts: 3,
      first_date: '2026-12-01',
      last_date: '2027-01-31',
      last_imported_at: new Date(lastImportedAtMs ?? 0).toISOString(),
      open: 2,
      unpublished: 1,
      unlisted: 1,
      months: [
        { month: '2026-12', shifts: 1, open: 1, unpublished: 0, unlisted: 0 },
        { month: '2027-01', shifts: 2, open: 1, unpublished: 1, unlisted: 1 },
      ],
    });
  });

  test('of an account whose time zone does not exist tells that, and the rest', async (t) => {
    const { url, run } = await importer(t);
    await run(document);
    runSql(url, "UPDATE accounts SET time_zone = 'Mars/Olympus'");
    const { code, stdout } = await command(url, 'account', 'show', 'acme');
    assert.equal(code, 0);
    assert.match(stdout, /^unpublished {2}unknown: there is no time zone "Mars\/Olympus"$/m);
    assert.match(stdout, /^2027-01 +2 +1 {2}\? +1$/m);
    const { stdout: json } = await command(url, 'account', 'show', 'acme', '--json');
    assert.equal(JSON.parse(json).unpublished, null);
  });

  test('of an account without shifts has no dates', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([]));
    const table = await command(url, 'account', 'show', 'acme');
    assert.match(table.stdout, /^shifts {7}0$/m);
    const json = await command(url, 'account', 'show', 'acme', '--json');
    assert.partialDeepStrictEqual(JSON.parse(json.stdout), { first_date: null, last_date: null });
  });
});

describe('account set', () => {
  const settings: [args: string[], change: object][] = [
    [['--name', 'Acme & Søns'], { name: 'Acme & Søns' }],
    [['--time-zone', 'asia/kolkata'], { timeZone: 'Asia/Kolkata' }],
    [['--sort', 'time'], { sort: 'time' }],
    [['--premium', 'false'], { premium: false }],
    [
      ['--name', 'A', '--time-zone', 'Europe/Paris', '--sort', 'time', '--premium', 'false'],
      { name: 'A', timeZone: 'Europe/Paris', sort: 'time', premium: false },
    ],
  ];
  for (const [args, change] of settings) {
    test(`${args.join(' ')} changes that and nothing else`, async (t) => {
      const { url, run, account } = await importer(t);
      await run({ account: { ...HARBOUR, slug: 'acme', premium: true } });
      const before = await account();
      const { code, stdout, stderr } = await command(url, 'account', 'set', 'acme', ...args);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.match(stdout, /^acme: name .+, time zone .+, sort .+, premium (yes|no)\n$/);
      assert.deepEqual(await account(), { ...before, ...change });
    });
  }

  const refusals: [args: string[], expected: string][] = [
    [[], 'nothing to set: give --name, --time-zone, --sort or --premium'],
    [['--name', 'x'.repeat(201)], 'Expected 1 to 200 characters without control characters.'],
    [['--name', 'bell\u0007'], 'Expected 1 to 200 characters without control characters.'],
    [['--time-zone', 'Mars/Olympus'], 'Expected an IANA time zone such as Europe/Amsterdam.'],
    [['--sort', 'name'], 'Allowed choices are time, group.'],
    [['--premium', 'yes'], 'Expected true or false.'],
  ];
  for (const [args, expected] of refusals) {
    test(`${JSON.stringify(args.join(' ').slice(0, 40))} is wrong usage`, async (t) => {
      const { url, run, account } = await importer(t);
      await run(acme([]));
      const before = await account();
      const { code, stderr } = await command(url, 'account', 'set', 'acme', ...args);
      assert.equal(code, 2);
      assert.match(stderr, /^shiftfeed: .*\n$/);
      assert.ok(stderr.endsWith(`${expected}\n`), stderr);
      assert.deepEqual(await account(), before);
    });
  }
});

describe('account create', () => {
  test('makes an account in a database that it makes, too', async (t) => {
    const url = await newDatabaseUrl(t);
    const { code, stdout } = await command(url, 'account', 'create', 'acme');
    assert.deepEqual(
      { code, stdout },
      { code: 0, stdout: 'acme: name acme, time zone UTC, sort time, premium no\n' },
    );
    const args = ['--name', 'Harbour Bistro', '--time-zone', 'Europe/Amsterdam', '--sort', 'group', '--json'];
    const { stdout: json } = await command(url, 'account', 'create', 'harbour', ...args, '--premium', 'true');
    assert.deepEqual(JSON.parse(json), { ...HARBOUR, premium: true });
    const { stdout: list } = await command(url, 'account', 'list', '--json');
    assert.deepEqual(JSON.parse(list)[1], { ...HARBOUR, premium: true });
  });

  test('leaves one that there is as it is', async (t) => {
    const { url, run, account } = await importer(t);
    await run({ account: ACME });
    const before = await account();
    assert.deepEqual(
      await command(url, 'account', 'create', 'acme', '--name', 'Other'),
      refused('There is an account "acme" already: "shiftfeed account show acme" tells of it.'),
    );
    assert.deepEqual(await account(), before);
  });
});

describe('account rename', () => {
  test('keeps shifts and tokens, and the next request finds them there', async (t) => {
    const service = await startService(t, { now: '2026-11-15T12:00:00Z' });
    await service.import(acme([shift('2026-12-01')]));
    const token = await service.token('acme');
    const page = await (await service.get('acme', '', token)).text();
    const { code, stdout } = await command(service.databaseUrl, 'account', 'rename', 'acme', 'acme-north');
    assert.equal(code, 0);
    assert.match(stdout, /^The account acme is now acme-north, .* \/acme-north\/api\/v1\/shifts\.\n/);
    assert.equal((await service.get('acme', '', token)).status, 404);
    assert.equal(await (await service.get('acme-north', '', token)).text(), page);
    const { stdout: json } = await command(
      service.databaseUrl,
      'account',
      'rename',
      'acme-north',
      'acme',
      '--json',
    );
    assert.deepEqual(JSON.parse(json), ACME);
  });

  test('refuses a name that another one has, and one that no account can have', async (t) => {
    const { url, run, store } = await importer(t);
    await run({ account: ACME });
    await run({ account: HARBOUR });
    const before = await store.accounts();
    const taken = await command(url, 'account', 'rename', 'acme', 'harbour');
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /^shiftfeed: There is an account "harbour" already: .*\n$/);
    const wrong = await command(url, 'account', 'rename', 'acme', 'Acme North');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /is invalid for argument 'new-slug'\. Expected 1 to 63 lower-case letters/);
    assert.deepEqual(await store.accounts(), before);
  });
});

describe('account remove', () => {
  const document = acme([shift('2026-12-01'), shift('2027-01-31')]);

  test('--yes removes the account with everything, and tells what that was', async (t) => {
    const { url, run, store, account } = await importer(t);
    await run(document);
    await run({ account: HARBOUR });
    await command(url, 'token', 'create', 'acme');
    assert.deepEqual(await command(url, 'account', 'remove', 'acme', '--yes'), {
      code: 0,
      stdout:
        'The account acme is removed, and with it 2 shifts, 1 group, 0 locations, 0 people and 1 token.\n',
      stderr: '',
    });
    assert.deepEqual(await store.accounts(), [await account('harbour')]);
    const { stdout } = await command(url, 'account', 'remove', 'harbour', '--yes', '--json');
    assert.deepEqual(JSON.parse(stdout), {
      slug: 'harbour',
      groups: 0,
      locations: 0,
      people: 0,
      shifts: 0,
      tokens: 0,
    });
  });

  test('removes nothing without --yes where nobody can be asked, and tells what would go', async (t) => {
    const { url, run, contents } = await importer(t);
    await run(document);
    const { code, stderr } = await shiftfeed(['account', 'remove', 'acme'], { databaseUrl: url });
    assert.equal(code, 2);
    assert.equal(
      stderr,
      'shiftfeed: Nothing was removed: the account acme has 2 shifts, 1 group, 0 locations, 0 people and 0 tokens. ' +
        'Give --yes to remove all of that without being asked.\n',
    );
    assert.equal((await contents()).shifts, 2);
  });

  test('asks on a terminal, and takes the end of the input for no', async (t) => {
    const { url, run, contents } = await importer(t);
    await run(document);
    const { code, stderr } = await shiftfeed(['account', 'remove', 'acme'], {
      databaseUrl: url,
      isTerminal: true,
    });
    assert.equal(code, 1);
    assert.match(stderr, /^The account acme has 2 shifts, .* Remove all of that for good\? \[y\/N\] /);
    assert.match(stderr, /shiftfeed: Nothing was removed\.\n$/);
    assert.equal((await contents()).shifts, 2);
  });

  for (const [answer, isYes] of [
    ['y\n', true],
    ['YES\n', true],
    ['\n', false],
    ['n\n', false],
    ['yesterday\n', false],
    ['', false],
  ] as const) {
    test(`takes ${JSON.stringify(answer)} for ${isYes ? 'yes' : 'no'}`, async () => {
      const input = new PassThrough();
      input.end(answer);
      assert.equal(await confirm('Sure?', input, new PassThrough().resume()), isYes);
    });
  }
});

describe('an account that does not exist', () => {
  const commands = [
    ['account', 'show', 'nobody'],
    ['account', 'set', 'nobody', '--sort', 'group'],
    ['account', 'rename', 'nobody', 'somebody'],
    ['account', 'remove', 'nobody', '--yes'],
    ['group', 'list', 'nobody'],
    ['group', 'set', 'nobody', '1', '--active', 'true'],
    ['group', 'remove', 'nobody', '1', '--yes'],
    ['location', 'list', 'nobody'],
    ['location', 'set', 'nobody', '1', '--name', 'Pier'],
    ['location', 'remove', 'nobody', '1', '--yes'],
    ['person', 'list', 'nobody'],
    ['person', 'set', 'nobody', '1', '--name', 'Noor'],
    ['person', 'remove', 'nobody', '1', '--yes'],
    ['token', 'create', 'nobody'],
    ['token', 'list', 'nobody'],
  ];
  for (const args of commands) {
    test(`is a sentence for ${args.join(' ')}`, async (t) => {
      const { url, store } = await importer(t);
      assert.deepEqual(
        await command(url, ...args),
        refused('There is no account "nobody": "shiftfeed import" creates accounts.'),
      );
      assert.deepEqual(await store.accounts(), []);
    });
  }
});
