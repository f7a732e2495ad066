/** What the machine must have for a cluster of Patroni. */

import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/** The packages of Debian that bring them, by program. */
const PROGRAMS = { patroni: 'patroni', etcd: 'etcd-server' };
/** Patroni makes a standby with the first, and lets a primary that was replaced follow with the second. */
const TOOLS = ['pg_basebackup', 'pg_rewind', 'initdb', 'pg_ctl', 'postgres'];

/** A sentence about what is missing; undefined where nothing is. */
export function missingPrograms(): string | undefined {
  const isThere = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
  const packages = Object.entries(PROGRAMS).flatMap(([program, name]) => (isThere(program) ? [] : [name]));
  if (postgresFolder() === undefined) packages.push('postgresql');
  if (packages.length === 0) return undefined;
  return `This machine lacks ${packages.join(', ')} ("apt-get install ${packages.join(' ')}").`;
}

/** The programs of the newest PostgreSQL that Debian's packages have installed. */
export function postgresFolder(): string | undefined {
  const versionOf = (folder: string) => Number(/\/(\d+)\/bin$/.exec(folder)?.[1]);
  return globSync('/usr/lib/postgresql/*/bin')
    .filter((folder) => TOOLS.every((tool) => existsSync(join(folder, tool))))
    .sort((a, b) => versionOf(b) - versionOf(a))[0];
}
