/** Entity tags and conditional requests (RFC 9110, 8.8.3 and 13.1.2). */

import { memoize } from '../protocol/memoize.ts';
import type { Encoding } from './compression.ts';

/** Each encoding of a page has its own entity tag, as RFC 9110 demands. */
export function entityTag(tag: string, encoding: Encoding): string {
  return tagsOf(tag)[encoding];
}

/** Pages that are asked for again have the same tags. */
const MAX_MEMOIZED_TAGS = 1_000;

/** V8 looks up a string that was just put together much more slowly than one that it has seen before. */
const tagsOf = memoize(
  (tag: string): Readonly<Record<Encoding, string>> => ({
    identity: `"${tag}"`,
    zstd: `"${tag}-zstd"`,
    br: `"${tag}-br"`,
    gzip: `"${tag}-gzip"`,
  }),
  MAX_MEMOIZED_TAGS,
);

/** Every entity tag that a response may get: its encoding also depends on its size, which may not be known yet. */
export function entityTags(tag: string, encodings: readonly Encoding[]): string[] {
  return encodings.map((encoding) => entityTag(tag, encoding));
}

/** Whether an `If-None-Match` header matches any entity tag. */
export function matchesAny(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*';
}

/** The first of these entity tags that an `If-None-Match` header lists. */
export function matchingTag(ifNoneMatch: string, tags: readonly string[]): string | undefined {
  // Most clients send the one tag that they were given.
  if (tags.includes(ifNoneMatch)) return ifNoneMatch;
  // The comparison is weak: a prefix W/ makes no difference.
  const listed = new Set(ifNoneMatch.match(/"[^"]*"/g));
  return tags.find((tag) => listed.has(tag));
}
