/** A small pool of connections, all to one host of the URL, until that is lost. */

import { type Client, Pool, type PoolClient } from 'pg';
import { StoreFailure } from '../failure.ts';
import type { PoolCounts } from '../feed-store.ts';
import { type Limits, makeClient } from './client.ts';
import type { Host, PostgresUrl } from './database-url.ts';
import { explainFailure, isAllInUse } from './explain.ts';
import { type Choice, chooseHosts, IS_WANTED } from './hosts.ts';

export interface HostPool {
  readonly name: string;
  /** What must be true on a server, as SQL. */
  readonly isWanted: string;
  /** Whether a server that is lost, or is not as wanted, can be replaced by another one. */
  readonly canMove: boolean;
  lend(): Promise<PoolClient>;
  /** Instead of releasing it: the server is lost, or not what is wanted. */
  leave(client: PoolClient): void;
  counts(): PoolCounts;
  close(): Promise<void>;
}

interface PoolOptions extends Limits {
  readonly failoverMs: number;
}

/** Nothing was asked yet of a server, because it is gone or has become something else, so another one can be asked. */
export class ServerLeft extends StoreFailure {
  constructor(name: string) {
    super('unavailable', `The server of the database ${name} is gone, or no longer what the URL asks for.`);
  }
}

const CLOSE_LIMIT_MS = 1_000;
const MAX_CONNECTIONS = 4;
const IDLE_TIMEOUT_MS = 60_000;
/** All connections of a host may have to be replaced, and those of the next one. */
const MAX_LENDING_TRIES = 2 * MAX_CONNECTIONS + 1;

export function openPool(url: PostgresUrl, { connectMs, answerMs, failoverMs }: PoolOptions): HostPool {
  const hostMs = Math.min(connectMs, url.connectMs ?? connectMs);
  const { open, cutAll } = keepClients(url);
  const look = (host: Host) => open(host, limitsOfLook(hostMs));
  const hosts = chooseHosts({ url, open: look, failoverMs });
  /** The choice that each connection was made for. */
  const choices = new WeakMap<object, Choice>();
  let latest: Choice = { host: url.hosts[0] };
  const pool = makePool(connectMs, () => {
    const client = open(latest.host, { connectMs: hostMs, answerMs });
    choices.set(client, latest);
    return client;
  });
  // An idle connection has ended. Other pools of this process may have noticed that the host is gone, so look again.
  pool.on('error', (_, client) => forget(client, false));

  function forget(client: object, hasFailed: boolean): void {
    const choice = choices.get(client);
    if (choice !== undefined) hosts.forget(choice, hasFailed);
  }

  async function lend(): Promise<PoolClient> {
    let hasFailed = false;
    for (let tries = 0; tries < MAX_LENDING_TRIES; tries++) {
      const choice = await hosts.current();
      latest = choice;
      try {
        const client = await pool.connect();
        if (choices.get(client) === latest) return client;
        client.release(true);
      } catch (error) {
        if (hasFailed || !hosts.areSearched || isAllInUse(error))
          throw explainFailure(url.name, error as Error);
        hasFailed = true;
        hosts.forget(choice, true);
      }
    }
    throw new ServerLeft(url.name);
  }

  return {
    name: url.name,
    isWanted: IS_WANTED[url.wanted],
    canMove: hosts.areSearched,
    lend,
    leave(client) {
      forget(client, true);
      client.release(true);
    },
    counts: () => countsOf(pool),
    async close() {
      // Connections to a server that no longer answers would keep the process alive.
      setTimeout(cutAll, CLOSE_LIMIT_MS).unref();
      await pool.end();
    },
  };
}

function makePool(connectMs: number, open: () => Client): Pool {
  return new Pool({
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    // The pool calls this as a constructor, which an arrow function cannot be.
    Client: function connection() {
      return open();
    } as unknown as typeof Client,
  });
}

function countsOf({ totalCount, idleCount, waitingCount }: Pool): PoolCounts {
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

/** Looking at a host may take so long, so that a command can look again. */
const LOOK_MS = 3_000;

function limitsOfLook(connectMs: number): Limits {
  const limitMs = Math.min(connectMs, LOOK_MS);
  return { connectMs: limitMs, answerMs: limitMs };
}

/** Includes those that only look at a host. */
function keepClients(url: PostgresUrl) {
  const clients = new Set<Client>();
  return {
    open(host: Host, limits: Limits): Client {
      const client = makeClient(url, host, limits);
      clients.add(client);
      client.once('end', () => clients.delete(client));
      return client;
    },
    cutAll: () => clients.forEach((client) => void client.connection.stream.destroy()),
  };
}
