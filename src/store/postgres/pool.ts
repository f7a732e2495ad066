/** A few connections to one database, and transactions on them. */

import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg';
import { databaseName } from './database-name.ts';
import { explainConnecting, isConnectionError } from './explain.ts';

export interface ConnectionPool {
  /** Rejects when the database cannot be reached. */
  acquire(): Promise<PoolClient>;
  /** Runs `work` in a transaction that begins with these statements, and commits it if the result says so. */
  transaction<T>(
    beginning: string,
    work: (client: PoolClient) => Promise<T>,
    isKept: (result: T) => boolean,
  ): Promise<T>;
  /** Lets running work finish, but only for a short time. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** For how long to wait for a connection. */
  readonly connectMs: number;
  /** For how long to wait for the answer to a statement, before the connection is considered lost. */
  readonly answerMs: number;
}

const CLOSE_LIMIT_MS = 1_000;
const MAX_CONNECTIONS = 4;
const IDLE_TIMEOUT_MS = 60_000;

export function openPool(url: string, options: PoolOptions): ConnectionPool {
  const clients = new Set<Client>();
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: options.connectMs,
    query_timeout: options.answerMs,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'shiftfeed',
    Client: class extends Client {
      constructor(config?: ClientConfig) {
        super(config);
        clients.add(this);
        this.once('end', () => clients.delete(this));
        // The pool replaces a broken connection, and the query that fails on it reports the error.
        this.on('error', () => undefined);
      }
    },
  });
  pool.on('error', () => undefined);

  async function acquire(): Promise<PoolClient> {
    try {
      return await pool.connect();
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      throw explainConnecting(databaseName(url), error as Error);
    }
  }

  return {
    acquire,
    transaction: async (beginning, work, isKept) => runTransaction(await acquire(), beginning, work, isKept),
    async close() {
      // Connections to a server that no longer answers would keep the process alive.
      const cut = () => clients.forEach((client) => void client.connection.stream.destroy());
      setTimeout(cut, CLOSE_LIMIT_MS).unref();
      await pool.end();
    },
  };
}

async function runTransaction<T>(
  client: PoolClient,
  beginning: string,
  work: (client: PoolClient) => Promise<T>,
  isKept: (result: T) => boolean,
): Promise<T> {
  let isBroken = false;
  try {
    await client.query(beginning);
    const result = await work(client);
    await client.query(isKept(result) ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    isBroken = isConnectionError(error);
    if (!isBroken) {
      await client.query('ROLLBACK').catch(() => {
        isBroken = true;
      });
    }
    throw error;
  } finally {
    client.release(isBroken);
  }
}
