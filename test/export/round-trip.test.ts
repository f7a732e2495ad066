/** What is exported and imported elsewhere is the same, whichever the databases are. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { exportAccount } from '../../src/export/export.ts';
import { importParts } from '../../src/import/import.ts';
import type { Store } from '../../src/store/store.ts';
import { readText } from '../import/reading.ts';
import { anyCase } from '../listing/arbitraries.ts';
import { DATABASES } from '../support/database.ts';
import { ACME } from '../support/document.ts';
import { documentOf } from '../support/document-of.ts';
import { type Service, startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

const QUERIES = [
  '?date_from=1000-01-01&published=false',
  '?date_from=1000-01-01&published=false&per_page=7&page=2',
  '',
  '?location_ids=1,3&date_from=1000-01-01&published=false',
];

/** From each database to each, the same one included. */
const [sources, targets] = await Promise.all([startAll(), startAll()]);
const UNCHANGED = { added: 0, changed: 0, removed: 0 };

test('a random account, exported and imported elsewhere, has the same pages, and again changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, fc.boolean(), async (account, active) => {
      const document = documentOf(account.shifts, account.order);
      const [group, ...groups] = document.groups;
      const inactive = { id: 99, name: 'Nobody', active: false, private: true };
      const changed = {
        ...document,
        groups: group ? [{ ...group, active }, ...groups, inactive] : [inactive],
      };
      const expected: string[] = [];
      for (const source of sources) {
        await source.service.import(changed, { replace: true });
        setToday(source.service, account.today);
        const text = await exported(source.service.store);
        expected.push(text);
        for (const target of targets) {
          await importText(target.service.store, text, true);
          setToday(target.service, account.today);
          for (const query of QUERIES) {
            const pages = await Promise.all(
              [source, target].map(async ({ service, token }) =>
                (await service.get('acme', query, token)).text(),
              ),
            );
            assert.equal(pages[0], pages[1]);
          }
          const { revision } = await contentsOf(target.service.store);
          const summary = await importText(target.service.store, text, false);
          assert.equal(summary.account, 'unchanged');
          for (const tally of Object.values(summary.tables)) assert.partialDeepStrictEqual(tally, UNCHANGED);
          assert.equal((await contentsOf(target.service.store)).revision, revision);
          assert.equal(await exported(target.service.store), text);
        }
      }
      assert.equal(expected[0], expected[1]);
    }),
    { numRuns: often(2, 20) },
  );
});

async function startAll(): Promise<{ service: Service; token: string }[]> {
  return Promise.all(
    DATABASES.map(async (database) => {
      const service = await startService({ after }, { database, now: '2026-11-15T12:00:00Z' });
      await service.import({ account: ACME });
      return { service, token: await service.token('acme') };
    }),
  );
}

function setToday(service: Service, today: string): void {
  service.nowMs = Temporal.PlainDate.from(today).toZonedDateTime('UTC').epochMilliseconds;
}

async function exported(store: Store): Promise<string> {
  const text = await store.readAccount('acme', async (reading) => {
    const pieces = exportAccount(reading, 'json', (sentence) => assert.fail(sentence));
    return (await Array.fromAsync(pieces)).join('');
  });
  assert.ok(text);
  return text;
}

async function importText(store: Store, text: string, replace: boolean) {
  return importParts(store, await readText(text), { replace, dryRun: false });
}

async function contentsOf(store: Store) {
  const account = await store.findAccount('acme');
  assert.ok(account);
  return store.describeAccount(account.id);
}
