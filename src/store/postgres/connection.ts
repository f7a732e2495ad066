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
import { databaseName } from './database-name.ts';
import { explain, explainConnecting, isConnectionError } from './explain.ts';

export interface Connection {
  /** Asks one short question. Questions with a name are prepared once for each connection. */
  readonly ask: Ask;
  /** Runs `read` on one state of the data. It may run twice, when statements must be prepared again. */
  reading<T>(read: (ask: Ask) => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction that is kept when it returns true. */
  writing(work: (client: PoolClient) => Promise<boolean>): Promise<void>;
  /** Lets what is under way finish, but not for long. */
  close(): Promise<void>;
}

export type Ask = <Row>(question: QueryConfig | QueryArrayConfig) => Promise<readonly Row[]>;

export interface ConnectionOptions {
  /** For how long to wait for a connection. */
  readonly connectMs: number;
  /** For the answer to a short question. */
  readonly questionMs: number;
  /** For a lock that a statement of a transaction needs. */
  readonly lockMs: number;
  /** For a statement of a transaction, which may read a month or write many rows. */
  readonly statementMs: number;
  /**
   * Whether a question and its transaction are sent in one round trip. COPY, which imports need, does not work then.
   */
  readonly pipeline: boolean;
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

/** How much longer the client waits than the server: then the connection is considered lost. */
const GRACE_MS = 500;
const CLOSE_LIMIT_MS = 1_000;
const MAX_CONNECTIONS = 4;
const IDLE_TIMEOUT_MS = 60_000;

export function connect(url: string, options: ConnectionOptions): Connection {
  const name = databaseName(url);
  const clients = new Set<Client>();
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: options.connectMs,
    query_timeout: options.statementMs + GRACE_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'shiftfeed',
    pipeline: options.pipeline,
    Client: class extends Client {
      constructor(config?: ClientConfig) {
        super(config);
        clients.add(this);
        this.once('end', () => clients.delete(this));
        // A broken connection is replaced. Its user learns of it from the query that fails.
        this.on('error', () => undefined);
      }
    },
  });
  pool.on('error', () => undefined);

  /** How often statements had to be prepared again. */
  let generation = 0;
  /** Not so behind a pooler that gives each transaction another connection and knows nothing of statements. */
  let areStatementsKept = true;

  /**
   * After somebody altered the type of a column, PostgreSQL refuses to run statements that were prepared before.
   * Another name lets every connection prepare them again, and another text does so behind a pooler, which knows
   * statements by their text. Without a name, a statement is prepared each time.
   */
  function prepared<Question extends QueryConfig>(question: Question): Question {
    if (question.name === undefined) return question;
    if (!areStatementsKept) {
      const { name: _, ...unnamed } = question;
      return unnamed as Question;
    }
    if (generation === 0) return question;
    return {
      ...question,
      name: `${question.name}-${generation}`,
      text: `${question.text} -- ${generation}`,
    };
  }

  async function preparingAgain<T>(work: () => Promise<T>): Promise<T> {
    const before = generation;
    try {
      return await work();
    } catch (error) {
      const code = error instanceof DatabaseError ? error.code : undefined;
      if (code === OUTDATED_STATEMENT) {
        if (generation === before) generation++;
      } else if (code === MISSING_STATEMENT || code === FOREIGN_STATEMENT) {
        areStatementsKept = false;
      } else throw error;
      return work();
    }
  }

  /** Every error here means that the database cannot be reached. */
  async function acquire(): Promise<PoolClient> {
    try {
      return await pool.connect();
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      throw explainConnecting(name, error as Error);
    }
  }

  const askBegin = [
    ...begin('BEGIN', options.questionMs),
    // The plan does not depend on the number of questions, and making it takes longer than running it.
    'SET LOCAL plan_cache_mode = force_generic_plan',
  ].join('; ');
  const asked = (question: QueryConfig): QueryConfig =>
    ({ ...prepared(question), query_timeout: options.questionMs + GRACE_MS }) as QueryConfig;

  async function askInSteps(question: QueryConfig): Promise<unknown[]> {
    const { rows } = await transaction(
      askBegin,
      (client) => client.query(asked(question)),
      () => true,
    );
    return rows;
  }

  async function askAtOnce(question: QueryConfig): Promise<unknown[]> {
    const client = await acquire();
    const { stream } = client.connection;
    stream.cork();
    const parts = [client.query(askBegin), client.query(asked(question)), client.query('COMMIT')] as const;
    stream.uncork();
    const [begun, answered, ended] = await Promise.allSettled(parts);
    const errors = [begun, answered, ended].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    client.release(errors.some(isConnectionError));
    if (answered.status === 'rejected' || errors.length > 0) throw errors[0];
    return answered.value.rows;
  }

  async function transaction<T>(
    beginning: string,
    work: (client: PoolClient) => Promise<T>,
    isKept: (result: T) => boolean,
  ): Promise<T> {
    const client = await acquire();
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

  const transactionBegin = (isolation: string) =>
    [
      ...begin(isolation, options.statementMs),
      `SET LOCAL lock_timeout = ${options.lockMs}`,
      'SET LOCAL DateStyle = ISO',
    ].join('; ');

  const explained = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      throw explain(name, error);
    });

  const ask = options.pipeline ? askAtOnce : askInSteps;
  return {
    ask: <Row>(question: QueryConfig) =>
      explained(preparingAgain(() => ask(question))) as Promise<readonly Row[]>,
    reading: (read) =>
      explained(
        preparingAgain(() =>
          transaction(
            transactionBegin('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
            (client) =>
              read(
                async <Row>(question: QueryConfig) => (await client.query(prepared(question))).rows as Row[],
              ),
            () => true,
          ),
        ),
      ),
    async writing(work) {
      await explained(transaction(transactionBegin('BEGIN'), work, (kept) => kept));
    },
    async close() {
      // Connections to a server that no longer answers would keep the process alive.
      const cut = () => clients.forEach((client) => void client.connection.stream.destroy());
      setTimeout(cut, CLOSE_LIMIT_MS).unref();
      await pool.end();
    },
  };
}

/** SQLSTATE of "cached plan must not change result type". */
const OUTDATED_STATEMENT = '0A000';
/** A connection on which the statement was not prepared, and one on which somebody else prepared one of that name. */
const MISSING_STATEMENT = '26000';
const FOREIGN_STATEMENT = '42P05';

function begin(isolation: string, limitMs: number): string[] {
  return [
    isolation,
    `SET LOCAL statement_timeout = ${limitMs}`,
    // A client that vanishes in the middle must not hold a lock or a connection.
    `SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`,
  ];
}
