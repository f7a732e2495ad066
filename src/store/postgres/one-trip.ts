/**
 * Asks a question together with its time limits in one round trip: two prepared statements of one implicit transaction,
 * which ends with the message that ends the trip. BEGIN and COMMIT would make it three queries for the driver, and take
 * 1.4 times the processor time of the client.
 */

import type { Connection, PoolClient, Submittable } from 'pg';

export interface Statement {
  /** Without a name, it is prepared anew for each trip. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/**
 * Runs the statements in this order, and returns the first column of the last one's rows, as text. `prepared` has the
 * names that the connection knows.
 */
export function askInOneTrip(
  client: PoolClient,
  statements: readonly Statement[],
  prepared: ReadonlySet<string>,
  answerMs: number,
): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  client.query(
    new Trip(statements, prepared, answerMs, (error, rows = []) => (error ? reject(error) : resolve(rows))),
  );
  return promise;
}

/** What the driver calls on a query of its own. */
class Trip implements Submittable {
  readonly #statements: readonly Statement[];
  readonly #prepared: ReadonlySet<string>;
  #completed = 0;
  #rows: string[] = [];
  /** The driver reads this, and replaces `callback` to stop its clock. */
  readonly query_timeout: number;
  callback: (error: Error | null, rows?: readonly string[]) => void;

  constructor(
    statements: readonly Statement[],
    prepared: ReadonlySet<string>,
    answerMs: number,
    callback: Trip['callback'],
  ) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.query_timeout = answerMs;
    this.callback = callback;
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    for (const { name, text, values } of this.#statements) {
      if (name === undefined || !this.#prepared.has(name))
        connection.parse({ name: name ?? '', text, types: [] }, true);
      connection.bind({ statement: name, values: [...values] }, true);
      connection.execute({}, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleDataRow({ fields: [first] }: { fields: readonly string[] }): void {
    if (this.#completed === this.#statements.length - 1) this.#rows.push(first as string);
  }

  handleCommandComplete(): void {
    this.#completed++;
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#rows);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}
