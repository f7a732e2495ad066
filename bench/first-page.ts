/**
 * Requests per second for the first page of 500, of a small and of a large account, beside Fastify sending a fixed
 * buffer of the same bytes. All in one run, in interleaved rounds: only the ratios mean something.
 *
 *   npm run bench
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CONNECTIONS,
  checkedPage,
  compare,
  fillAccount,
  print,
  ROUNDS,
  SECONDS,
  seconds,
  withBench,
} from './harness.ts';
import { GENERATOR } from './load.ts';

const SIZES = [5_000, 128_000];

await withBench(async ({ folder, start, serve }) => {
  const databaseUrl = `sqlite:${join(folder, 'bench.db')}`;
  const accounts = new Map<number, Awaited<ReturnType<typeof fillAccount>>>();
  for (const size of SIZES) accounts.set(size, await fillAccount(databaseUrl, size));
  const server = await serve(databaseUrl);
  print(
    `First page of 500, ${CONNECTIONS} connections, load from ${GENERATOR}, median of ${ROUNDS} rounds of ${SECONDS} s`,
  );
  for (const [size, { path, headers, importSeconds }] of accounts) {
    const url = server + path;
    const file = join(folder, `${size}.json`);
    const coldSeconds = await seconds(async () => writeFile(file, await checkedPage(url, headers, size)));
    const fixed = await start('./fixed-buffer.ts', [file]);
    const { ours, limit } = await compare({
      ours: { url, headers },
      limit: { url: `${fixed}/page`, headers },
    });
    print(
      `${size} shifts a year: imported in ${importSeconds.toFixed(1)} s, first answer ${coldSeconds.toFixed(2)} s`,
    );
    print(
      `  ${ours.toFixed(0)} pages/s, fixed buffer ${limit.toFixed(0)}, ratio ${(ours / limit).toFixed(2)}`,
    );
  }
});
