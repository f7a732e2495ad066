/**
 * Connections to PostgreSQL as Shiftfeed uses them: a small pool, limits on waiting, and errors as sentences.
 *
 * Everything works through a pooler in transaction mode: session state is never set, settings are local to a
 * transaction, locks and temporary tables end with it, and prepared statements are those of the protocol.
 */

import { DatabaseError, Pool, type PoolClient, type QueryConfig, type QueryResultRow } from 'pg';
import { StoreFailure } from '../failure.ts';

/** For how long to wait, in milliseconds. */
export interface Patience {
  readonly connectMs: number;
  /** For the answer to a short question. */
  readonly questionMs: number;
  /** For a statement of a transaction, which may read a month, or write many rows and wait for other writers. */
  readonly statementMs: number;
}

/** Requests wait for these, so they are short: what takes longer is as good as lost. */
export const OF_A_SERVER: Patience = { connectMs: 1_000, questionMs: 1_000, statementMs: 30_000 };
/** A command may as well wait. */
export const OF_A_COMMAND: Patience = { connectMs: 15_000, questionMs: 60_000, statementMs: 10 * 60_000 };

const GRACE_MS = 5_000;
const MAX_CONNECTIONS = 4;
const IDLE_TIMEOUT_MS = 60_000;

export interface Connection {
  /** Asks one short question; what is asked over and over is prepared under a name. */
  ask<Row extends QueryResultRow>(question: QueryConfig): Promise<readonly Row[]>;
  /** Runs `read` on one state of the data. */
  reading<T>(read: (client: PoolClient) => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction that is kept when it returns true. */
  writing(work: (client: PoolClient) => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

export function connect(url: string, patience: Patience): Connection {
  const place = describePlace(url);
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: patience.connectMs,
    // The server ends statements that take too long; this is for a server that is no longer heard of.
    query_timeout: patience.statementMs + GRACE_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'shiftfeed',
  });
  // A connection that breaks is replaced. Whoever was using it is told by the query that fails.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  /** Whatever goes wrong here is about the database and how to reach it. */
  async function join(): Promise<PoolClient> {
    try {
      return await pool.connect();
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      throw unreachable(place, error as Error);
    }
  }

  async function ask<Row extends QueryResultRow>(question: QueryConfig): Promise<readonly Row[]> {
    const client = await join();
    try {
      const { rows } = await client.query<Row>({
        ...question,
        query_timeout: patience.questionMs,
      } as QueryConfig);
      client.release();
      return rows;
    } catch (error) {
      client.release(isConnectionError(error));
      throw error;
    }
  }

  async function transaction<T>(
    begin: string,
    work: (client: PoolClient) => Promise<T>,
    isKept: (result: T) => boolean,
  ): Promise<T> {
    const client = await join();
    let isBroken = false;
    try {
      await client.query(
        [
          begin,
          `SET LOCAL statement_timeout = ${patience.statementMs}`,
          // Whoever vanishes in the middle must not hold an account's lock.
          `SET LOCAL idle_in_transaction_session_timeout = ${patience.statementMs}`,
          'SET LOCAL DateStyle = ISO',
        ].join('; '),
      );
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

  const explained = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      throw explain(place, error);
    });

  return {
    ask: (question) => explained(ask(question)),
    reading: (read) =>
      explained(transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', read, () => true)),
    async writing(work) {
      await explained(transaction('BEGIN', work, (kept) => kept));
    },
    close: () => pool.end(),
  };
}

/** Host and database, for sentences: never the password. */
function describePlace(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    throw new StoreFailure(
      'bad-url',
      'The database URL is not valid: expected postgres://USER:PASSWORD@HOST/DATABASE.',
    );
  }
}

/** By SQLSTATE, or the first characters of it: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SENTENCES: readonly (readonly [
  string,
  StoreFailure['kind'],
  (place: string, message: string) => string,
])[] = [
  ['42P05', 'unusable', withoutPreparedStatements],
  ['26000', 'unusable', withoutPreparedStatements],
  ['22', 'refused', (_, message) => `The database refused a value: ${message}.`],
  ['23', 'refused', (_, message) => `The database refused a row: ${message}.`],
  ['28', 'unusable', (place) => `The database ${place} does not let this user in: check the URL.`],
  [
    '40',
    'busy',
    (place) => `The database ${place} was changed by somebody else at the same moment: try again.`,
  ],
  ['3D', 'unusable', (place) => `There is no database at ${place}: create it first.`],
  ['42501', 'unusable', (place, message) => `This user lacks a permission on ${place}: ${message}.`],
  [
    '55P03',
    'busy',
    (place) => `The database ${place} is being written by another process: try again in a moment.`,
  ],
  ['57014', 'busy', (place) => `The database ${place} took too long to answer.`],
  ['', 'unavailable', (place, message) => `The database ${place} cannot be used at the moment: ${message}.`],
];

function withoutPreparedStatements(place: string): string {
  return `The pooler in front of ${place} does not keep prepared statements: set max_prepared_statements (PgBouncer 1.21 or newer).`;
}

function explain(place: string, error: unknown): unknown {
  if (error instanceof DatabaseError) {
    const [, kind, sentence] = SENTENCES.find(([code]) => error.code?.startsWith(code)) ?? [];
    if (kind === undefined || sentence === undefined) return error;
    return new StoreFailure(kind, sentence(place, error.message), { cause: error });
  }
  return isConnectionError(error) ? unreachable(place, error) : error;
}

function unreachable(place: string, error: Error): StoreFailure {
  return new StoreFailure('unavailable', `The database ${place} cannot be reached: ${error.message}.`, {
    cause: error,
  });
}

/** pg says these in words only. */
const CONNECTION_TROUBLE =
  /timeout|terminated|connection|socket|ECONN|ENOTFOUND|EHOSTUNREACH|EPIPE|EAI_AGAIN/i;

function isConnectionError(error: unknown): error is Error {
  if (error instanceof DatabaseError || error instanceof StoreFailure) return false;
  return error instanceof Error && ('syscall' in error || CONNECTION_TROUBLE.test(error.message));
}
