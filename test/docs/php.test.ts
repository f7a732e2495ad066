/** The script of docs/php.md, run where PHP is installed. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { skipsWithout } from '../support/installed.ts';
import { listen } from '../support/listening.ts';
import { startService } from '../support/service.ts';

const MANUAL = readFileSync(new URL('../../docs/php.md', import.meta.url), 'utf8');
const [PLAIN = '', ...more] = [...MANUAL.matchAll(/^```php\n(.*?)^```$/gms)].map(([, code]) => code);
const PHP_8 = ['php', '-r', 'exit(PHP_VERSION_ID >= 80000 && extension_loaded("curl") ? 0 : 1);'];
const PHP_PACKAGES = 'php-cli php-curl';
const SENTINEL = 'not-for-visitors';
const LIST =
  '<ul>\n<li>2026-11-20 22:00 – 2026-11-22 06:00 Bar &lt;b&gt; Pier</li>\n<li>2026-11-21 09:00–17:00 Bar &lt;b&gt; (cancelled)</li>\n</ul>\n';
const EMPTY = '<ul>\n</ul>\n';

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
await service.import(
  acme(
    [
      shift('2026-11-20', {
        start_time: '22:00',
        end_time: '06:00',
        end_date: '2026-11-22',
        location_id: 1,
        person_id: 1,
        remarks: SENTINEL,
      }),
      shift('2026-11-21', { cancelled: true }),
      shift('2026-11-22', { group_id: 2 }),
    ],
    {
      groups: [
        { id: 1, name: 'Bar <b>' },
        { id: 2, name: SENTINEL, private: true },
      ],
      locations: [{ id: 1, name: 'Pier', address: SENTINEL }],
      people: [{ id: 1, name: SENTINEL }],
    },
  ),
);
const url = `${service.url}/acme`;
const token = await service.token('acme');

test('the manual has one script, which shows groups by name and follows no redirect', () => {
  assert.equal(more.length, 0);
  assert.match(PLAIN, /^ *const GROUP_IDS = \[1\];$/m);
  assert.match(PLAIN, /CURLOPT_FOLLOWLOCATION => false,/);
  // So that the visitors of a busy page do not all ask at once.
  assert.match(PLAIN, /keepCopy\(\$copy\);.*\n.*askShifts\(\);/);
});

test('the script lists what visitors may see, from a copy when it can', async (context) => {
  if (skipsWithout(context, PHP_8, PHP_PACKAGES)) return;
  const site = await plain(context);
  assert.equal(await site.visit(url, token), LIST);
  // Within a minute nobody asks again, not even with a token that is no longer right.
  assert.equal(await site.visit(url, 'wrong'), LIST);
  assert.ok(!(await site.copy()).includes(SENTINEL));
  assert.ok(!(await site.copy()).includes(token));
  await site.age(120);
  assert.equal(await site.visit('http://127.0.0.1:9/acme', token), LIST, 'the service is away for a moment');
  await site.age(90_000);
  assert.equal(await site.visit('http://127.0.0.1:9/acme', token), EMPTY, 'the service is away for a day');
  await site.age(120);
  assert.equal(await site.visit(url, token), LIST);
  await site.age(120);
  assert.equal(await site.visit(url, 'wrong'), EMPTY, 'the token was revoked');
});

test('the script may be included twice', async (context) => {
  if (skipsWithout(context, PHP_8, PHP_PACKAGES)) return;
  const folder = await newFolder(context);
  await writeFile(join(folder, 'shifts.php'), PLAIN);
  await writeFile(join(folder, 'page.php'), "<?php include 'shifts.php'; include 'shifts.php';");
  assert.equal(
    await siteOf(join(folder, 'page.php'), join(folder, 'shifts-copy.json')).visit(url, token),
    LIST + LIST,
  );
});

const ASKED = Math.floor(Date.now() / 1000);
/** What may be in the file of the copy: of an update, of another program, of a disk that was full. */
const NO_COPIES = [
  '',
  '"text"',
  '7',
  '[]',
  'null',
  '{"asked": 1',
  '{"asked": "1", "read": [], "lines": []}',
  `{"asked": ${ASKED}, "read": ${ASKED}}`,
  `{"asked": ${ASKED}, "read": ${ASKED}, "shifts": []}`,
  `{"asked": ${ASKED}, "read": ${ASKED}, "lines": "text"}`,
  `{"asked": ${ASKED}, "read": ${ASKED}, "lines": [{}]}`,
  `{"asked": ${ASKED + 100_000}, "read": ${ASKED}, "lines": []}`,
];

test('a file that holds no copy is read as none, and no visitor sees a message of PHP', async (context) => {
  if (skipsWithout(context, PHP_8, PHP_PACKAGES)) return;
  const site = await plain(context);
  for (const text of NO_COPIES) {
    await writeFile(site.file, text);
    assert.equal(await site.visit(url, token), LIST, text);
    assert.equal(await site.visit(url, 'wrong'), LIST, 'there is a copy again');
  }
});

test('where the copy cannot be written, the list is shown, and only the log says what to do', async (context) => {
  if (skipsWithout(context, PHP_8, PHP_PACKAGES)) return;
  // As a folder that is not there, which is as closed to an administrator as to others, and as one of that name.
  const missing = await plain(context, PLAIN.replace("'/shifts-copy.json'", "'/missing/shifts-copy.json'"));
  const taken = await plain(context);
  await mkdir(taken.file);
  for (const site of [missing, taken]) {
    assert.equal(await site.visit(url, token), LIST);
    assert.match(
      site.log(),
      /^shifts\.php cannot write its copy: PHP has to be able to write into the folder/m,
    );
    assert.ok(!site.log().includes(dirname(site.file)));
    const files = await readdir(dirname(site.file));
    assert.deepEqual(
      files.filter((name) => name.startsWith('shifts-copy.json.')),
      [],
    );
  }
});

test('without curl, the script shows an empty list, and the log says what is missing', async (context) => {
  if (skipsWithout(context, PHP_8, PHP_PACKAGES)) return;
  const folder = await newFolder(context);
  await writeFile(join(folder, 'shifts.php'), PLAIN);
  const { stdout, stderr } = await promisify(execFile)('php', [
    ...['-d', 'disable_functions=curl_init', '-d', 'display_errors=1', '-d', 'error_log='],
    join(folder, 'shifts.php'),
  ]);
  assert.equal(stdout, EMPTY);
  assert.match(stderr, /shifts\.php needs the extension "curl" of PHP\./);
});

for (const [part, start] of [
  ['head', 'HTTP/1.1 200 OK\r\nX-Drops: '],
  ['body', 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{'],
] as const) {
  test(`the script has a deadline, however slowly the ${part} of an answer comes`, async (context) => {
    if (skipsWithout(context, PHP_8, PHP_PACKAGES)) return;
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.write(start);
      const drops = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(drops));
    });
    const port = await listen(context, server);
    const site = await plain(context, PLAIN.replace('DEADLINE_SECONDS = 5;', 'DEADLINE_SECONDS = 1;'));
    assert.equal(await site.visit(`http://127.0.0.1:${port}/acme`, token), EMPTY);
  });
}

interface Site {
  /** That of the copy. */
  readonly file: string;
  /** What the last visit wrote into the log of PHP. */
  log(): string;
  visit(address: string, tokenOfSite: string): Promise<string>;
  copy(): Promise<string>;
  /** Makes all moments in the copy earlier. */
  age(seconds: number): Promise<void>;
}

async function plain(context: TestContext, script = PLAIN): Promise<Site> {
  const folder = await newFolder(context);
  await writeFile(join(folder, 'shifts.php'), script);
  return siteOf(join(folder, 'shifts.php'), join(folder, 'shifts-copy.json'));
}

function siteOf(page: string, copy: string): Site {
  let log = '';
  return {
    file: copy,
    log: () => log,
    async visit(address, tokenOfSite) {
      const env = { PATH: process.env.PATH, SHIFTFEED_URL: address, SHIFTFEED_TOKEN: tokenOfSite };
      // As on hosts that show visitors what goes wrong, and a log that is apart from the page.
      const settings = ['-d', 'display_errors=1', '-d', 'html_errors=0', '-d', 'error_log='];
      const { stdout, stderr } = await promisify(execFile)('php', [...settings, page], {
        env,
        timeout: 60_000,
      });
      assert.ok(!(stdout + stderr).includes(tokenOfSite));
      log = stderr;
      return stdout;
    },
    copy: () => readFile(copy, 'utf8'),
    async age(seconds) {
      const text = await readFile(copy, 'utf8');
      await writeFile(
        copy,
        text.replaceAll(/(?<![\d-])\d{10}(?!\d)/g, (moment) => String(Number(moment) - seconds)),
      );
    },
  };
}
