/**
 * Connections to PostgreSQL as Shiftfeed uses them: a small pool, and limits on waiting.
 *
 * Everything works through a pooler in transaction mode: session state is never set, settings are local to a
 * transaction, locks and temporary tables end with it, and prepared statements are those of the protocol.
 *
 * Work that is given up here must end on the server, too. A backend that waits for a lock does not notice that its
 * client is gone, so a locked table would collect backends until no connection is left for anybody. Therefore the
 * server has the time limits, as settings of each transaction, and the client's own limits come a little later. A
 * cancel request would do as well, but it needs a working network, a living process, and a pooler that passes it on to
 * the right server.
 */

import {
  Client,
  type ClientConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  type QueryArrayConfig,
  type QueryConfig,
} from 'pg';
import type { PoolCounts } from '../feed-store.ts';
import { databaseName } from './database-name.ts';
import { explain, explainConnecting, isConnectionError } from './explain.ts';
import { askInOneTrip, type Statement } from './one-trip.ts';
import { keepPreparedStatements, type PreparedStatements } from './prepared-statements.ts';

export interface Connection {
  /** Asks one short question. */
  readonly ask: Ask;
  /** The same in one round trip, for a question whose answers are single columns of JSON. */
  askForJson<Answer>(question: Statement): Promise<readonly Answer[]>;
  /** Runs `read` on one state of the data. It may run twice, if statements must be prepared again. */
  reading<T>(read: (ask: Ask) => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction that is committed, unless `work` fails or its result is not to be kept. */
  writing<T>(work: (client: PoolClient) => Promise<T>, isKept?: (result: T) => boolean): Promise<T>;
  counts(): PoolCounts;
  /** Lets running work finish, but only for a short time. */
  close(): Promise<void>;
}

export type Ask = <Row>(question: QueryConfig | QueryArrayConfig) => Promise<readonly Row[]>;

export interface ConnectionOptions {
  /** For how long to wait for a connection. */
  readonly connectMs: number;
  /** For how long to wait for the answer to a short question. */
  readonly questionMs: number;
  /** How long a statement of a transaction may wait for a lock. */
  readonly lockMs: number;
  /** How long a statement of a transaction may take, such as one that reads a month or writes many rows. */
  readonly statementMs: number;
}

/** Requests wait for these, so the limits are short. */
export const SERVER_CONNECTION: ConnectionOptions = {
  connectMs: 1_000,
  questionMs: 1_000,
  lockMs: 1_000,
  statementMs: 30_000,
};

const COMMAND_STATEMENT_MS = 10 * 60_000;

/** A command can wait, even for other writers. */
export const COMMAND_CONNECTION: ConnectionOptions = {
  connectMs: 15_000,
  questionMs: 60_000,
  lockMs: COMMAND_STATEMENT_MS,
  statementMs: COMMAND_STATEMENT_MS,
};

/** How much longer the client waits than the server. After that, the connection is considered lost. */
const GRACE_MS = 500;

export function connect(url: string, options: ConnectionOptions): Connection {
  const name = databaseName(url);
  const { questionMs, statementMs, lockMs } = options;
  const { pool, counts, close } = openPool(url, options);
  const statements = keepPreparedStatements();
  const inOneTrip = makeAskForJson(() => acquire(pool, name), statements, questionMs);

  async function transaction<T>(
    beginning: readonly string[],
    work: (client: PoolClient) => Promise<T>,
    isKept: (result: T) => boolean = () => true,
  ): Promise<T> {
    return runTransaction(await acquire(pool, name), beginning.join('; '), work, isKept);
  }
  const limits = [`SET LOCAL lock_timeout = ${lockMs}`, 'SET LOCAL DateStyle = ISO'];

  async function explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw explain(name, error);
    }
  }

  return {
    ask: <Row>(question: QueryConfig | QueryArrayConfig) =>
      explained(() =>
        statements.preparingAgain(() =>
          transaction(begin('BEGIN', questionMs), async (client) => {
            const limited = { ...statements.named(question), query_timeout: questionMs + GRACE_MS };
            return (await client.query(limited)).rows as Row[];
          }),
        ),
      ),
    askForJson: <Answer>(question: Statement) =>
      explained(() => statements.preparingAgain(() => inOneTrip(question))) as Promise<readonly Answer[]>,
    reading: (read) =>
      explained(() =>
        statements.preparingAgain(() =>
          transaction(
            [...begin('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', statementMs), ...limits],
            (client) =>
              read(
                async <Row>(question: QueryConfig | QueryArrayConfig) =>
                  (await client.query(statements.named(question))).rows as Row[],
              ),
          ),
        ),
      ),
    writing: (work, isKept) =>
      explained(() => transaction([...begin('BEGIN', statementMs), ...limits], work, isKept)),
    counts,
    close,
  };
}

function begin(isolation: string, limitMs: number): string[] {
  return [
    isolation,
    `SET LOCAL statement_timeout = ${limitMs}`,
    // A client that vanishes in the middle must not hold a lock or a connection.
    `SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`,
  ];
}

/** Commits if the result says so. */
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

function makeAskForJson(
  acquire: () => Promise<PoolClient>,
  statements: PreparedStatements,
  questionMs: number,
) {
  const limits: Statement = {
    name: 'limits',
    // The plan does not depend on the number of questions, and planning takes longer than running it.
    text: `SELECT set_config('statement_timeout', '${questionMs}', true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
    values: [],
  };
  /** The names of statements that each connection has prepared. */
  const preparedBy = new WeakMap<PoolClient, Set<string>>();

  return async (question: Statement): Promise<unknown[]> => {
    const client = await acquire();
    const prepared = preparedBy.get(client) ?? new Set<string>();
    preparedBy.set(client, prepared);
    const trip = [statements.named(limits), statements.named(question)];
    const names = trip.flatMap(({ name }) => name ?? []);
    try {
      const rows = await askInOneTrip(client, trip, prepared, questionMs + GRACE_MS);
      for (const name of names) prepared.add(name);
      client.release();
      return rows.map((row) => JSON.parse(row));
    } catch (error) {
      // Which statements of a failed trip were prepared is not known.
      client.release(isConnectionError(error) || names.some((name) => !prepared.has(name)));
      throw error;
    }
  };
}

const CLOSE_LIMIT_MS = 1_000;
const MAX_CONNECTIONS = 4;
const IDLE_TIMEOUT_MS = 60_000;

function openPool(url: string, { connectMs, statementMs }: ConnectionOptions) {
  const clients = new Set<Client>();
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + GRACE_MS,
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

  return {
    pool,
    counts: (): PoolCounts => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      // Connections to a server that no longer answers would keep the process alive.
      const cut = () => clients.forEach((client) => void client.connection.stream.destroy());
      setTimeout(cut, CLOSE_LIMIT_MS).unref();
      await pool.end();
    },
  };
}

async function acquire(pool: Pool, name: string): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    throw explainConnecting(name, error as Error);
  }
}
