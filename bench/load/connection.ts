/**
 * One connection that sends the same request again and again. It looks no further than status and length, so that the
 * generator has little to do itself.
 */

import { connect } from 'node:net';
import { describeHeaders, type Target } from './target.ts';

export interface Connection {
  /** Sends the request; the one before must have been answered. */
  ask(): void;
  close(): void;
}

/**
 * For all connections: what is read is looked at before anything else is. More buffers would be garbage to clear while
 * others are timed.
 */
const READ_BUFFER = new Uint8Array(256 * 1024);

/** `onAnswer` is called when an answer has arrived whole, `onFailure` when the connection is of no use any more. */
export async function openConnection(
  target: Target,
  onAnswer: (connection: Connection) => void,
  onFailure: (error: Error) => void,
): Promise<Connection> {
  const { hostname, port, pathname, search, host } = new URL(target.url);
  const head = [`GET ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...describeHeaders(target)];
  const request = `${head.join('\r\n')}\r\n\r\n`;
  let missingBytes = 0;

  function receive(size: number, buffer: Uint8Array): boolean {
    missingBytes = missingBytes === 0 ? answerBytes(buffer.subarray(0, size)) - size : missingBytes - size;
    if (missingBytes === 0) onAnswer(connection);
    return true;
  }

  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: {
      buffer: READ_BUFFER,
      callback(size, buffer) {
        try {
          return receive(size, buffer);
        } catch (error) {
          onFailure(error as Error);
          return false;
        }
      },
    },
  });
  const connection = { ask: () => socket.write(request), close: () => socket.destroy() };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('connect', resolve);
  socket.once('error', reject);
  await promise;
  socket.off('error', reject);
  socket.on('error', onFailure);
  socket.on('end', () => onFailure(new Error(`${host} closed a connection.`)));
  return connection;
}

/** By a server that could not answer in time, for instance because the machine stood still. */
export class Refused extends Error {}

/** From the first piece of an answer, which holds its whole head. */
function answerBytes(piece: Uint8Array): number {
  const text = Buffer.from(piece.buffer, piece.byteOffset, Math.min(piece.length, 4096)).toString('latin1');
  const headEnd = text.indexOf('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1];
  const hasBody = status === '200';
  if (headEnd === -1 || !(hasBody ? length !== undefined : /^(204|304)$/.test(status ?? ''))) {
    const sentence = `Unexpected answer: ${text.slice(0, 200)}`;
    throw status === '503' ? new Refused(sentence) : new Error(sentence);
  }
  return headEnd + 4 + (hasBody ? Number(length) : 0);
}
