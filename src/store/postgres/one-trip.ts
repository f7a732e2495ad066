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
 * Runs the statements in this order, and returns for each of them the first column of its rows, as text. `prepared` has
 * the names that the connection knows.
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
