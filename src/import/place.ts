/** Where something stands in a document, and how that is told. */

import { quote } from '@shiftfeed/common/quote';

/** A place in a document, such as `shifts[13].end_time`. */
export function placeOf(...keys: readonly (string | number)[]): string {
  return keys.map(keyPlace).join('').replace(/^\./, '');
}

/** How a key or an index is appended. */
function keyPlace(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  // A key may be any text. If it is not a plain word, it is quoted, escaped and shortened like a value.
  return /^\w{1,40}$/.test(key) ? `.${key}` : `[${quote(key)}]`;
}
