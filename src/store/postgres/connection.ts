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
import type { PoolCounts } from '../feed-store.ts';
import { askInOneTrip, keepPreparedStatements, type PreparedStatements, type Statement } from './client.ts';
import { parsePostgresUrl } from './database-url.ts';
import { explain, isServerLost } from './explain.ts';
import { type HostPool, openPool, ServerLeft } from './pool.ts';

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
  /** For how long to go on looking while no host of the URL is what is wanted, as while a primary moves. */
  readonly failoverMs: number;
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
  failoverMs: 0,
  questionMs: 1_000,
  lockMs: 1_000,
  statementMs: 30_000,
};

/** Whoever sits at the desk waits for these: for a moment while an import writes, and longer for much. */
export const DESK_CONNECTION: ConnectionOptions = {
  ...SERVER_CONNECTION,
  lockMs: 5_000,
  statementMs: 20_000,
};

const COMMAND_STATEMENT_MS = 10 * 60_000;

/** A command can wait, even for other writers. */
export const COMMAND_CONNECTION: ConnectionOptions = {
  connectMs: 15_000,
  failoverMs: 15_000,
  questionMs: 60_000,
  lockMs: COMMAND_STATEMENT_MS,
  statementMs: COMMAND_STATEMENT_MS,
};

/** How much longer the client waits than the server. After that, the connection is considered lost. */
const GRACE_MS = 500;

export function connect(databaseUrl: string, options: ConnectionOptions): Connection {
  const url = parsePostgresUrl(databaseUrl);
  const { questionMs, statementMs, lockMs } = options;
  const pool = openPool(url, { ...options, answerMs: statementMs + GRACE_MS });
  const statements = keepPreparedStatements();
  const inOneTrip = makeAskForJson(pool, statements, questionMs);
  const transaction = <T>(
    beginning: readonly string[],
    work: (client: PoolClient) => Promise<T>,
    isKept?: (result: T) => boolean,
  ) =>
    runTransaction(pool, { text: beginning.join('; '), query_timeout: questionMs + GRACE_MS }, work, isKept);
  const limits = [`SET LOCAL lock_timeout = ${lockMs}`, 'SET LOCAL DateStyle = ISO'];

  /** What only asks can also ask another server when one is lost on the way. What does more may have done it already. */
  async function explained<T>(work: () => Promise<T>, { onlyAsks = false } = {}): Promise<T> {
    try {
      return await work().catch((error: unknown) => {
        const canMove = onlyAsks && pool.canMove && isServerLost(error);
        if (!canMove && !(error instanceof ServerLeft)) throw error;
        return work();
      });
    } catch (error) {
      throw explain(url.name, error);
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
      explained(() => statements.preparingAgain(() => inOneTrip(question)), {
        onlyAsks: true,
      }) as Promise<readonly Answer[]>,
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
    counts: pool.counts,
    close: pool.close,
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

/** Statements that hardly take any time, so that a server which hangs is noticed before it is asked for more. */
interface Beginning {
  readonly text: string;
  readonly query_timeout: number;
}

/** Commits if the result says so. */
async function runTransaction<T>(
  pool: HostPool,
  beginning: Beginning,
  work: (client: PoolClient) => Promise<T>,
  isKept: (result: T) => boolean = () => true,
): Promise<T> {
  const client = await pool.lend();
  let isLost = false;
  try {
    await beginTransaction(client, beginning, pool);
    const result = await work(client);
    await client.query(isKept(result) ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    isLost = isServerLost(error) || error instanceof ServerLeft;
    if (!isLost) {
      await client.query('ROLLBACK').catch(() => {
        isLost = true;
      });
    }
    throw error;
  } finally {
    if (isLost) pool.leave(client);
    else client.release();
  }
}

async function beginTransaction(
  client: PoolClient,
  beginning: Beginning,
  { name, isWanted, canMove }: HostPool,
): Promise<void> {
  if (!canMove) return void (await client.query(beginning));
  const withCheck = { ...beginning, text: `${beginning.text}; SELECT (${isWanted}) AS "isWanted"` };
  const results = await client.query(withCheck).catch((error: unknown) => {
    throw isServerLost(error) ? new ServerLeft(name) : error;
  });
  // There is a result for each statement, which the types of the driver do not say.
  const [last] = (results as unknown as { rows: { isWanted: boolean }[] }[]).slice(-1);
  if (last?.rows[0]?.isWanted !== true) throw new ServerLeft(name);
}

function makeAskForJson(pool: HostPool, statements: PreparedStatements, questionMs: number) {
  const limits: Statement = {
    name: 'limits',
    // The plan does not depend on the number of questions, and planning takes longer than running it.
    text: `SELECT ${pool.isWanted}, set_config('statement_timeout', '${questionMs}', true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
    values: [],
  };
  /** The names of statements that each connection has prepared. */
  const preparedBy = new WeakMap<PoolClient, Set<string>>();

  return async (question: Statement): Promise<unknown[]> => {
    const client = await pool.lend();
    const prepared = preparedBy.get(client) ?? new Set<string>();
    preparedBy.set(client, prepared);
    const trip = [statements.named(limits), statements.named(question)];
    const names = trip.flatMap(({ name }) => name ?? []);
    try {
      const [[isAsWanted] = [], rows = []] = await askInOneTrip(
        client,
        trip,
        prepared,
        questionMs + GRACE_MS,
      );
      if (isAsWanted !== 't') throw new ServerLeft(pool.name);
      for (const name of names) prepared.add(name);
      client.release();
      return rows.map((row) => JSON.parse(row));
    } catch (error) {
      if (isServerLost(error) || error instanceof ServerLeft) pool.leave(client);
      // Which statements of a failed trip were prepared is not known.
      else client.release(names.some((name) => !prepared.has(name)));
      throw error;
    }
  };
}
