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

import type { PoolClient, QueryArrayConfig, QueryConfig } from 'pg';
import { databaseName } from './database-name.ts';
import { explain, isConnectionError } from './explain.ts';
import { type ConnectionPool, openPool, type PoolOptions } from './pool.ts';
import { keepPreparedStatements } from './prepared-statements.ts';

export interface Connection {
  /** Asks one short question. Questions with a name are prepared once for each connection. */
  readonly ask: Ask;
  /** Runs `read` on one state of the data. It may run twice, if statements must be prepared again. */
  reading<T>(read: (ask: Ask) => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction that is committed if `work` returns true. */
  writing(work: (client: PoolClient) => Promise<boolean>): Promise<void>;
  /** Lets running work finish, but only for a short time. */
  close(): Promise<void>;
}

export type Ask = <Row>(question: QueryConfig | QueryArrayConfig) => Promise<readonly Row[]>;

export interface ConnectionOptions extends Pick<PoolOptions, 'connectMs' | 'pipeline'> {
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
  pipeline: true,
};

const COMMAND_STATEMENT_MS = 10 * 60_000;

/** A command can wait, even for other writers. */
export const COMMAND_CONNECTION: ConnectionOptions = {
  connectMs: 15_000,
  questionMs: 60_000,
  lockMs: COMMAND_STATEMENT_MS,
  statementMs: COMMAND_STATEMENT_MS,
  pipeline: false,
};

/** How much longer the client waits than the server. After that, the connection is considered lost. */
const GRACE_MS = 500;

export function connect(url: string, options: ConnectionOptions): Connection {
  const name = databaseName(url);
  const { statementMs, lockMs, connectMs, pipeline } = options;
  const pool = openPool(url, { connectMs, pipeline, answerMs: statementMs + GRACE_MS });
  const statements = keepPreparedStatements();
  const ask = makeAsk(pool, options);
  const beginning = (isolation: string) =>
    [
      ...begin(isolation, statementMs),
      `SET LOCAL lock_timeout = ${lockMs}`,
      'SET LOCAL DateStyle = ISO',
    ].join('; ');
  const explained = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      throw explain(name, error);
    });

  return {
    ask: <Row>(question: QueryConfig) =>
      explained(statements.preparingAgain(() => ask(statements.named(question)))) as Promise<readonly Row[]>,
    reading: (read) =>
      explained(
        statements.preparingAgain(() =>
          pool.transaction(
            beginning('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
            (client) =>
              read(
                async <Row>(question: QueryConfig) =>
                  (await client.query(statements.named(question))).rows as Row[],
              ),
            () => true,
          ),
        ),
      ),
    async writing(work) {
      await explained(pool.transaction(beginning('BEGIN'), work, (kept) => kept));
    },
    close: pool.close,
  };
}

/** Asks a question in a transaction of its own. */
function makeAsk(
  pool: ConnectionPool,
  { questionMs, pipeline }: ConnectionOptions,
): (question: QueryConfig) => Promise<unknown[]> {
  const beginning = [
    ...begin('BEGIN', questionMs),
    // The plan does not depend on the number of questions, and planning takes longer than running it.
    'SET LOCAL plan_cache_mode = force_generic_plan',
  ].join('; ');
  const limited = (question: QueryConfig): QueryConfig =>
    ({ ...question, query_timeout: questionMs + GRACE_MS }) as QueryConfig;

  async function askInSteps(question: QueryConfig): Promise<unknown[]> {
    const { rows } = await pool.transaction(
      beginning,
      (client) => client.query(limited(question)),
      () => true,
    );
    return rows;
  }

  async function askAtOnce(question: QueryConfig): Promise<unknown[]> {
    const client = await pool.acquire();
    const { stream } = client.connection;
    stream.cork();
    const parts = [client.query(beginning), client.query(limited(question)), client.query('COMMIT')] as const;
    stream.uncork();
    const [begun, answered, ended] = await Promise.allSettled(parts);
    const errors = [begun, answered, ended].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    client.release(errors.some(isConnectionError));
    if (answered.status === 'rejected' || errors.length > 0) throw errors[0];
    return answered.value.rows;
  }

  return pipeline ? askAtOnce : askInSteps;
}

function begin(isolation: string, limitMs: number): string[] {
  return [
    isolation,
    `SET LOCAL statement_timeout = ${limitMs}`,
    // A client that vanishes in the middle must not hold a lock or a connection.
    `SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`,
  ];
}
