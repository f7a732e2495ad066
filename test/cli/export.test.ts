import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { importer } from '../import/importer.ts';
import { shiftfeed, start } from '../support/cli.ts';
import { command } from '../support/cli-in-process.ts';
import { type Cleanup, newDatabaseUrl, newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { refused } from '../support/outcome.ts';
import { often } from '../support/strength.ts';

const SHIFTS = often(20_000, 200_000);

describe('export', () => {
  test('can be imported elsewhere as it is printed, and exported again', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([shift('2027-01-01')]));
    const { code, stdout, stderr } = await command(url, 'export', 'acme');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const file = join(await newFolder(t), 'acme.json');
    await writeFile(file, stdout);
    const elsewhere = await newDatabaseUrl(t);
    assert.equal((await command(elsewhere, 'import', file)).code, 0);
    assert.equal((await command(elsewhere, 'export', 'acme')).stdout, stdout);
  });

  test('tells on standard error what a CSV cannot say', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([], { groups: [1, 2].map((id) => ({ id, name: 'Bar' })) }));
    const { code, stdout, stderr } = await command(url, 'export', 'acme', '--format', 'csv');
    assert.equal(code, 0);
    assert.match(stdout, /^id,date,.*\n$/);
    assert.match(stderr, /^shiftfeed: Some groups have the same name \(such as 1 and 2\): .*\n$/);
  });

  test('of an account that does not exist is a sentence', async (t) => {
    const { url } = await importer(t);
    assert.deepEqual(
      await command(url, 'export', 'nobody'),
      refused('There is no account "nobody": "shiftfeed import" creates accounts.'),
    );
  });

  describe('of many shifts', async () => {
    const databaseUrl = await largeDatabase({ after });

    test('needs little memory', async () => {
      const options = { databaseUrl, nodeArgs: ['--max-old-space-size=30'] };
      const { code, stdout, stderr } = await shiftfeed(['export', 'acme', '--format', 'csv'], options);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.equal(stdout.split('\n').length, SHIFTS + 2);
    });

    test('ends quietly when its reader has read enough', async () => {
      const child = start(['export', 'acme'], { databaseUrl });
      const { stdout, stderr } = child;
      assert.ok(stdout && stderr);
      const exit = once(child, 'exit');
      const complaints = text(stderr);
      await once(stdout, 'data');
      stdout.destroy();
      assert.equal(await complaints, '');
      assert.deepEqual(await exit, [0, null]);
    });
  });
});

async function largeDatabase(context: Cleanup): Promise<string> {
  const { url, run, account } = await importer(context);
  await run(acme([]));
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  // One month, and no stamps: an export needs none.
  database.exec(`
    DROP TRIGGER shifts_inserted;
    WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${SHIFTS})
    INSERT INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
    SELECT ${(await account()).id}, i, '2027-01-01', '09:00', '17:00', '2027-01-01', 1, '2000-01-01' FROM numbers`);
  database.close();
  return url;
}
