import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DATABASES } from '../support/database.ts';
import { generation, sizeOfGeneration } from '../support/generation.ts';
import { startService } from '../support/service.ts';

const WRITER = fileURLToPath(new URL('../support/replacing-writer.ts', import.meta.url));
const READERS = 8;
/** Each reader goes on until it has asked so often and so many generations were seen, but not for ever. */
const MIN_REQUESTS = 50;
const MIN_GENERATIONS = 20;
const MAX_REQUESTS = 2_000;

/** Whole months at once, or the days of a page first. */
const LOADS = { 'by month': 5_000, 'by page': 0 };

for (const database of DATABASES)
  for (const [how, eagerRows] of Object.entries(LOADS))
    test(`on ${database}, loaded ${how}, while another process keeps replacing all shifts, every page is of one state, and never of an older one than was committed`, async (context) => {
      const service = await startService(context, { database, eagerRows, now: '2026-11-15T12:00:00Z' });
      await service.import(generation(0));
      const token = await service.token('acme');

      const writer = spawn(process.execPath, [WRITER, service.databaseUrl], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let committed = 0;
      const lines = createInterface({ input: writer.stdout });
      lines.on('line', (line) => {
        committed = Number(line);
      });
      await once(lines, 'line');

      const seen = new Set<number>();
      const queries = [
        '',
        '?per_page=7&page=2',
        '?months=1,3,5',
        '?days=2,3&years=2027',
        '?published=false&per_page=1',
      ];
      async function read(reader: number): Promise<void> {
        for (let i = 0; i < MIN_REQUESTS || (seen.size < MIN_GENERATIONS && i < MAX_REQUESTS); i++) {
          const query = queries[(i + reader) % queries.length] as string;
          const committedBefore = committed;
          const { shifts, meta } = await service.list('acme', query, token);
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
      try {
        await Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)));
        assert.ok(seen.size >= MIN_GENERATIONS, `only ${seen.size} generations were seen`);
        assert.equal(writer.exitCode, null, 'the writer went on all the time');
      } finally {
        writer.kill('SIGKILL');
        await once(writer, 'exit');
      }
    });
