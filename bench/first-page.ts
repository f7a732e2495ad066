/**
 * Requests per second for the first page of 500, of a small and of a large account, beside Fastify sending a fixed
 * buffer of the same bytes. All in one run, in interleaved rounds: only the ratios mean something.
 *
 *   npm run bench
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { todayIn } from '../src/feed/today.ts';
import { hashToken, makeToken } from '../src/feed/token.ts';
import { importDocument } from '../src/import/import.ts';
import { openStore } from '../src/store/open.ts';
import { accountOfSize } from './account.ts';
import { GENERATOR, measure } from './load.ts';

const SIZES = [5_000, 128_000];
const ROUNDS = 5;
const SECONDS = 2;
const CONNECTIONS = 16;

const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-bench-'));
const children: ChildProcess[] = [];
try {
  await run();
} finally {
  for (const child of children) child.kill();
  await rm(folder, { recursive: true });
}

async function run(): Promise<void> {
  const databaseUrl = `sqlite:${join(folder, 'bench.db')}`;
  const tokens = await fill(databaseUrl);
  const server = await start('../bin/shiftfeed.js', ['serve', '--port', '0', '--database', databaseUrl]);
  const contestants: {
    size: number;
    name: string;
    url: string;
    headers: Record<string, string>;
    rates: number[];
  }[] = [];
  for (const size of SIZES) {
    const url = `${server}/size-${size}/api/v1/shifts`;
    const headers = { authorization: `Bearer ${tokens.get(size)}` };
    const file = join(folder, `${size}.json`);
    await writeFile(file, await checkedPage(url, headers, size));
    contestants.push({ size, name: 'shiftfeed', url, headers, rates: [] });
    const fixed = await start('./fixed-buffer.ts', [file]);
    contestants.push({ size, name: 'fixed buffer', url: `${fixed}/page`, headers, rates: [] });
  }
  for (const { url, headers } of contestants)
    await measure({ url, headers, connections: CONNECTIONS, seconds: 1 });
  for (let round = 0; round < ROUNDS; round++) {
    for (const { url, headers, rates } of contestants) {
      rates.push(await measure({ url, headers, connections: CONNECTIONS, seconds: SECONDS }));
    }
  }
  print(
    `First page of 500, ${CONNECTIONS} connections, load from ${GENERATOR}, median of ${ROUNDS} rounds of ${SECONDS} s`,
  );
  for (const size of SIZES) {
    const rate = (name: string) =>
      median(contestants.find((c) => c.size === size && c.name === name)?.rates ?? []);
    const [ours, limit] = [rate('shiftfeed'), rate('fixed buffer')];
    const share = (ours / limit).toFixed(2);
    print(
      `${String(size).padStart(7)} shifts a year: ${ours.toFixed(0)} pages/s, fixed buffer ${limit.toFixed(0)}, ratio ${share}`,
    );
  }
}

async function fill(databaseUrl: string): Promise<Map<number, string>> {
  const store = await openStore(databaseUrl, { missing: 'create' });
  const tokens = new Map<number, string>();
  for (const size of SIZES) {
    const slug = `size-${size}`;
    const document = accountOfSize(slug, size, todayIn('UTC', Date.now()));
    const started = performance.now();
    await importDocument(store, document, { replace: false, dryRun: false });
    print(`imported ${size} shifts in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    const account = await store.findAccount(slug);
    const token = makeToken();
    await store.addToken({
      accountId: account?.id ?? 0,
      hash: hashToken(token),
      label: '',
      createdAtMs: 0,
      expiresAtMs: null,
    });
    tokens.set(size, token);
  }
  await store.close();
  return tokens;
}

/** The page as it will be timed, after a look whether it is right. */
async function checkedPage(url: string, headers: Record<string, string>, size: number): Promise<string> {
  const started = performance.now();
  const response = await fetch(url, { headers });
  const body = await response.text();
  const { shifts, meta } = JSON.parse(body);
  if (response.status !== 200 || shifts.length !== 500 || meta.total !== size)
    throw new Error(body.slice(-200));
  print(`first answer of ${size} shifts, nothing in memory: ${(performance.now() - started).toFixed(0)} ms`);
  return body;
}

/** Starts a server and returns the URL from its first line. */
async function start(script: string, args: readonly string[]): Promise<string> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`${script} did not start`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
