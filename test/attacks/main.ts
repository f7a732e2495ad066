/**
 * Attacks a server on this machine, one attack after the other, and shows what each does to its memory, its open files and the
 * answers that an honest client gets: before, during and after. Not part of `npm test`, because it takes minutes and measures.
 *
 *   node bin/node.js test/attacks/main.ts [--only NAME] [--seconds N] [--launcher FILE]
 *
 * `--launcher` attacks another checkout, to compare.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { environment, LAUNCHER } from '../support/cli.ts';
import { ATTACKS, type Target } from './attacks.ts';
import { plan } from './plan.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    launcher: { type: 'string', default: LAUNCHER },
  },
});
const SECONDS = Number(values.seconds);

for (const attack of ATTACKS) {
  if (values.only !== undefined && !attack.name.includes(values.only)) continue;
  for (const contestant of attack.isHttp ? (['shiftfeed', 'bare'] as const) : (['shiftfeed'] as const)) {
    await tryOut(attack, contestant);
  }
}

async function tryOut(attack: (typeof ATTACKS)[number], contestant: 'shiftfeed' | 'bare'): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shiftfeed-attack-'));
  const { child, target } = await (contestant === 'bare' ? startBare() : startShiftfeed(folder));
  let exit = '';
  child.on('exit', (code, signal) => {
    exit = `ended with ${signal ?? code}`;
  });
  const before = await observe(child, target);
  // In a thread of its own, so that the honest client is not kept waiting by the attacker itself.
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), {
    workerData: { name: attack.name, target },
  });
  attacker.on('error', (error) => process.stdout.write(`${error}\n`));
  const during = await observe(child, target);
  await attacker.terminate();
  await delay(1_000);
  const after = await observe(child, target);
  process.stdout.write(`${attack.name} (${contestant}) ${exit}\n`);
  for (const [name, row] of Object.entries({ before, during, after }))
    process.stdout.write(`  ${name.padEnd(7)}${row}\n`);
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function startShiftfeed(folder: string): Promise<{ child: ChildProcess; target: Target }> {
  const env = { ...environment(), DATABASE_URL: `sqlite:${join(folder, 'test.db')}` };
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [values.launcher, ...args], { env, encoding: 'utf8' });
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan('acme', 40_000)));
  writeFileSync(join(folder, 'wide.json'), JSON.stringify(plan('wide', 100_000, 9_000 * 12)));
  run('import', join(folder, 'plan.json'));
  run('import', join(folder, 'wide.json'));
  const token = run('token', 'create', 'acme').trim();
  const wideToken = run('token', 'create', 'wide').trim();
  const log = join(folder, 'log');
  const line = `exec "$0" "$@" 2> "${log}"`;
  const args = [process.execPath, values.launcher, 'serve', '--port', '0', '--cache-mb', '32'];
  const child = spawn('bash', ['-c', line, ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const { url, rest } = await urlOf(child);
  rest.resume();
  return { child, target: { url, token, wideToken, database: join(folder, 'test.db'), log } };
}

async function startBare(): Promise<{ child: ChildProcess; target: Target }> {
  const script = `
    const server = require('node:http').createServer((request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Invalid or expired API token"}');
    }).listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const { url } = await urlOf(child);
  return { child, target: { url, token: 'none', wideToken: 'none', database: undefined, log: undefined } };
}

async function urlOf(child: ChildProcess) {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  return { url: /http:\/\/[^\s/]+/.exec(line)?.[0] ?? '', rest: lines };
}

/** Asks as an honest client does, for some seconds, and tells how it went. */
async function observe(child: ChildProcess, { url, token, log }: Target): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  let failed = 0;
  const endMs = performance.now() + SECONDS * 1000;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const isAnswered = await ask(`${url}/acme/api/v1/shifts?per_page=10`, token, agent);
    if (isAnswered) times.push(performance.now() - startMs);
    else failed++;
    await delay(10);
  }
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1);
  return [
    `median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(0.999)} ms, ${failed} failed`,
    `${memoryOf(child)}, ${filesOf(child)} files`,
    log === undefined ? '' : `log ${(readFileSync(log).length / 1e6).toFixed(2)} MB`,
  ].join(' | ');
}

function ask(url: string, token: string, agent: Agent): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const request = get(url, { agent, headers: { authorization: `Bearer ${token}` }, timeout: 10_000 });
  request.on('response', (response) => response.resume().on('end', () => resolve(true)));
  request.on('timeout', () => request.destroy());
  request.on('error', () => resolve(false));
  return promise;
}

function memoryOf({ pid }: ChildProcess): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, now] = /VmRSS:\s+(\d+)/.exec(status) ?? [];
    const [, most] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
    return `${Math.round(Number(now) / 1024)} MB, at most ${Math.round(Number(most) / 1024)}`;
  } catch {
    return 'no process';
  }
}

function filesOf({ pid }: ChildProcess): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
