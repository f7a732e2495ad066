import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { SLUG_RULE } from '../../src/store/account.ts';
import { environment, program, shiftfeed as shiftfeedProcess } from '../support/cli.ts';
import { shiftfeed } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';
import { acme } from '../support/document.ts';
import { refused } from '../support/outcome.ts';

describe('wrong usage is one sentence on standard error and exit code 2', () => {
  const PORT = 'Expected a whole number from 0 to 65535.';
  const RATE = 'Expected a number of requests and s, min or h, such as 600/min.';
  const MEGABYTES = 'Expected a whole number from 1 to 1000000.';
  const ORIGIN = 'Expected an origin such as https://www.example.org.';
  const cases: [args: string[], sentence: string, env?: Record<string, string>][] = [
    [['fly'], "unknown command 'fly'"],
    [['imprt', 'plan.json'], "unknown command 'imprt' (Did you mean import?)"],
    [['exprt', 'acme'], "unknown command 'exprt' (Did you mean export?)"],
    [
      ['export', 'acme', '--format', 'xlsx'],
      "option '--format <format>' argument 'xlsx' is invalid. Allowed choices are json, csv.",
    ],
    [['help', 'tokn'], "unknown command 'tokn' (Did you mean token?)"],
    [['help', 'token', 'crate'], "unknown command 'crate' (Did you mean create?)"],
    [['account', 'delete', 'acme'], "unknown command 'delete'"],
    [['import', 'plan.json', '--dryrun'], "unknown option '--dryrun' (Did you mean --dry-run?)"],
    [['import'], "missing required argument 'file'"],
    [['serve', 'now'], "too many arguments for 'serve'. Expected 0 arguments but got 1."],
    [
      ['token', 'revoke', 'all'],
      "command-argument value 'all' is invalid for argument 'id'. " +
        'Expected a whole number from 1 to 9007199254740991.',
    ],
  ];
  // Nothing that may be a password or a token is repeated.
  cases.push(
    [['token', 'list', '--databse=postgres://u:hush@h/d'], "unknown option '--databse=…'"],
    [['token', 'list', "--password=hu='sh"], "unknown option '--password=…'"],
    [['token', 'list', '--json=hush'], "unknown option '--json=…'"],
    [['token', 'postgres://u:hush@h/d'], "unknown command 'postgres://…'"],
    [
      ['token', 'list', 'acme', 'postgres://u:hush@h/d'],
      "too many arguments for 'list'. Expected 1 argument but got 2.",
    ],
    [
      ['desk', "postgresql://u:hu'sh@h/d"],
      `command-argument value 'postgresql://…' is invalid for argument 'account'. Expected ${SLUG_RULE}.`,
    ],
    [
      ['token', 'revoke', 'shiftfeed_hush'],
      "command-argument value 'shiftfeed_…' is invalid for argument 'id'. " +
        'Expected a whole number from 1 to 9007199254740991.',
    ],
    [
      ['serve'],
      `option '--port <number>' value 'postgres://…' from env 'PORT' is invalid. ${PORT}`,
      { PORT: 'postgres://u:hush@h/d' },
    ],
  );
  const options: [option: string, value: string, expected: string][] = [
    ['--port <number>', '65536', PORT],
    ['--port <number>', '-1', PORT],
    ['--cache-mb <number>', '0', MEGABYTES],
    ['--base-url <url>', 'ftp://files.example.org', 'Expected a URL such as https://shifts.example.org.'],
    ['--cors-origin <origin>', 'https://www.example.org/page', ORIGIN],
    ['--path-prefix <path>', 'shifts', 'Expected a path such as /shifts.'],
    ['--path-prefix <path>', '/../shifts', 'Expected a path such as /shifts.'],
    [
      '--trust-proxy <addresses>',
      '10.0.0.7,10.0.0.0/33',
      'Expected addresses such as 10.0.0.7, networks such as 10.0.0.0/8, or loopback, linklocal, uniquelocal.',
    ],
    ['--rate-limit <rate>', '600', RATE],
    ['--rate-limit <rate>', '600/constructor', RATE],
    ['--failed-token-limit <rate>', '0/min', RATE],
    ['--log-level <level>', 'all', 'Allowed choices are info, warn, error.'],
  ];
  for (const [option, value, expected] of options) {
    const sentence = `option '${option}' argument '${value}' is invalid. ${expected}`;
    cases.push([['serve', option.split(' ')[0] ?? '', value], sentence]);
  }
  const variables: [option: string, name: string, value: string, expected: string][] = [
    ['--port <number>', 'PORT', '', PORT],
    ['--host <address>', 'HOST', '', 'Expected an address such as 127.0.0.1.'],
    ['--cache-mb <number>', 'SHIFTFEED_CACHE_MB', '0', MEGABYTES],
    ['--port <number>', 'SHIFTFEED_PORT', 'x', PORT],
    ['--demo', 'SHIFTFEED_DEMO', 'maybe', 'Expected true or false.'],
    ['--cors-origin <origin>', 'SHIFTFEED_CORS_ORIGIN', 'https://a.example,b', ORIGIN],
  ];
  for (const [option, name, value, expected] of variables) {
    const sentence = `option '${option}' value '${value}' from env '${name}' is invalid. ${expected}`;
    // The more special of two variables is taken.
    cases.push([['serve'], sentence, { PORT: '8080', [name]: value }]);
  }
  for (const [args, sentence, env = {}] of cases) {
    test(
      [...Object.entries(env).map((entry) => entry.join('=')), 'shiftfeed', ...args].join(' '),
      async () => {
        assert.deepEqual(await shiftfeed(args, { env }), refused(sentence, 2));
      },
    );
  }

  test('of a real process, too', async () => {
    assert.deepEqual(
      await shiftfeedProcess(['serve'], { env: { PORT: 'x' } }),
      refused(`option '--port <number>' value 'x' from env 'PORT' is invalid. ${PORT}`, 2),
    );
  });

  for (const args of [['token', 'list'], ['serve', '--port', '0'], []]) {
    test(`shiftfeed ${args.join(' ')} in a folder that was removed says so`, async (t) => {
      const words = ['cd "$0" && rmdir "$0" && exec "$@"', await newFolder(t), ...program(), ...args];
      const { status, stderr } = spawnSync('sh', ['-c', ...words], {
        env: { ...environment(), npm_command: '' },
        encoding: 'utf8',
      });
      assert.equal(stderr, 'shiftfeed: The current folder was removed: change to another one.\n');
      assert.equal(status, 1);
    });
  }

  test('shiftfeed account alone shows the help instead', async () => {
    const { code, stdout, stderr } = await shiftfeed(['account']);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /^Usage: shiftfeed /);
  });
});

describe('a database that cannot be used is one sentence on standard error', () => {
  const list = (database: string) => shiftfeed(['account', 'list', '--database', database]);

  test('when the file is something else', async (t) => {
    const path = join(await newFolder(t), 'letter.db');
    await writeFile(path, 'Dear Ada, '.repeat(1000));
    assert.deepEqual(await list(`sqlite:${path}`), refused(`The file ${path} is not a SQLite database.`));
  });

  test('when it is a folder', async (t) => {
    const path = join(await newFolder(t), 'folder.db');
    await mkdir(path);
    assert.deepEqual(
      await list(`sqlite:${path}`),
      refused(`The database ${path} cannot be opened: check the path and its permissions.`),
    );
  });

  test('when a newer Shiftfeed wrote it', async (t) => {
    const path = join(await newFolder(t), 'newer.db');
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE schema_version (reads_from INTEGER); INSERT INTO schema_version VALUES (999);
      PRAGMA application_id = 0x73666564; PRAGMA user_version = 999`);
    database.close();
    const { code, stdout, stderr } = await list(`sqlite:${path}`);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(
      stderr,
      /^shiftfeed: The database \S+ was written by a newer Shiftfeed \(schema 999, this one knows \d+\): use that version, or restore the backup from before the upgrade\.\n$/,
    );
    const after = new DatabaseSync(path);
    assert.equal(after.prepare('PRAGMA user_version').get()?.user_version, 999);
    after.close();
  });

  test('when its folder cannot be made, and then at once', async () => {
    assert.deepEqual(
      await shiftfeed(['serve', '--database', 'sqlite:/proc/no/such/shifts.db']),
      refused('The folder /proc/no of the database cannot be made: this file system does not allow it.'),
    );
  });
});

describe('the database', () => {
  test('may lie in the home of the user, written as ~/', async (t) => {
    const home = await newFolder(t);
    const cwd = await newFolder(t);
    await writeFile(join(cwd, 'plan.json'), JSON.stringify(acme([])));
    await writeFile(join(cwd, 'url'), 'sqlite:~/plans/shifts.db');
    const run = (...args: string[]) => shiftfeedProcess(args, { cwd, env: { HOME: home } });
    const { stdout } = await run('import', 'plan.json', '--database', 'sqlite:~/plans/shifts.db');
    assert.match(stdout, new RegExp(`^Imported into ${home}/plans/shifts\\.db\\.$`, 'm'));
    assert.equal((await run('account', 'show', 'acme', '--database-file', 'url')).code, 0);
    assert.ok(!existsSync(join(cwd, '~')));
  });

  test('is data/shiftfeed.db in the current folder when neither is given', async (t) => {
    const cwd = await newFolder(t);
    const { stderr } = await shiftfeedProcess(['account', 'list'], { cwd });
    assert.match(stderr, /There is no database at \/\S+\/data\/shiftfeed\.db:/);
    await writeFile(join(cwd, 'plan.json'), JSON.stringify(acme([])));
    assert.equal((await shiftfeed(['import', 'plan.json'], { cwd })).code, 0);
    assert.equal((await shiftfeed(['account', 'show', 'acme'], { cwd })).code, 0);
  });
});
