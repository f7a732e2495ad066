import { quote } from '../quote.ts';

/** A place in a document, such as `shifts[13].end_time`. */
export function placeOf(...keys: readonly (string | number)[]): string {
  return keys.map(keyPlace).join('').replace(/^\./, '');
}

/** A place in a sheet, such as `line 14, end_time`. */
export function placeInSheet(line: number, column: string | undefined): string {
  if (column === undefined) return `line ${line}`;
  return `line ${line}, ${/^[\w -]{1,40}$/.test(column) ? column : quote(column)}`;
}

/** How a key or an index is appended. */
function keyPlace(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  // A key may be any text. If it is not a plain word, it is quoted, escaped and shortened like a value.
  return /^\w{1,40}$/.test(key) ? `.${key}` : `[${quote(key)}]`;
}
