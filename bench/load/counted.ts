/** A fixed number of requests, over connections that stay open between one turn and the next. */

import { type Connection, openConnection } from './connection.ts';
import type { Target } from './target.ts';

export interface CountedLoad {
  /** Settled when so many requests are answered. */
  ask(requests: number): Promise<void>;
  close(): void;
}

export async function openCountedLoad(target: Target, connections: number): Promise<CountedLoad> {
  let toAsk = 0;
  let toAnswer = 0;
  let turn = Promise.withResolvers<void>();

  function onAnswer(connection: Connection): void {
    toAnswer--;
    if (toAsk > 0) {
      toAsk--;
      connection.ask();
    } else if (toAnswer === 0) turn.resolve();
  }

  const opened = await Promise.all(
    Array.from({ length: connections }, () =>
      openConnection(target, onAnswer, (error) => turn.reject(error)),
    ),
  );
  return {
    ask(requests) {
      turn = Promise.withResolvers();
      toAnswer = requests;
      toAsk = Math.max(0, requests - opened.length);
      for (const connection of opened.slice(0, requests)) connection.ask();
      return turn.promise;
    },
    close() {
      for (const connection of opened) connection.close();
    },
  };
}
