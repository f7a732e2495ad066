/** Listens to the stream of a listing, which tells when the listing changes. Not every server and proxy has streams. */

import { orUnreachable, refusal, withDeadline } from './ask.ts';
import { ShiftfeedUnavailableError } from './errors.ts';
import type { Settings } from './options.ts';

/** The server has no streams, or something on the way holds them back. */
export class NoStream extends Error {}
export { wait } from './ask.ts';

/** A server says something at least every 15 s. */
const SILENCE_MS = 45_000;
/** Longer than any event. */
const MAX_BUFFERED = 64 * 1024;

/** The tags of a listing as it gets them, unless the first is known already. Ends when the stream does. */
export async function* hearTags(
  { url, token, fetch, timeoutMs }: Pick<Settings, 'url' | 'token' | 'fetch' | 'timeoutMs'>,
  query: string,
  known: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void> {
  const leaving = new AbortController();
  const leave = () => leaving.abort(signal?.reason);
  const headers: Record<string, string> = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
  if (known !== undefined) headers['last-event-id'] = known;
  const request: RequestInit = { headers, signal: leaving.signal, redirect: 'manual', cache: 'no-store' };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    const ask = async () => {
      const answer = await orUnreachable(() => fetch(url + query, request));
      if (answer.status !== 200) throw await refusal({ token }, answer);
      return answer;
    };
    const response = await withDeadline(ask, timeoutMs, leaving.signal);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) throw new NoStream();
    yield* tagsIn(response, leaving.signal);
  } finally {
    signal?.removeEventListener('abort', leave);
    // Ends the request, too.
    leaving.abort();
  }
}

async function* tagsIn({ body }: Response, signal: AbortSignal): AsyncGenerator<string, void> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let isHeard = false;
  while (reader !== undefined && text.length < MAX_BUFFERED) {
    const piece = await withDeadline(() => reader.read(), SILENCE_MS, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof ShiftfeedUnavailableError && !isHeard) throw new NoStream();
      // The connection was lost, perhaps without a goodbye.
      return undefined;
    });
    isHeard = true;
    if (piece?.value === undefined) return;
    const events = (text + decoder.decode(piece.value, { stream: true })).split(/\r?\n\r?\n/);
    text = events.pop() ?? '';
    for (const event of events) {
      const tag = /^id: ?(.+)$/m.exec(event)?.[1]?.trim();
      if (tag !== undefined) yield tag;
    }
  }
}

const [MIN_RETRY_MS, MAX_RETRY_MS] = [1_000, 5_000];

/** Clients that lost the same server at the same moment do not come back at the same moment. */
export function retryPauseMs(random: number): number {
  return MIN_RETRY_MS + random * (MAX_RETRY_MS - MIN_RETRY_MS);
}
