import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ListingBody } from '../../src/http/listing/response.ts';
import { makeClient } from '../../torture/client.ts';
import { DATABASES, type DatabaseKind } from '../support/database.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { generation, sizeOfGeneration } from '../support/generation.ts';
import { startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

const WRITER = fileURLToPath(new URL('../support/replacing-writer.ts', import.meta.url));
const READERS = often(4, 8);
/** Each reader goes on until it has asked so often and so many generations were seen, but not for ever. */
const MIN_REQUESTS = often(15, 300);
const MIN_GENERATIONS = often(2, 20);
const MAX_REQUESTS = 2_000;

/** Whole months at once, or the days of a page first. Both read what the same process writes, which is always busy. */
const BY_MONTH = { 'by month': 5_000 };
const BY_PAGE = { 'by page': 0 };
const BOTH = { ...BY_MONTH, ...BY_PAGE };
const LOADS: Readonly<Record<DatabaseKind, Readonly<Record<string, number>>>> = {
  sqlite: often(BY_MONTH, BOTH),
  postgres: often(BY_PAGE, BOTH),
};

const QUERIES = [
  '',
  '?per_page=7&page=2',
  '?months=1,3,5',
  '?days=2,3&years=2027',
  '?published=false&per_page=1',
];

for (const database of DATABASES)
  test(`on ${database}, while another process keeps replacing all shifts`, {
    concurrency: true,
  }, async (t) => {
    const { databaseUrl, token } = await filledDatabase(t, generation(0), database);
    const writer = await startWriter(databaseUrl);
    const tests = Object.entries(LOADS[database]).map(([how, eagerRows]) =>
      t.test(
        `loaded ${how}, every page is of one state, and never of an older one than was committed`,
        async (context) => {
          const { url } = await startService(context, {
            hasThread: true,
            databaseUrl,
            eagerRows,
            now: '2026-11-15T12:00:00Z',
          });
          const seen = new Set<number>();

          async function read(reader: number): Promise<void> {
            const get = makeClient(context, url, 1);
            for (let i = 0; i < MIN_REQUESTS || (seen.size < MIN_GENERATIONS && i < MAX_REQUESTS); i++) {
              const query = QUERIES[(i + reader) % QUERIES.length] as string;
              const committedBefore = writer.committed();
              const { status, body } = await get(`/acme/api/v1/shifts${query}`, {
                authorization: `Bearer ${token}`,
              });
              assert.equal(status, 200, body);
              const { shifts, meta } = JSON.parse(body) as ListingBody;
              const generations = new Set(shifts.map(({ remarks }) => Number(remarks)));
              assert.ok(generations.size <= 1, `one page shows the generations ${[...generations]}`);
              for (const number of generations) {
                seen.add(number);
                assert.ok(
                  number >= committedBefore,
                  `generation ${number} after ${committedBefore} was committed`,
                );
                const isWhole = !query.includes('months') && !query.includes('days');
                if (isWhole) assert.equal(meta.total, sizeOfGeneration(number));
              }
            }
          }

          await Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)));
          assert.ok(seen.size >= MIN_GENERATIONS, `only ${seen.size} generations were seen`);
          assert.ok(writer.isRunning(), 'the writer went on all the time');
        },
      ),
    );
    await Promise.all(tests).finally(writer.kill);
  });

async function startWriter(databaseUrl: string) {
  const child = spawn(process.execPath, [WRITER, databaseUrl], { stdio: ['ignore', 'pipe', 'inherit'] });
  let committed = 0;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    committed = Number(line);
  });
  await once(lines, 'line');
  return {
    /** The latest generation that is known to be committed. */
    committed: () => committed,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      const exit = once(child, 'exit');
      if (child.kill('SIGKILL')) await exit;
    },
  };
}
