/** What a client accepts: headers with a list of names and their weights, such as `br;q=0.9, gzip`. */

import { memoize } from './memoize.ts';

/** The name for no encoding at all. */
export const IDENTITY = 'identity';
const MAX_ITEMS = 20;
/** Clients send few different headers. */
const MAX_MEMOIZED = 100;
/** Of what is accepted although the header does not name it (RFC 9110, 12.5.3). */
const LEAST = 1e-9;

export interface Accepted {
  readonly name: string;
  /** From 0 to 1. */
  readonly weight: number;
}

export function acceptedIn(header: string): readonly Accepted[] {
  return header.split(',', MAX_ITEMS).map((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = Number(parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? 1);
    return { name, weight: weight >= 0 && weight <= 1 ? weight : 0 };
  });
}

/**
 * Tells which of these encodings an `Accept-Encoding` header accepts, best first. Those that it accepts equally well stay
 * in the order in which they are given.
 */
export function encodingsAmong<Encoding extends string>(
  available: readonly Encoding[],
): (header: string) => readonly Encoding[] {
  return memoize((header) => {
    const weights = new Map(acceptedIn(header).map(({ name, weight }) => [name.toLowerCase(), weight]));
    const weightOf = (name: Encoding) =>
      weights.get(name) ?? weights.get('*') ?? (name === IDENTITY ? LEAST : 0);
    return available.filter((name) => weightOf(name) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  }, MAX_MEMOIZED);
}
