/** One request, to look at its answer: before anything is timed, it must be right. */

import type { Target } from './target.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export async function askOnce({ url, headers }: Target): Promise<Answer> {
  // Unlike load generators, fetch would ask for a compressed page by itself.
  const response = await fetch(url, { headers: { 'accept-encoding': 'identity', ...headers } });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}
