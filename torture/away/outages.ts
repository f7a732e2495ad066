/** The ways in which a database is away, and how each ends. */

import { rename, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Line } from '../../test/support/line.ts';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { childrenOf, isAlive } from '../../test/support/processes.ts';
import { until } from '../../test/support/until.ts';

export interface Outage {
  readonly name: string;
  /** Whether requests can be answered all the same. */
  readonly isHarmless?: boolean;
  /** Whether the plan can be changed meanwhile, by others. */
  readonly isWritable: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** Far more than the service waits. */
const SLOW_MS = 4_000;
/** So long it may take until another file is noticed, or that there is none, as the manual says. */
const NOTICED_WITHIN_MS = 100;

export function lineOutages(line: Line): readonly Outage[] {
  const of = (name: string, begin: () => void | Promise<void>): Outage => ({
    name,
    isWritable: true,
    begin: async () => begin(),
    end: () => line.mend(),
  });
  return [
    of('cut', () => line.cut()),
    of('silent', () => line.freeze()),
    of('slow', () => line.slowDown(SLOW_MS)),
    of('half-closed', () => line.halfClose()),
  ];
}

export function lockedTable(databaseUrl: string): Outage {
  let locker: Client | undefined;
  return {
    name: 'locked',
    isWritable: false,
    async begin() {
      locker = new Client(databaseUrl);
      await locker.connect();
      await locker.query('BEGIN; LOCK TABLE shiftfeed.accounts IN ACCESS EXCLUSIVE MODE');
    },
    async end() {
      await locker?.query('ROLLBACK');
      await locker?.end();
    },
  };
}

export function serverOutages(server: PostgresServer): readonly Outage[] {
  const signalAll = (name: NodeJS.Signals) => {
    for (const pid of familyOf(server)) process.kill(pid, name);
  };
  return [
    {
      name: 'stopped',
      isWritable: false,
      begin: async () => signalAll('SIGSTOP'),
      end: async () => signalAll('SIGCONT'),
    },
    {
      name: 'killed',
      isWritable: false,
      begin: () => killAll(server),
      end: () => server.restart(),
    },
  ];
}

/** Kills the processes of a server. */
export async function killAll(server: PostgresServer): Promise<void> {
  const pids = familyOf(server);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await until('it is gone', () => !pids.some(isAlive));
}

function familyOf(server: PostgresServer): number[] {
  return [server.pid(), ...childrenOf(server.pid())];
}

/** SQLite lets others read while somebody writes. */
export function lockedFile(path: string): Outage {
  let locker: DatabaseSync | undefined;
  return {
    name: 'locked by a writer',
    isHarmless: true,
    isWritable: false,
    async begin() {
      locker = new DatabaseSync(path);
      locker.exec('BEGIN EXCLUSIVE');
    },
    async end() {
      locker?.exec('ROLLBACK');
      locker?.close();
    },
  };
}

/** As the manual says: nothing of the old one stays. The one that takes its place is a copy. */
export function replacedFile(path: string): Outage {
  return {
    name: 'replaced',
    isHarmless: true,
    isWritable: true,
    async begin() {
      const copy = `${path}.copy`;
      await rm(copy, { force: true });
      const database = new DatabaseSync(path);
      database.exec(`VACUUM INTO '${copy}'`);
      database.close();
      for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true });
      await rename(copy, path);
      await delay(NOTICED_WITHIN_MS);
    },
    end: async () => undefined,
  };
}

export function missingFile(path: string): Outage {
  return {
    name: 'moved away',
    isWritable: false,
    async begin() {
      await rename(path, `${path}.away`);
      await delay(NOTICED_WITHIN_MS);
    },
    end: () => rename(`${path}.away`, path),
  };
}
