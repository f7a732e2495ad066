import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { anyCase, anyQuery } from '../listing/arbitraries.ts';
import { expectedBody, type OracleQuery, toSearch } from '../listing/oracle.ts';
import { DATABASES } from '../support/database.ts';
import { ACME } from '../support/document.ts';
import { documentOf } from '../support/document-of.ts';
import { startService } from '../support/service.ts';
import { isLong, often } from '../support/strength.ts';

const RUNS = often(6, 60);
const QUERIES_PER_RUN = 8;

/**
 * Both databases, and both ways to load: whole months at once, or the days of a page first. The two services of a
 * database share it, because importing an account takes longer than many queries.
 */
const databases = await Promise.all(
  DATABASES.map(async (database) => {
    const options = { database, now: '2026-11-15T12:00:00Z' };
    const byMonth = await startService({ after }, { hasThread: isLong, ...options, eagerRows: 5_000 });
    const { databaseUrl } = byMonth;
    const byPage = await startService(
      { after },
      { hasThread: isLong, ...options, eagerRows: 0, databaseUrl },
    );
    await byMonth.import({ account: ACME });
    return {
      writer: byMonth,
      services: [byMonth, byPage],
      token: await byMonth.token('acme'),
      /** What each tag of a listing stood for so far. */
      listings: new Map<string, string>(),
    };
  }),
);

test('any account, imported over the one before, answers any query with the same bytes on both databases, however it is loaded, as by hand; and equal tags mean equal listings', async () => {
  const anyQueries = (today: string) =>
    fc.array(anyQuery(today), { minLength: QUERIES_PER_RUN, maxLength: QUERIES_PER_RUN });
  const anything = anyCase.chain((account) => fc.tuple(fc.constant(account), anyQueries(account.today)));
  await fc.assert(
    fc.asyncProperty(anything, async ([account, queries]) => {
      const document = documentOf(account.shifts, account.order);
      const nowMs = Temporal.PlainDate.from(account.today).toZonedDateTime('UTC').epochMilliseconds;
      const bodyOf = (query: OracleQuery) =>
        expectedBody(account.shifts, query, account.today, account.order);
      const expected = queries.map((query) => ({
        search: `?${toSearch(query)}`,
        body: bodyOf(query),
        whole: bodyOf({ ...query, page: 1, per_page: 500 }),
      }));
      // The databases have nothing to do with each other, so none waits for another.
      await Promise.all(
        databases.map(async ({ writer, services, token, listings }) => {
          await writer.import(document, { replace: true });
          for (const [i, service] of services.entries()) {
            service.nowMs = nowMs;
            for (const { search, body, whole } of expected) {
              const response = await service.get('acme', search, token);
              assert.equal(await response.text(), body, `${service.databaseUrl}, service ${i}`);
              const tag = response.headers.get('shiftfeed-listing') ?? '';
              assert.equal(listings.get(tag) ?? whole, whole, 'one tag for two listings');
              listings.set(tag, whole);
            }
          }
        }),
      );
    }),
    { numRuns: RUNS },
  );
});
