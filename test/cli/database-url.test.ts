/** Nothing that may be a password is ever printed, whatever the URL looks like. Every password here says "hush". */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shiftfeed } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';

/** Nobody listens there. */
const NOWHERE = '127.0.0.1:1';

/** A character that is special in URLs stands in the password as it is, or an encoding is broken. */
const MISWRITTEN = [
  `postgres://u:12/hush@${NOWHERE}/d`,
  `postgres://u:/hush@${NOWHERE}/d`,
  `postgres://u:12/hush/34@${NOWHERE}/d`,
  `postgres://u:hush/12@${NOWHERE}/d`,
  `postgres://u:12?hush@${NOWHERE}/d`,
  `postgres://u:12?hush=1@${NOWHERE}/d`,
  `postgres://u:12#hush@${NOWHERE}/d`,
  `postgres://u:hush#12@${NOWHERE}/d`,
  `postgres://u:12@hush/34@${NOWHERE}/d`,
  `postgres://u:12@hush?34@${NOWHERE}/d`,
  `postgres://u:12@hush#34@${NOWHERE}/d`,
  `postgres://u:12@34/hush@${NOWHERE}/d`,
  `postgres://u:hush%@${NOWHERE}/d`,
  `postgres://u:hush%zz@${NOWHERE}/d`,
  `postgres://u:hush%E9@${NOWHERE}/d`,
  `postgres://u:12/hush%40${NOWHERE}/d`,
  `postgres://u:12/hush%40h`,
  `postgres://u:12?hush%40h`,
  `postgres://u:12@hush%40${NOWHERE}/d`,
  `postgres://u:12@hush/34%40${NOWHERE}/d`,
  `postgres://u:hush@/d`,
  `postgres://u:hush`,
  `postgres://u:hush/d`,
  `postgres://u:hush@[::1/d`,
  `postgres://u:hush@h:port/d`,
  `postgres://u@${NOWHERE}/d?password=hush`,
  `postgres://u@${NOWHERE}/d?password=12&host=hush`,
  `postgres://u@${NOWHERE}/d?password=12&hush`,
  `postgres://u@${NOWHERE}/d?password=12#hush`,
  `postgresql://u:12/hush@${NOWHERE}/d`,
];

const NO_DATABASE_URL = [
  'postgres:/u:hush@h/d',
  'POSTGRES://u:hush@h/d',
  'mysql://u:hush@h/d',
  'hush',
  'u:hush@h',
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
  ['postgres://u:hush@host.invalid/d', /^shiftfeed: The database host\.invalid\/d cannot be reached: /],
  [
    `postgres://u:hush@${NOWHERE}/d?sslrootcert=/nowhere/hush.pem`,
    /^shiftfeed: A certificate or key that the URL .* names cannot be read \(ENOENT\)\.$/m,
  ],
];

const cases: [string, readonly (readonly [url: string, exitCode: number, sentence: RegExp])[]][] = [
  [
    'with something special in a password is refused, and told to percent-encode it',
    MISWRITTEN.map((url) => [url, 2, /^shiftfeed: The database URL is not valid: .*%2F for \/.*\.$/m]),
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
