/** At its end, an import tells how many of its shifts are not listed, and why. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { importer } from '../../import/importer.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { type Cleanup, DATABASES, newFolder } from '../../support/database.ts';
import { often } from '../../support/strength.ts';

const NOW_MS = Date.parse('2026-11-16T12:00:00Z');
const HEADER = 'date,start_time,end_time,group,publish_date';

for (const database of DATABASES.slice(0, often(1, 2))) {
  const shared = await importer({ after }, database);
  describe(`shifts that are not listed, on ${database}`, () => {
    let accounts = 0;
    async function newAccount(t: Cleanup, settings: object) {
      const slug = `unlisted-${++accounts}`;
      const groups = [
        { id: 1, name: 'Bar' },
        { id: 2, name: 'Office', active: false },
      ];
      await shared.run({ account: { slug, ...settings }, groups });
      const folder = await newFolder(t);
      return {
        slug,
        async lastLine(name: string, text: string, ...options: string[]) {
          const file = join(folder, name);
          await writeFile(file, text);
          const args = ['import', file, '--account', slug, ...options];
          const { code, stdout, stderr } = await shiftfeed(args, { databaseUrl: shared.url, nowMs: NOW_MS });
          assert.equal(code, 0, stderr);
          return stdout.trimEnd().split('\n').at(-1);
        },
      };
    }
    const sheet = (...rows: (readonly [group: string, published: string])[]) =>
      [HEADER, ...rows.map(([group, date], i) => `2026-12-0${i + 1},9:00,17:00,${group},${date}`)].join('\n');

    test('because they are not published yet, or their group is not active', async (t) => {
      const { lastLine } = await newAccount(t, { premium: true });
      const early = sheet(['Bar', '2026-11-16'], ['Bar', '2027-01-01'], ['bar', '2027-01-01']);
      const told = '2 of the 3 shifts are not listed: 2 are not published before 2027-01-01.';
      assert.equal(await lastLine('plan.csv', early, '--dry-run'), told);
      assert.equal(await lastLine('plan.csv', early), told);
      assert.equal(await lastLine('plan.csv', `${early}\n`), told);
      assert.equal(
        await lastLine(
          'plan.csv',
          sheet(['Bar', '2026-12-01'], ['Office', '2026-11-01'], ['Office', '2027-01-01']),
        ),
        'None of the shifts is listed: 2 are not published yet, the first before 2026-12-01, ' +
          '1 belongs to a group that is not active.',
      );
      assert.match(String(await lastLine('plan.csv', sheet(['Bar', '2026-11-01']))), /^shifts +/);
      assert.equal(await lastLine('plan.csv', sheet(['Office', '2026-11-01']), '--quiet'), '');
    });

    test('because the account is not premium', async (t) => {
      const { lastLine, slug } = await newAccount(t, { premium: false });
      const told = `None of it is listed: the account ${slug} is not premium, so no token is live. "shiftfeed account set ${slug} --premium true" changes that.`;
      assert.equal(await lastLine('plan.csv', sheet(['Bar', '2026-11-01'])), told);
      assert.match(
        String(await lastLine('plan.csv', sheet(['Bar', '2026-11-01']), '--premium', 'true')),
        /^shifts +/,
      );
    });

    test('also of a JSON document, which may say which groups are active', async (t) => {
      const { lastLine, slug } = await newAccount(t, { premium: true });
      const shift = {
        date: '2026-12-01',
        start_time: '09:00',
        end_time: '17:00',
        publish_date: '2026-11-01',
      };
      const document = (groups: object[]) =>
        JSON.stringify({
          account: { slug },
          groups,
          shifts: [
            { ...shift, id: 1, group_id: 1 },
            { ...shift, id: 2, group_id: 2 },
          ],
        });
      const told = '1 of the 2 shifts is not listed: 1 belongs to a group that is not active.';
      assert.equal(await lastLine('plan.json', document([])), told);
      assert.equal(
        await lastLine(
          'plan.json',
          document([
            { id: 1, active: false },
            { id: 2, active: true },
          ]),
        ),
        told,
      );
    });
  });
}
