/** Sends what was drawn over a raw socket, and holds what comes back against what is promised. */

import { connect, type Socket } from 'node:net';
import { statusesIn } from '../../test/support/raw-client.ts';
import type { DrawnConnection } from './requests.ts';

/** A server that does not close by then keeps what it should have let go. */
const CLOSED_WITHIN_MS = 60_000;

/** How long a polite client waits for more before it goes. */
const QUIET_MS = 30;

export interface Answered {
  /** All that came back until the connection was closed. */
  readonly bytes: Buffer;
  /** Whether the server reset it. */
  readonly isReset: boolean;
}

export async function send(url: string, connection: DrawnConnection): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const chunks: Buffer[] = [];
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true, noDelay: true });
  const limit = setTimeout(() => {
    reject(new Error(`A ${connection.ending} connection is still open after ${CLOSED_WITHIN_MS / 1000} s.`));
    socket.destroy();
  }, CLOSED_WITHIN_MS);
  const quiet = setInterval(() => {
    const hasAll = () =>
      bodiesIn(Buffer.concat(chunks), connection.expected.length).length === connection.expected.length;
    const isSent = socket.bytesWritten === connection.bytes.length;
    if (connection.ending === 'polite' && isSent && hasAll()) socket.end();
  }, QUIET_MS);
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  let isReset = false;
  socket.on('error', () => {
    isReset = true;
  });
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    clearTimeout(limit);
    clearInterval(quiet);
    resolve({ bytes: Buffer.concat(chunks), isReset });
  });
  socket.on('connect', () => sendPieces(socket, connection));
  return promise;
}

function sendPieces(socket: Socket, { bytes, pieces, ending }: DrawnConnection): void {
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  const sendFrom = (start: number): void => {
    if (start < bytes.length) socket.write(bytes.subarray(start, start + size), () => sendFrom(start + size));
    else if (ending === 'reset') socket.resetAndDestroy();
    else if (ending === 'half-closed') socket.end();
  };
  sendFrom(0);
}

/** The bodies of the first so many responses, as far as they are there. */
function bodiesIn(answer: Buffer, count: number): string[] {
  const bodies: string[] = [];
  let start = 0;
  while (bodies.length < count) {
    const headEnd = answer.indexOf('\r\n\r\n', start);
    if (headEnd === -1) break;
    const head = answer.toString('latin1', start, headEnd);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const end = headEnd + 4 + length;
    if (end > answer.length) break;
    bodies.push(answer.toString('utf8', headEnd + 4, end));
    start = end;
  }
  return bodies;
}

/**
 * Throws when a promise is broken. Answers may be missing when the client resets the connection. What does come back is
 * right in any case.
 */
export function judge(drawn: DrawnConnection, answered: Answered): number[] {
  const { expected, bytes, ending } = drawn;
  const statuses = statusesIn(answered.bytes.toString('latin1'));
  const told = () => `\n${JSON.stringify(bytes.toString('latin1').slice(0, 2_000))}`;
  const broken = statuses.find((status) => status >= 500);
  if (broken !== undefined) throw new Error(`A request was answered ${broken}.${told()}`);
  const bodies = bodiesIn(answered.bytes, expected.length);
  expected.forEach((body, i) => {
    if (bodies[i] === body || (bodies[i] === undefined && ending === 'reset')) return;
    throw new Error(
      `Request ${i + 1} was right, and answered ${statuses[i]} ${bodies[i]}\nnot ${body}${told()}`,
    );
  });
  return statuses;
}
