import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { anyCase, anyQuery } from '../listing/arbitraries.ts';
import { expectedBody, toSearch } from '../listing/oracle.ts';
import { DATABASES } from '../support/database.ts';
import { ACME } from '../support/document.ts';
import { documentOf } from '../support/document-of.ts';
import { type Service, startService } from '../support/service.ts';

/** Both databases, and both ways to load: whole months at once, or the days of a page first. */
const services: Service[] = [];
for (const database of DATABASES) {
  for (const eagerRows of [5_000, 0])
    services.push(await startService({ after }, { database, eagerRows, now: '2026-11-15T12:00:00Z' }));
}
for (const service of services) await service.import({ account: ACME });
const tokens = await Promise.all(services.map((service) => service.token('acme')));

test('any account, imported over the one before, answers any query with the same bytes on both databases, however it is loaded, as by hand', async () => {
  const anything = anyCase.chain((account) =>
    fc.tuple(fc.constant(account), fc.array(anyQuery(account.today), { minLength: 12, maxLength: 12 })),
  );
  await fc.assert(
    fc.asyncProperty(anything, async ([account, queries]) => {
      const document = documentOf(account.shifts, account.order);
      const bodies = queries.map((query) =>
        expectedBody(account.shifts, query, account.today, account.order),
      );
      // They have nothing to do with each other, so none waits for another.
      await Promise.all(
        services.map(async (service, i) => {
          service.nowMs = Temporal.PlainDate.from(account.today).toZonedDateTime('UTC').epochMilliseconds;
          await service.import(document, { replace: true });
          for (const [j, query] of queries.entries()) {
            const response = await service.get('acme', `?${toSearch(query)}`, tokens[i]);
            assert.equal(await response.text(), bodies[j], service.databaseUrl);
          }
        }),
      );
    }),
    // Importing an account takes longer than many queries.
    { numRuns: 30 },
  );
});
