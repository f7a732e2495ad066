/** A log line for people: time, level, message, then the other fields. */

import { styleText } from 'node:util';
import { printable } from '../../quote.ts';

const LEVELS: Readonly<Record<number, readonly [name: string, style: 'red' | 'yellow' | 'dim']>> = {
  50: ['error', 'red'],
  40: ['warn', 'yellow'],
  30: ['info', 'dim'],
};

/** Converts a JSON line of pino. Leaves colours out if the terminal has none or NO_COLOR is set. */
export function readableLine(json: string, stream: NodeJS.WriteStream): string {
  const {
    level,
    time,
    pid: _pid,
    hostname: _hostname,
    msg,
    err,
    ...rest
  } = JSON.parse(json, (_, value) => (typeof value === 'string' ? printable(value) : value));
  const [name, style] = LEVELS[level] ?? [String(level), 'dim'];
  const paint = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream, validateStream: true });
  const details = Object.entries(rest).map(([key, value]) => `${key}=${textOf(value)}`);
  const stack = err?.stack === undefined ? '' : `\n${paint('dim', err.stack)}`;
  const clock = new Date(time).toTimeString().slice(0, 8);
  return `${paint('dim', clock)} ${paint(style, name.padEnd(5))} ${[msg, paint('dim', details.join(' '))].join(' ').trimEnd()}${stack}\n`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
