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
import { askInOneTrip, type Statement } from './one-trip.ts';
import { type ConnectionPool, openPool, type PoolOptions } from './pool.ts';
import { keepPreparedStatements, type PreparedStatements } from './prepared-statements.ts';

export interface Connection {
  /** Asks one short question. */
  readonly ask: Ask;
  /** The same in one round trip, for a question whose answers are single columns of JSON. */
  askForJson<Answer>(question: Statement): Promise<readonly Answer[]>;
  /** Runs `read` on one state of the data. It may run twice, if statements must be prepared again. */
  reading<T>(read: (ask: Ask) => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction that is committed if `work` returns true. */
  writing(work: (client: PoolClient) => Promise<boolean>): Promise<void>;
  /** Lets running work finish, but only for a short time. */
  close(): Promise<void>;
}

export type Ask = <Row>(question: QueryConfig | QueryArrayConfig) => Promise<readonly Row[]>;

export interface ConnectionOptions extends Pick<PoolOptions, 'connectMs'> {
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
  const { statementMs, lockMs, connectMs } = options;
  const pool = openPool(url, { connectMs, answerMs: statementMs + GRACE_MS });
  const statements = keepPreparedStatements();
  const ask = makeAsk(pool, options);
  const askForJson = makeAskForJson(pool, statements, options);
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
    askForJson: <Answer>(question: Statement) =>
      explained(statements.preparingAgain(() => askForJson(question))) as Promise<readonly Answer[]>,
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
  { questionMs }: ConnectionOptions,
): (question: QueryConfig) => Promise<unknown[]> {
  const beginning = begin('BEGIN', questionMs).join('; ');
  return async (question) => {
    const limited = { ...question, query_timeout: questionMs + GRACE_MS };
    const { rows } = await pool.transaction(
      beginning,
      (client) => client.query(limited),
      () => true,
    );
    return rows;
  };
}

function makeAskForJson(
  pool: ConnectionPool,
  statements: PreparedStatements,
  { questionMs }: ConnectionOptions,
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
    const client = await pool.acquire();
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

function begin(isolation: string, limitMs: number): string[] {
  return [
    isolation,
    `SET LOCAL statement_timeout = ${limitMs}`,
    // A client that vanishes in the middle must not hold a lock or a connection.
    `SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`,
  ];
}
