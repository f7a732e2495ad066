import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { openDesk } from '../desk/desk.ts';
import { exitOf } from '../support/cli.ts';
import { startServer } from '../support/cli-in-process.ts';
import { DATABASES, runSql } from '../support/database.ts';
import { acme } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';

for (const kind of DATABASES.slice(0, often(1, 2))) {
  test(`a server on ${kind} has noted which token was used by the time it ends`, async (t) => {
    const { databaseUrl, token } = await filledDatabase(t, acme([]), kind);
    const { url, child } = await startServer(t, [], { databaseUrl });
    // On a busy machine, PostgreSQL may answer too late now and then.
    const answers = (bearer: string, status: number) =>
      until(`${status} is answered`, async () => {
        const headers = { authorization: `Bearer ${bearer}` };
        const response = await fetch(`${url}/acme/api/v1/shifts`, { headers });
        assert.ok([status, 503].includes(response.status), String(response.status));
        return response.status === status;
      });
    await answers(token, 200);
    await answers('unknown', 401);
    assert.deepEqual(await exitOf(child), [0, null]);
    const store = await openStore(databaseUrl, { missing: 'fail' });
    const [used] = await store.tokens();
    assert.equal((used?.lastUsedAtMs ?? 1) % 3_600_000, 0);
    await store.close();
  });
}

test('a server and a desk forget, when they start, what was imported more than a year ago', async (t) => {
  for (const begin of [
    (databaseUrl: string) => startServer(t, [], { databaseUrl }),
    (databaseUrl: string) => openDesk(t, { databaseUrl }),
  ]) {
    const { databaseUrl } = await filledDatabase(t, acme([]));
    runSql(databaseUrl, 'UPDATE import_history SET at = 1');
    const store = await openStore(databaseUrl, { missing: 'fail' });
    t.after(() => store.close());
    assert.equal((await store.history(1)).length, 1);
    await begin(databaseUrl);
    await until('it is forgotten', async () => (await store.history(1)).length === 0);
  }
});
