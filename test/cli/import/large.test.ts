/** Files that are large enough to be read in a thread: the command always ends, whatever goes wrong. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { importer } from '../../import/importer.ts';
import { start } from '../../support/cli.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder } from '../../support/database.ts';
import { acme, shift } from '../../support/document.ts';

/** Some more bytes than are read without a thread. They cost little to read. */
const SPACE = ' '.repeat(5_000_000);

test('a large document is imported, also from standard input', async (t) => {
  const { url, contents } = await importer(t);
  const json = JSON.stringify(acme([shift('2026-12-01'), shift('2026-12-02')]));
  const { code, stderr } = await shiftfeed(['import', '-', '--format', 'json', '--quiet'], {
    databaseUrl: url,
    stdin: `${SPACE}${json}`,
  });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.partialDeepStrictEqual(await contents(), { groups: 1, shifts: 2 });
});

test('a database that cannot be opened ends the reading', async (t) => {
  const folder = await newFolder(t);
  const file = join(folder, 'plan.json');
  // It is opened when there are some records, long before the end of the file.
  const shifts = Array.from({ length: 5_000 }, () => shift('2026-12-01'));
  await writeFile(file, `${JSON.stringify(acme(shifts))}${SPACE}`);
  const { code, stderr } = await shiftfeed(['import', file], { databaseUrl: `sqlite:${file}/shifts.db` });
  assert.equal(code, 1);
  assert.match(stderr, /^shiftfeed: .*shifts\.db.*\n$/);
});

test('what is wrong with a document ends the reading of standard input that stays open', async (t) => {
  const databaseUrl = await newDatabaseUrl(t);
  const child = start(['import', '-', '--format', 'json'], { databaseUrl, stdin: '' });
  t.after(() => child.kill('SIGKILL'));
  child.stdin?.write(`${SPACE}\n{"account": {"slug": "acme"}, ]`);
  const [stderr, [code]] = await Promise.all([
    text(child.stderr as NodeJS.ReadableStream),
    once(child, 'exit'),
  ]);
  assert.equal(code, 1);
  assert.match(stderr, /the file is not valid JSON at line 2, column 31/);
});
