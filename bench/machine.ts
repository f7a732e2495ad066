/** What the numbers depend on, beside the commit, whose lock files say which Node and which peers were measured. */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { brief } from './numbers.ts';
import { NGINX_VERSION } from './peers/nginx.ts';

/** Taken when the benchmark starts. Later the load is its own, and the results that it writes differ from the commit. */
export const BEFORE = { load: brief(loadavg()[0] ?? Number.NaN), commit: commit() };

/** Tells processors apart. Node does not know the model of every one. */
export function processorModel(): string {
  const model = cpus()[0]?.model.trim() ?? '';
  if (model !== '' && model !== 'unknown') return model;
  return /^Model name:\s*(.+)$/m.exec(outputOf('lscpu', []))?.[1] ?? 'unknown processor';
}

/** By name, in the order in which they are shown. */
export function describeMachine(): Record<string, string> {
  return {
    cores: String(cpus().length),
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${type()} ${release()}`,
    wrk: /\b(\d+\.\d+\.\d+)/.exec(outputOf('wrk', ['-v']))?.[1] ?? 'not installed',
    nginx: NGINX_VERSION ?? 'not installed',
  };
}

/** As the repository names it; with a mark when files differ from it. */
function commit(): string {
  try {
    const args = ['describe', '--always', '--dirty'];
    return execFileSync('git', args, { cwd: import.meta.dirname })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}

function outputOf(command: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return `${stdout ?? ''}${stderr ?? ''}`;
}
