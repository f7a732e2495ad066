/** What we add to the driver: how it connects to one host of a database, and how it asks. */

import { readFileSync } from 'node:fs';
import {
  Client,
  type ClientConfig,
  type Connection,
  DatabaseError,
  type PoolClient,
  type Submittable,
} from 'pg';
import type { Host, PostgresUrl, Tls } from './database-url.ts';

export interface Limits {
  /** For how long to try to connect. */
  readonly connectMs: number;
  /** For how long to wait for an answer, unless the question has a limit of its own. */
  readonly answerMs: number;
}

/** Connects only when it is told to. */
export function makeClient(url: PostgresUrl, host: Host, { connectMs, answerMs }: Limits): Client {
  const { config, flaw } = readConfig(url, host);
  const client = new Client({
    ...config,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
  });
  // Who waits for an answer is told of the error, and the pool replaces the connection.
  client.on('error', () => undefined);
  // Where the driver itself gives up, such as without a password, neither it nor the pool closes the connection.
  client.connection.on('error', () => void client.connection.stream.destroy());
  if (flaw !== undefined) client.connect = failWith(client, flaw) as Client['connect'];
  return client;
}

function failWith(client: Client, flaw: unknown) {
  return (callback?: (error: unknown) => void) => {
    client.emit('end');
    return callback === undefined ? Promise.reject(flaw) : process.nextTick(callback, flaw);
  };
}

/** The pool cannot bear a constructor that throws, so a certificate that cannot be read is told when connecting. */
function readConfig(url: PostgresUrl, { host, port }: Host): { config: ClientConfig; flaw?: unknown } {
  const { user, password, database, options, applicationName = 'shiftfeed', tls } = url;
  const given = { user, password, database, options, host, port, application_name: applicationName };
  const config = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (tls === undefined) return { config };
  if (tls === 'off') return { config: { ...config, ssl: false } };
  try {
    const negotiation = tls.isDirect ? ({ sslnegotiation: 'direct' } as const) : {};
    return {
      config: { ...config, ...negotiation, ssl: tlsConfig(tls), enableChannelBinding: tls.bindsChannel },
    };
  } catch (flaw) {
    return { config: { ...config, ssl: true }, flaw };
  }
}

/** Read for each connection, because certificates are renewed. */
function tlsConfig({ verifies, authority, certificate, key }: Tls) {
  const paths = Object.entries({ ca: authority, cert: certificate, key });
  const files = paths.flatMap(([name, path]) =>
    path === undefined ? [] : [[name, readFileSync(path, 'utf8')]],
  );
  const anyName = verifies === 'authority' ? { checkServerIdentity: () => undefined } : {};
  return { rejectUnauthorized: verifies !== 'nothing', ...anyName, ...Object.fromEntries(files) };
}

export interface Statement {
  /** Without a name, it is prepared anew for each trip. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/**
 * Asks a question together with its time limits in one round trip: the statements are one implicit transaction, which
 * ends with the message that ends the trip. BEGIN and COMMIT would make it three queries for the driver, and take 1.4
 * times the processor time of the client. Returns for each statement the first column of its rows, as text. `prepared`
 * has the names that the connection knows.
 */
export function askInOneTrip(
  client: PoolClient,
  statements: readonly Statement[],
  prepared: ReadonlySet<string>,
  answerMs: number,
): Promise<readonly (readonly string[])[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly (readonly string[])[]>();
  const rows: string[][] = statements.map(() => []);
  let completed = 0;
  /** What the driver calls on a query of its own. */
  const trip = {
    /** The driver reads this, and replaces `callback` to stop its clock. */
    query_timeout: answerMs,
    callback: (error: Error | null) => (error ? reject(error) : resolve(rows)),
    submit(connection: Connection) {
      connection.stream.cork();
      for (const { name, text, values } of statements) {
        if (name === undefined || !prepared.has(name))
          connection.parse({ name: name ?? '', text, types: [] }, true);
        connection.bind({ statement: name, values: [...values] }, true);
        connection.execute({}, true);
      }
      connection.sync();
      connection.stream.uncork();
    },
    handleDataRow({ fields: [first] }: { fields: readonly string[] }) {
      rows[completed]?.push(first as string);
    },
    handleCommandComplete: () => void completed++,
    handleReadyForQuery: () => trip.callback(null),
    handleError: (error: Error) => trip.callback(error),
  };
  client.query<Submittable>(trip);
  return promise;
}

export type PreparedStatements = ReturnType<typeof keepPreparedStatements>;

/** SQLSTATE of "cached plan must not change result type". */
const OUTDATED_STATEMENT = '0A000';
/** The statement was not prepared on this connection, or another statement was prepared under its name. */
const MISSING_STATEMENT = '26000';
const FOREIGN_STATEMENT = '42P05';

/** Names of statements that are prepared once per connection, and recovery when they are no longer valid. */
export function keepPreparedStatements() {
  /** How often statements had to be prepared again. */
  let generation = 0;
  /** False behind a pooler that gives each transaction another connection and does not track statements. */
  let areStatementsKept = true;

  return {
    /**
     * The question with the current name of its statement.
     *
     * When the type of a column has changed, PostgreSQL refuses to run statements that were prepared before. A new name
     * makes every connection prepare them again. A new text does the same behind a pooler, which identifies statements
     * by their text. Without a name, a statement is prepared each time.
     */
    named<Question extends { readonly name?: string | undefined; readonly text: string }>(
      question: Question,
    ): Question {
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
    },

    /** Runs `work`, which asks such questions, and runs it again if statements must be prepared again. */
    async preparingAgain<T>(work: () => Promise<T>): Promise<T> {
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
    },
  };
}
