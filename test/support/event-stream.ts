/** A client that listens to a stream of events. */

import assert from 'node:assert/strict';
import { until } from './until.ts';

export interface Listening {
  readonly response: Response;
  /** All that came so far. */
  text(): string;
  /** The ids of the events that came so far. */
  ids(): readonly string[];
  /** Resolves with the latest id once so many events came. */
  event(count: number): Promise<string>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  /** Leaves. */
  leave(): void;
}

export async function listenTo(url: string, token?: string, headers: object = {}): Promise<Listening> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    signal: leaving.signal,
    headers: {
      accept: 'text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  let text = '';
  const read = async () => {
    const body = response.body?.pipeThrough(new TextDecoderStream());
    for await (const piece of body ?? []) text += piece;
  };
  const ids = () => Array.from(text.matchAll(/^id: (.*)$/gm), ([, id = '']) => id);
  return {
    response,
    text: () => text,
    ids,
    async event(count) {
      await until(`${count} events came`, () => ids().length >= count);
      return ids().at(-1) as string;
    },
    ended: read().catch(() => undefined),
    leave: () => leaving.abort(),
  };
}
