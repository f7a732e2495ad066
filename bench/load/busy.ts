/** Keeps some connections busy: each asks again as soon as it is answered. */

import { openConnection } from './connection.ts';
import type { Target } from './target.ts';

export interface BusyOptions {
  readonly connections: number;
  readonly until: Promise<unknown>;
}

/** Answers per second, from the first request until `until` is settled. */
export async function keepBusy(target: Target, { connections, until }: BusyOptions): Promise<number> {
  const failure = Promise.withResolvers<never>();
  let answers = 0;
  const opened = await Promise.all(
    Array.from({ length: connections }, () =>
      openConnection(
        target,
        (connection) => {
          answers++;
          connection.ask();
        },
        failure.reject,
      ),
    ),
  );
  const started = performance.now();
  for (const connection of opened) connection.ask();
  try {
    await Promise.race([until, failure.promise]);
    return answers / ((performance.now() - started) / 1000);
  } finally {
    for (const connection of opened) connection.close();
  }
}
