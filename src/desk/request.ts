/** What a request to the desk carries: its body, within limits, and where it comes from. And why it is refused. */

import { addAbortListener } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Larger than the answers to a thousand questions. */
const MAX_JSON_BYTES = 256 * 1024;
const JSON_TIMEOUT_MS = 10_000;

export type JsonObject = Readonly<Record<string, unknown>>;

export async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes = MAX_JSON_BYTES,
): Promise<JsonObject> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of bodyOf(request, response, AbortSignal.timeout(JSON_TIMEOUT_MS))) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new DeskRefusal(413, `This is larger than ${maxBytes / 1024} kB.`);
    chunks.push(chunk);
  }
  const value = parseJson(Buffer.concat(chunks).toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DeskRefusal(400, 'Expected an object in JSON.');
  return value as JsonObject;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Fails when the client stops halfway, or when it takes too long. */
export async function* bodyOf(
  request: IncomingMessage,
  response: ServerResponse,
  stop: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (request.headers.expect !== undefined) response.writeContinue();
  using _stopping = addAbortListener(stop, () => request.destroy());
  // The server lets clients close their side after a request. Node does not tell that one did so in the middle of it.
  const { socket } = request;
  const onEnd = () => {
    if (!request.complete) request.destroy();
  };
  socket.once('end', onEnd);
  try {
    // A refusal in the middle has to be answered on the same connection.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
  } catch {
    throw new DeskRefusal(408, 'The request did not arrive as a whole.');
  } finally {
    socket.off('end', onEnd);
  }
}

/** What writes has to come from the desk's own pages: other pages cannot change what browsers send as Origin. */
export function checkOrigin({ headers: { origin } }: IncomingMessage, origins: ReadonlySet<string>): void {
  if (origin !== undefined && origins.has(origin)) return;
  throw new DeskRefusal(403, 'This is only for the pages of the desk itself.');
}

export function textIn(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new DeskRefusal(400, `${name} has to be a text.`);
}

export const CLOSING = 'The desk is closing.';

/** Why the desk does not do what it is asked for: a status and a sentence for the page. */
export class DeskRefusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, sentence: string, headers: Readonly<Record<string, string>> = {}) {
    super(sentence);
    this.name = 'DeskRefusal';
    this.status = status;
    this.headers = headers;
  }
}

/** Another account's things are answered like things that do not exist. */
export function notFound(what = 'this address'): DeskRefusal {
  return new DeskRefusal(404, `There is nothing at ${what}.`);
}
