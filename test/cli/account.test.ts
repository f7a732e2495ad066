import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importer } from '../import/importer.ts';
import { shiftfeed as shiftfeedProcess } from '../support/cli.ts';
import { shiftfeed } from '../support/cli-in-process.ts';
import { ACME, acme, shift } from '../support/document.ts';

const HARBOUR = { slug: 'harbour', name: 'Harbour Bistro', time_zone: 'Europe/Amsterdam', sort: 'group' };

describe('account list', () => {
  test('is a table in the order of the slugs', async (t) => {
    const { url, run } = await importer(t);
    await run({ account: HARBOUR });
    await run({ account: ACME });
    assert.deepEqual(await shiftfeedProcess(['account', 'list'], { databaseUrl: url }), {
      code: 0,
      stdout: [
        'SLUG     NAME            PREMIUM  TIME ZONE         SORT',
        'acme     Acme            yes      UTC               time',
        'harbour  Harbour Bistro  no       Europe/Amsterdam  group',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('is JSON for scripts, named as in the import document', async (t) => {
    const { url, run } = await importer(t);
    await run({ account: HARBOUR });
    await run({ account: ACME });
    const { stdout } = await shiftfeed(['account', 'list', '--json'], { databaseUrl: url });
    assert.deepEqual(JSON.parse(stdout), [ACME, { ...HARBOUR, premium: false }]);
  });

  test('says so when there is none, and is an empty list for scripts', async (t) => {
    const { url } = await importer(t);
    const table = await shiftfeed(['account', 'list'], { databaseUrl: url });
    assert.equal(table.stdout, 'There is no account yet: "shiftfeed import" creates one.\n');
    const json = await shiftfeed(['account', 'list', '--json'], { databaseUrl: url });
    assert.deepEqual(JSON.parse(json.stdout), []);
  });
});

describe('account show', () => {
  const document = acme([shift('2026-12-01'), shift('2027-01-31')], { people: [{ id: 3, name: 'Ada' }] });

  test('tells the settings and what the account has', async (t) => {
    const { url, run } = await importer(t);
    await run(document);
    const { code, stdout } = await shiftfeed(['account', 'show', 'acme'], { databaseUrl: url });
    assert.equal(code, 0);
    assert.equal(
      stdout.replace(/revision .*\n$/, ''),
      [
        'slug       acme',
        'name       Acme',
        'premium    yes',
        'time zone  UTC',
        'sort       time',
        'groups     1',
        'locations  0',
        'people     1',
        'shifts     2, from 2026-12-01 to 2027-01-31',
        '',
      ].join('\n'),
    );
  });

  test('is JSON for scripts', async (t) => {
    const { url, run, contents } = await importer(t);
    await run(document);
    const { stdout } = await shiftfeed(['account', 'show', 'acme', '--json'], { databaseUrl: url });
    assert.deepEqual(JSON.parse(stdout), {
      ...ACME,
      revision: (await contents()).revision,
      groups: 1,
      locations: 0,
      people: 1,
      shifts: 2,
      first_date: '2026-12-01',
      last_date: '2027-01-31',
    });
  });

  test('of an account without shifts has no dates', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([]));
    const table = await shiftfeed(['account', 'show', 'acme'], { databaseUrl: url });
    assert.match(table.stdout, /^shifts {5}0$/m);
    const json = await shiftfeed(['account', 'show', 'acme', '--json'], { databaseUrl: url });
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
      const { code, stdout, stderr } = await shiftfeed(['account', 'set', 'acme', ...args], {
        databaseUrl: url,
      });
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
      const { code, stderr } = await shiftfeed(['account', 'set', 'acme', ...args], { databaseUrl: url });
      assert.equal(code, 2);
      assert.match(stderr, /^shiftfeed: .*\n$/);
      assert.ok(stderr.endsWith(`${expected}\n`), stderr);
      assert.deepEqual(await account(), before);
    });
  }
});

describe('an account that does not exist', () => {
  const commands = [
    ['account', 'show', 'nobody'],
    ['account', 'set', 'nobody', '--sort', 'group'],
    ['token', 'create', 'nobody'],
  ];
  for (const args of commands) {
    test(`is a sentence for ${args.join(' ')}`, async (t) => {
      const { url, store } = await importer(t);
      assert.deepEqual(await shiftfeed(args, { databaseUrl: url }), {
        code: 1,
        stdout: '',
        stderr: 'shiftfeed: There is no account "nobody": "shiftfeed import" creates accounts.\n',
      });
      assert.deepEqual(await store.accounts(), []);
    });
  }
});
