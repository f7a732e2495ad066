/** What every benchmark needs: filled databases, servers in processes of their own, medians. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { todayIn } from '../src/feed/today.ts';
import { hashToken, makeToken } from '../src/feed/token.ts';
import { importDocument } from '../src/import/import.ts';
import { openStore } from '../src/store/open.ts';
import { accountOfSize } from './account.ts';
import { measure } from './load.ts';

export const ROUNDS = 5;
export const SECONDS = 2;
export const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16);

export interface Bench {
  /** Gone afterwards. */
  readonly folder: string;
  /** Starts a script that prints its URL first; it ends with the benchmark. */
  start(script: string, args: readonly string[]): Promise<string>;
  serve(databaseUrl: string, ...args: string[]): Promise<string>;
}

export async function withBench(run: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-bench-'));
  const children: ChildProcess[] = [];
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
  const serve = (databaseUrl: string, ...args: string[]) =>
    start('../bin/shiftfeed.js', ['serve', '--port', '0', '--database', databaseUrl, ...args]);
  try {
    await run({ folder, start, serve });
  } finally {
    for (const child of children) child.kill();
    await rm(folder, { recursive: true });
  }
}

export interface FilledAccount {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly importSeconds: number;
}

/** Imports an account of a size, and makes a token for it. */
export async function fillAccount(databaseUrl: string, size: number): Promise<FilledAccount> {
  const slug = `size-${size}`;
  const document = accountOfSize(slug, size, todayIn('UTC', Date.now()));
  const store = await openStore(databaseUrl, { missing: 'create' });
  const importSeconds = await seconds(() =>
    importDocument(store, document, { replace: false, dryRun: false }),
  );
  const account = await store.findAccount(slug);
  const token = makeToken();
  const accountId = account?.id ?? 0;
  await store.addToken({ accountId, hash: hashToken(token), label: '', createdAtMs: 0, expiresAtMs: null });
  await store.close();
  return { path: `/${slug}/api/v1/shifts`, headers: { authorization: `Bearer ${token}` }, importSeconds };
}

/** The first page as it will be timed, after a look whether it is right. */
export async function checkedPage(
  url: string,
  headers: FilledAccount['headers'],
  size: number,
): Promise<string> {
  const response = await fetch(url, { headers });
  const body = await response.text();
  const { shifts, meta } = JSON.parse(body);
  if (response.status !== 200 || shifts.length !== 500 || meta.total !== size)
    throw new Error(body.slice(-200));
  return body;
}

export interface Contestant {
  readonly url: string;
  readonly headers: FilledAccount['headers'];
}

/** The median rate of each, measured in turns after a warm-up. */
export async function compare<Name extends string>(
  contestants: Readonly<Record<Name, Contestant>>,
): Promise<Record<Name, number>> {
  const entries = Object.entries(contestants) as [Name, Contestant][];
  const load = { connections: CONNECTIONS, seconds: SECONDS };
  for (const [, contestant] of entries) await measure({ ...contestant, ...load });
  const rates = new Map<Name, number[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, contestant] of entries)
      rates.get(name)?.push(await measure({ ...contestant, ...load }));
  }
  return Object.fromEntries(Array.from(rates, ([name, values]) => [name, median(values)])) as Record<
    Name,
    number
  >;
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
