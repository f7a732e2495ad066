/** A value whose end has not been seen yet, and how its end is found. */

import type { Position } from './position.ts';

export interface OpenValue {
  readonly of: 'document' | 'key' | 'member' | 'element';
  readonly isScalar: boolean;
  /** Set when the piece with its beginning is dropped. */
  position: Position | undefined;
  /** Where it begins in the current piece. */
  start: number;
  /** Its text in earlier pieces. */
  head: string;
  depth: number;
  colons: number;
  inString: boolean;
  isEscaped: boolean;
  /** Why its text is not kept. */
  dropped: 'unwanted' | 'too-long' | 'too-deep' | undefined;
}

export const MAX_DEPTH = 20;

/** Looks for the end of a value, starting at `from`. Returns how far it got, and whether the value ended there. */
export function readOn(
  value: OpenValue,
  piece: string,
  from: number,
): { readonly at: number; readonly isDone: boolean } {
  let { depth, colons, inString, isEscaped } = value;
  let at = from;
  let isDone = false;
  while (at < piece.length && !isDone) {
    if (inString) {
      const start = isEscaped ? at + 1 : at;
      const quote = piece.indexOf('"', start);
      at = quote === -1 ? piece.length : quote + 1;
      isEscaped = endsInBackslash(piece, start, quote === -1 ? at : quote);
      if (quote === -1) break;
      inString = isEscaped;
      isEscaped = false;
      isDone = !inString && depth === 0;
      continue;
    }
    const code = piece.charCodeAt(at++);
    if (code === QUOTE) inString = true;
    else if (code === COLON) colons++;
    else if (code === BRACE || code === BRACKET) {
      depth++;
      if (depth > MAX_DEPTH) value.dropped ??= 'too-deep';
    } else if (code === END_BRACE || code === END_BRACKET) {
      depth--;
      isDone = depth <= 0;
    } else if (depth === 0 && (code === COMMA || isSpace(code))) isDone = true;
  }
  value.depth = depth;
  value.colons = colons;
  value.inString = inString;
  value.isEscaped = isEscaped;
  return { at, isDone };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const END_BRACKET = 0x5d;
const BRACE = 0x7b;
const END_BRACE = 0x7d;

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Whether the last character from `start` to `end` is a backslash that escapes what follows. */
function endsInBackslash(text: string, start: number, end: number): boolean {
  let at = end;
  while (at > start && text.charCodeAt(at - 1) === BACKSLASH) at--;
  return (end - at) % 2 === 1;
}
