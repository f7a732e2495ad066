/** A node of a cluster: Patroni, and the PostgreSQL that Patroni starts. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childrenOf, killTree } from '../../test/support/processes.ts';

export type Node = Awaited<ReturnType<typeof makeNode>>;

export interface Site {
  readonly folder: string;
  /** As whom all programs run. */
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** Where the programs of PostgreSQL are. */
  readonly bin: string;
  readonly etcdPort: number;
  readonly password: string;
}

const ASK_LIMIT_MS = 2_000;

export async function makeNode(
  site: Site,
  name: string,
  ports: { postgres: number; rest: number },
  dynamic: object,
) {
  const { folder, user } = site;
  const data = join(folder, name);
  const configFile = join(folder, `${name}.yml`);
  const logFile = join(folder, `${name}.log`);
  // JSON is YAML. The folder is closed to everybody else, because the file has the password.
  await writeFile(configFile, JSON.stringify(configOf(site, name, ports, dynamic)), { mode: 0o644 });
  let patroni: ChildProcess | undefined;

  /** Its postmaster is not among the children of Patroni, so that it survives a restart of Patroni. */
  function processes(): number[] {
    const roots = [patroni?.pid, postmasterOf(data)].filter((pid) => pid !== undefined);
    return [...roots, ...roots.flatMap(childrenOf)];
  }

  function signal(name: NodeJS.Signals): void {
    for (const pid of processes()) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  return {
    name,
    port: ports.postgres,
    /** Starts Patroni, which starts PostgreSQL. */
    async start(): Promise<void> {
      const output = openSync(logFile, 'a');
      const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C' };
      patroni = spawn('patroni', [configFile], {
        ...user,
        cwd: folder,
        env,
        stdio: ['ignore', output, output],
      });
      closeSync(output);
      await once(patroni, 'spawn');
    },
    /** Kills both, with everything that they have started. */
    async kill(): Promise<void> {
      const ended = patroni?.exitCode === null ? once(patroni, 'exit') : undefined;
      for (const pid of processes()) killTree(pid);
      await ended;
    },
    /** Lets both hang: they keep their connections, the system takes new ones for them, and nobody answers. */
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    /** What Patroni answers; undefined when it does not. */
    ask: (path: string, init?: RequestInit) =>
      fetch(`http://127.0.0.1:${ports.rest}${path}`, {
        ...init,
        signal: AbortSignal.timeout(ASK_LIMIT_MS),
      }).catch(() => undefined),
    /** What Patroni has said so far. */
    log: () => readFileSync(logFile, 'utf8'),
  };
}

/** A server that was killed leaves its file behind, and its number may be that of a stranger by now. */
function postmasterOf(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    return readlinkSync(`/proc/${pid}/cwd`) === data ? pid : undefined;
  } catch {
    return undefined;
  }
}

function configOf(
  { folder, bin, etcdPort, password }: Site,
  name: string,
  ports: { postgres: number; rest: number },
  dynamic: object,
): object {
  const postgresAddress = `127.0.0.1:${ports.postgres}`;
  const restAddress = `127.0.0.1:${ports.rest}`;
  return {
    scope: 'shiftfeed',
    name,
    etcd: { host: `127.0.0.1:${etcdPort}` },
    restapi: { listen: restAddress, connect_address: restAddress },
    bootstrap: {
      dcs: dynamic,
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'no-sync'],
    },
    postgresql: {
      listen: postgresAddress,
      connect_address: postgresAddress,
      bin_dir: bin,
      data_dir: join(folder, name),
      pgpass: join(folder, `${name}.pgpass`),
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
      },
      pg_hba: [
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication replicator 127.0.0.1/32 scram-sha-256',
      ],
      parameters: { unix_socket_directories: folder },
    },
  };
}
