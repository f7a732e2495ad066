/** Nothing that may be a password is ever printed, whatever the URL looks like. Every password here says "hush". */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { importer } from '../import/importer.ts';
import { startServer } from '../support/cli.ts';
import { shiftfeed, startServer as startHere } from '../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { printed, refused } from '../support/outcome.ts';
import { until } from '../support/until.ts';

/** Nobody listens there. */
const NOWHERE = '127.0.0.1:1';

/** A character that is special in URLs stands in the password as it is, with the advice that it gets. */
const MISWRITTEN: [url: string, advice: string][] = [
  [`postgres://u:12/hush@${NOWHERE}/d`, '/: write %2F for /'],
  [`postgres://u:/hush@${NOWHERE}/d`, '/: write %2F for /'],
  [`postgres://u:12/hush/34@${NOWHERE}/d`, '/: write %2F for /'],
  [`postgres://u:hush/12@${NOWHERE}/d`, '/: write %2F for /'],
  [`postgres://u:12?hush@${NOWHERE}/d`, '?: write %3F for ?'],
  [`postgres://u:12?hush=1@${NOWHERE}/d`, '?: write %3F for ?'],
  [`postgres://u:12#hush@${NOWHERE}/d`, '#: write %23 for #'],
  [`postgres://u:hush#12@${NOWHERE}/d`, '#: write %23 for #'],
  [`postgres://u:12@hush/34@${NOWHERE}/d`, '@ and /: write %40 for @, %2F for /'],
  [`postgres://u:12@hush?34@${NOWHERE}/d`, '@ and ?: write %40 for @, %3F for ?'],
  [`postgres://u:12@hush#34@${NOWHERE}/d`, '@ and #: write %40 for @, %23 for #'],
  [`postgres://u:12@34/hush@${NOWHERE}/d`, '@ and /: write %40 for @, %2F for /'],
  [`postgres://u:12,34/hush@${NOWHERE},${NOWHERE}/d`, '/: write %2F for /'],
  [`postgres://u:hush@${NOWHERE}/d#12`, '#: write %23 for #'],
  [`postgresql://u:12/hush@${NOWHERE}/d`, '/: write %2F for /'],
];
const BROKEN_ENCODING = ['hush%', 'hush%zz', 'hush%E9'].map(
  (password) => `postgres://u:${password}@${NOWHERE}/d`,
);

/** What is a host, a database or a parameter in these cannot be told from a password. */
const UNCLEAR = [
  `postgres://u:12/hush%40${NOWHERE}/d`,
  `postgres://u:12/hush%40h`,
  `postgres://u:12?hush%40h`,
  `postgres://u:12?hush=1`,
  `postgres://u:12@hush%40${NOWHERE}/d`,
  `postgres://u:12@hush/34%40${NOWHERE}/d`,
  `postgres://u:hush@/d`,
  `postgres://u:hush`,
  `postgres://u:hush/d`,
  `postgres://u:12@h/hush/d`,
  `postgres://u:hush@[::1/d`,
  `postgres://u:hush@::1/d`,
  `postgres://u:12@hu sh/d`,
];

const PASSWORD_PARAMETERS = [
  'password=hush',
  'password=12&host=hush',
  'password=12&hush',
  'sslmode=hush&password=12',
];

/** Each is refused for the rest of its sentence. */
const REFUSED: [url: string, flaw: string][] = [
  ...PASSWORD_PARAMETERS.map((parameters): [string, string] => [
    `postgres://u@${NOWHERE}/d?${parameters}`,
    'its password stands in a parameter, and belongs before the @; expected postgres://',
  ]),
  [`postgres://u:hush@a,,b/d`, 'a host in its list is empty.'],
  [`postgres://u:hush@a,/d`, 'a host in its list is empty.'],
  [`postgres://u:hush@${'a,'.repeat(20)}a/d`, 'it has 21 hosts, at most 20 are taken.'],
  [`postgres://u:hush@/d?host=a,b&port=1,2,3`, 'it has 2 hosts and 3 ports.'],
  [`postgres://u:hush@h:port/d`, 'a port in it is no number from 1 to 65535; expected postgres://'],
  [`postgres://u:hush@a:1,b:65536/d`, 'a port in it is no number from 1 to 65535; expected postgres://'],
  [`postgres://u:hush@h/d?port=0`, 'a port in it is no number from 1 to 65535; expected postgres://'],
  [
    `postgres://u:hush@h/d?pgbouncer=true`,
    'its parameter pgbouncer is unknown to Shiftfeed; known are application_name, ',
  ],
  [`postgres://u:hush@h/d?sslMode=require`, 'its parameter sslMode is unknown to Shiftfeed; known are '],
  [
    `postgres://u:hush@h/d?query_timeout=5`,
    'its parameter query_timeout is unknown to Shiftfeed; known are ',
  ],
  [`postgres://u:hush@h/d?user=a&user=b`, 'it has the parameter user twice.'],
  [
    `postgres://u:hush@h/d?sslmode=prefer`,
    'its parameter sslmode is "prefer", expected disable, require, verify-ca, verify-full or no-verify.',
  ],
  [
    `postgres://u:hush@a,b/d?target_session_attrs=master`,
    'its parameter target_session_attrs is "master", expected any, primary, read-write, standby, prefer-standby or read-only.',
  ],
  [
    `postgres://u:hush@a,b/d?load_balance_hosts=yes`,
    'its parameter load_balance_hosts is "yes", expected disable or random.',
  ],
  [
    `postgres://u:hush@h/d?gssencmode=require`,
    'its parameter gssencmode is "require", expected disable or prefer.',
  ],
  [`postgres://u:hush@h/d?sslrootcert=`, 'its parameter sslrootcert is "", expected a value.'],
  [`postgres://u:hush@h/d?connect_timeout=1.5`, 'its parameter connect_timeout is no number of seconds.'],
  [
    `postgres://u:hush@h/d?sslmode=disable&ssl=true`,
    'its parameters sslmode=disable and ssl=true contradict each other: leave ssl out.',
  ],
  [
    `postgres://u:hush@h/d?sslmode=verify-ca`,
    'sslmode=verify-ca needs the file of an authority as sslrootcert: add it, or take verify-full.',
  ],
  [
    `postgres://u:hush@h/d?channel_binding=require`,
    'channel_binding=require needs TLS with a verified certificate: add sslmode=verify-full.',
  ],
  [
    `postgres://u:hush@h/d?sslmode=no-verify&channel_binding=require`,
    'channel_binding=require needs TLS with a verified certificate: add sslmode=verify-full.',
  ],
];

const NO_DATABASE_URL = [
  'postgres://',
  'postgres:/u:hush@h/d',
  'POSTGRES://u:hush@h/d',
  'mysql://u:hush@h/d',
  'mysql:u:hu/sh@hush@h/d?password=hush',
  'hush',
  'u:hush@h',
];

/** Nothing in these can be a password, so they are quoted. */
const QUOTED: [url: string, sentence: string][] = [
  ['', '--database is empty: expected sqlite:PATH or postgres:'],
  ['data/shifts.db', '--database data/shifts.db is not a database URL: did you mean sqlite:data/shifts.db?'],
  ['sqlite::memory:', '--database sqlite::memory: is not a database URL: expected sqlite:PATH'],
  [
    'sqlite://two/slashes.db',
    '--database sqlite://two/slashes.db is not a database URL: expected sqlite:PATH',
  ],
];

/** These can be read in one way only. */
const RIGHT = [
  `postgres://u:12%2Fhush@${NOWHERE}/d`,
  `postgres://u:12@hush@${NOWHERE}/d`,
  `postgres://u:12%40hush%25%23%3F@${NOWHERE}/d`,
  `postgres://hush@${NOWHERE}/d`,
  `postgres://:hush@${NOWHERE}/d`,
  `postgres://u:hush@${NOWHERE}/d?application_name=hush%40home`,
];

const RIGHT_BUT_FAILING: [string, RegExp][] = [
  [
    'postgres://u:hush@/d?host=/nowhere',
    /^shiftfeed: The database \/nowhere\/d cannot be reached: there is no such socket \(ENOENT\)\.$/m,
  ],
  ['postgres://u:hush@host.invalid/d', /^shiftfeed: The database host\.invalid\/d cannot be reached: /],
  [
    `postgres://u:hush@${NOWHERE}/d?sslrootcert=/nowhere/hush.pem`,
    /^shiftfeed: A certificate or key that the URL .* names cannot be read \(ENOENT\)\.$/m,
  ],
];

const cases: [string, readonly (readonly [url: string, exitCode: number, sentence: RegExp])[]][] = [
  [
    'with something special in a password is refused, and told how to encode it',
    MISWRITTEN.map(([url, advice]) => [
      url,
      2,
      literally(
        `shiftfeed: --database is not valid: a user name, password or parameter in it holds ${advice}.`,
      ),
    ]),
  ],
  [
    'with a broken encoding is refused, and told how to write a %',
    BROKEN_ENCODING.map((url) => [
      url,
      2,
      /^shiftfeed: --database is not valid: a % in it .* write %25 for % .*\.$/m,
    ]),
  ],
  [
    'that can be read in two ways is refused, and told what is expected',
    UNCLEAR.map((url) => [
      url,
      2,
      /^shiftfeed: --database is not valid: (?:a port .*; )?expected postgres:\/\/USER:PASSWORD@HOST\/DATABASE, .*%2F for \/.*\.$/m,
    ]),
  ],
  [
    'with a host or parameter that cannot be used is refused, and told why',
    REFUSED.map(([url, flaw]) => [url, 2, literally(`shiftfeed: --database is not valid: ${flaw}`)]),
  ],
  [
    'of no known form is refused',
    NO_DATABASE_URL.map((url) => [
      url,
      2,
      /^shiftfeed: --database is not a database URL: expected sqlite:PATH or postgres:.*\.$/m,
    ]),
  ],
  [
    'that is none, and no secret, is refused with what was meant',
    QUOTED.map(([url, sentence]) => [url, 2, literally(`shiftfeed: ${sentence}`)]),
  ],
  [
    'that is right names host and database when nobody answers',
    RIGHT.map((url) => [
      url,
      1,
      /^shiftfeed: The database 127\.0\.0\.1:1\/d cannot be reached: nobody listens there \(ECONNREFUSED\)\.$/m,
    ]),
  ],
  [
    'that leads to an error of the system is told by its code',
    RIGHT_BUT_FAILING.map(([url, sentence]) => [url, 1, sentence]),
  ],
];
function literally(text: string): RegExp {
  return new RegExp(`^${RegExp.escape(text)}`, 'm');
}

for (const [what, urls] of cases) {
  test(`a database URL ${what}`, async (context) => {
    const cwd = await newFolder(context);
    for (const [url, exitCode, sentence] of urls) {
      const { code, stdout, stderr } = await shiftfeed(['account', 'list', '--database', url], { cwd });
      assert.equal(stdout, '', url);
      assert.match(stderr, sentence, url);
      assert.doesNotMatch(stderr, /hush/, url);
      assert.equal(code, exitCode, url);
    }
  });
}

test('a database URL in a variable is blamed on the variable', async () => {
  for (const [variable, url, sentence] of [
    ['DATABASE_URL', '', 'is empty: expected '],
    ['DATABASE_URL', 'x.db', 'x.db is not a database URL: did you mean sqlite:x.db?'],
    ['SHIFTFEED_DATABASE', 'hush', 'is not a database URL: expected '],
    ['SHIFTFEED_READ_DATABASE', '', 'is empty: expected '],
  ] as const) {
    const { code, stdout, stderr } = await shiftfeed(['serve'], { env: { [variable]: url } });
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, literally(`shiftfeed: ${variable} ${sentence}`));
    assert.doesNotMatch(stderr, /hush/);
  }
});

test('a database URL of desk keys is checked as elsewhere', async () => {
  const keys = (url: string) => shiftfeed(['desk', 'keys', 'acme', '--database', url]);
  assert.match(
    (await keys('x.db')).stderr,
    /^shiftfeed: --database x\.db is not a database URL: did you mean /,
  );
  assert.deepEqual(
    await keys('sqlite:~/no/such.db'),
    refused(`There is no database at ${join(homedir(), 'no/such.db')}: "import" and "serve" create one.`),
  );
});

test('a database URL in place of an account is not repeated', async (t) => {
  const { code, stderr } = await shiftfeed(['token', 'list', 'postgres://u:hush@h/d'], {
    databaseUrl: await acmeDatabase(t),
  });
  assert.equal(code, 1);
  assert.match(stderr, /^shiftfeed: There is no account "postgres:\/\/…": /);
});

const CONCURRENCY = { concurrency: 3 };
const LIST = ['account', 'list', '--json'];

describe('a database URL in a file', CONCURRENCY, () => {
  test('is read from its first line, for --database-file and for DATABASE_URL_FILE', async (t) => {
    const url = await acmeDatabase(t);
    for (const text of [url, `${url}\n`, ` ${url} \r\nand a second line`]) {
      const path = await fileOf(t, text);
      assert.equal(slugOf(await shiftfeed([...LIST, '--database-file', path])), 'acme');
      assert.equal(slugOf(await shiftfeed(LIST, { env: { DATABASE_URL_FILE: path } })), 'acme');
    }
  });

  test('serves and never shows in a command line, with workers as well', async (t) => {
    const { databaseUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]), 'postgres');
    const path = await fileOf(t, databaseUrl);
    const server = await startServer(t, ['--workers', '2', '--database-file', path], {});
    const headers = { authorization: `Bearer ${token}` };
    // A busy machine may take longer for the first question than a server waits.
    await until('shifts are listed', async () => {
      const { status } = await fetch(`${server.url}/acme/api/v1/shifts`, { headers });
      assert.ok(status === 200 || status === 503, String(status));
      return status === 200;
    });
    assert.doesNotMatch(await readFile(`/proc/${server.child.pid}/cmdline`, 'utf8'), /postgres:/);
  });

  test('is where shifts are read with --read-database-file', async (t) => {
    const { databaseUrl: readUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]));
    const args = ['--read-database-file', await fileOf(t, readUrl)];
    const server = await startHere(t, args, { databaseUrl: await newDatabaseUrl(t) });
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${server.url}/acme/api/v1/shifts`, { headers })).status, 200);
  });

  test('wins on the command line over the environment, and the other way round', async (t) => {
    const url = await acmeDatabase(t);
    const path = await fileOf(t, url);
    const none = 'sqlite:/nowhere/none.db';
    const byFile = await shiftfeed([...LIST, '--database-file', path], { env: { DATABASE_URL: none } });
    assert.equal(slugOf(byFile), 'acme');
    for (const env of [{ DATABASE_URL_FILE: '/nowhere' }, { DATABASE_URL: none }])
      assert.equal(slugOf(await shiftfeed([...LIST, '--database', url], { env })), 'acme');
  });

  test('wins as a variable over DATABASE_URL, which units and images preset', async (t) => {
    const url = await acmeDatabase(t);
    const path = await fileOf(t, url);
    const preset = { DATABASE_URL: 'sqlite:/nowhere/none.db' };
    for (const given of [
      { DATABASE_URL_FILE: path },
      { SHIFTFEED_DATABASE_FILE: path },
      { SHIFTFEED_DATABASE: url, DATABASE_URL_FILE: '/nowhere' },
    ])
      assert.equal(slugOf(await shiftfeed(LIST, { env: { ...preset, ...given } })), 'acme');
  });

  test('is that of desk invite, keys and revoke, too, and another database is left alone', async (t) => {
    const path = await fileOf(t, await acmeDatabase(t));
    const cwd = await newFolder(t);
    await writeFile(join(cwd, 'plan.json'), JSON.stringify(acme([])));
    assert.equal((await shiftfeed(['import', 'plan.json'], { cwd })).code, 0);
    for (const [name, args, env] of [
      ['Ada', ['--database-file', path], {}],
      ['Noor', [], { DATABASE_URL_FILE: path }],
    ] as const) {
      const desk = (...words: string[]) => shiftfeed(['desk', ...words, ...args], { cwd, env });
      assert.equal((await desk('invite', 'acme', '--name', name)).code, 0);
      assert.match((await desk('keys', 'acme')).stdout, new RegExp(`^${name} +planner +live `, 'm'));
      const keys = await shiftfeed(['desk', 'keys', 'acme'], { cwd });
      assert.deepEqual(keys, printed('Nobody has a key of acme: "shiftfeed desk invite" makes one.'));
      assert.deepEqual(await desk('revoke', 'acme', name), printed(`The key of ${name} is revoked.`));
    }
  });

  const conflicts: [args: string[], env: Record<string, string>, sentence: string][] = [
    [
      ['--database', 'sqlite:a.db', '--database-file', 'a.url'],
      {},
      '--database and --database-file cannot be used together: give one of them',
    ],
    [
      [],
      { SHIFTFEED_DATABASE: 'sqlite:a.db', SHIFTFEED_DATABASE_FILE: 'a.url' },
      'SHIFTFEED_DATABASE and SHIFTFEED_DATABASE_FILE cannot be used together: give one of them',
    ],
  ];
  for (const [args, env, sentence] of conflicts) {
    test(`is not taken beside another one: ${sentence}`, async () => {
      assert.deepEqual(await shiftfeed([...LIST, ...args], { env }), refused(sentence, 2));
    });
  }

  test('that is not there is a sentence with its path', async () => {
    assert.deepEqual(
      await shiftfeed([...LIST, '--database-file', '/nowhere/url']),
      refused('--database-file names /nowhere/url, which cannot be read: there is no such file.'),
    );
  });

  test('must be a file for several workers: each reads it again', async () => {
    assert.deepEqual(
      await shiftfeed(['serve', '--workers', '2', '--database-file', '/dev/null']),
      refused(
        '--database-file names /dev/null, which cannot be read: it is not a file, and each worker reads it again.',
      ),
    );
  });

  for (const text of ['', '\npostgres://ada:secret@127.0.0.1/shifts', 'ada:secret@127.0.0.1/shifts']) {
    test(`that is none is a sentence with the path and not the content: ${JSON.stringify(text)}`, async (t) => {
      const path = await fileOf(t, text);
      assert.deepEqual(await shiftfeed(LIST, { env: { DATABASE_URL_FILE: path } }), {
        code: 2,
        stdout: '',
        stderr:
          `shiftfeed: DATABASE_URL_FILE names ${path}, whose first line is not a database URL: expected ` +
          'sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.\n',
      });
    });
  }
});

async function acmeDatabase(context: TestContext): Promise<string> {
  const { url, run } = await importer(context);
  await run(acme([]));
  return url;
}

async function fileOf(context: TestContext, text: string): Promise<string> {
  const path = join(await newFolder(context), 'database-url');
  await writeFile(path, text);
  return path;
}

function slugOf({ stdout, stderr }: { stdout: string; stderr: string }): string {
  assert.equal(stderr, '');
  return JSON.parse(stdout)[0].slug;
}
