/**
 * The log goes to standard error: as JSON lines, or readable on a terminal. No request waits for it. When nobody reads
 * the log, or the disk is full, lines are dropped. The number of dropped lines is logged as soon as writing works
 * again.
 */

import { fstatSync, write } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { printable } from '@shiftfeed/common/quote';
import { type Logger, pino } from 'pino';

export interface Log {
  readonly logger: Logger;
  /** Resolves when all lines are written, or after half a second. */
  flush(): Promise<void>;
}

export type LogLevel = 'info' | 'warn' | 'error';

/** When this many bytes wait to be written, further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;
const FLUSH_LIMIT_MS = 500;

export function openLog(level: LogLevel, stream: NodeJS.WriteStream & { readonly fd: number }): Log {
  const send = senderTo(stream.fd);
  let lostLines = 0;
  const lines = new Writable({
    decodeStrings: false,
    writev(waiting, done) {
      send(waiting.map(({ chunk }) => chunk).join(''), (error) => {
        if (error) lostLines += waiting.length;
        done();
        if (!error) tellLost();
      });
    },
  });
  const logger = pino(
    // A word, because few programs that read logs know pino's numbers.
    { level, formatters: { level: (name) => ({ level: name }) } },
    { write: stream.isTTY ? (json: string) => add(readableLine(json, stream)) : add },
  );

  function add(line: string): void {
    if (lines.writableLength + line.length > MAX_WAITING_BYTES) lostLines++;
    else lines.write(line);
  }

  /** As soon as there is room for it. */
  function tellLost(): void {
    if (lostLines === 0 || lines.writableLength > MAX_WAITING_BYTES / 2) return;
    const lost = { lines: lostLines };
    lostLines = 0;
    logger.error(lost, 'Log lines were lost, because they could not be written fast enough or at all.');
  }

  return {
    logger,
    async flush() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, FLUSH_LIMIT_MS);
      const look = () => (lines.writableLength > 0 ? lines.write('', look) : resolve());
      look();
      await promise;
      clearTimeout(limit);
    },
  };
}

type Send = (text: string, done: (error?: Error | null) => void) => void;

/**
 * Pipes are written by the event loop. A thread that blocks on a full pipe cannot be cancelled and would keep the
 * process from ending. The event loop cannot write to files and terminals, but those do not block for long.
 */
function senderTo(fd: number): Send {
  const stats = fstatSync(fd);
  if (!stats.isFIFO() && !stats.isSocket()) return (text, done) => writeAll(fd, Buffer.from(text), done);
  const pipe = new Socket({ fd, readable: false, writable: true });
  // The callback of `write` gets the error.
  pipe.on('error', () => undefined);
  pipe.unref();
  return (text, done) => {
    pipe.write(text, done);
  };
}

function writeAll(fd: number, bytes: Buffer, done: (error?: Error | null) => void): void {
  write(fd, bytes, (error, count) => {
    if (error !== null || count === bytes.length) done(error);
    else writeAll(fd, bytes.subarray(count), done);
  });
}

const STYLES: Readonly<Record<LogLevel, 'red' | 'yellow' | 'dim'>> = {
  error: 'red',
  warn: 'yellow',
  info: 'dim',
};

/**
 * Converts a JSON line of pino to one for people: time, level, message, then the other fields. Leaves colours out if the
 * terminal has none or NO_COLOR is set.
 */
function readableLine(json: string, stream: NodeJS.WriteStream): string {
  const line = JSON.parse(json, (_, value) => (typeof value === 'string' ? printable(value) : value));
  const { time, pid: _pid, hostname: _hostname, msg, err, ...rest } = line;
  const { level, ...fields }: { level: LogLevel } = rest;
  const paint = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream, validateStream: true });
  const details = Object.entries(fields).map(([key, value]) => `${key}=${textOf(value)}`);
  const stack = err?.stack === undefined ? '' : `\n${paint('dim', err.stack)}`;
  const clock = new Date(time).toTimeString().slice(0, 8);
  return `${paint('dim', clock)} ${paint(STYLES[level], level.padEnd(5))} ${[msg, paint('dim', details.join(' '))].join(' ').trimEnd()}${stack}\n`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
