/** Whether an `If-None-Match` header names one of these entity tags (RFC 9110, 13.1.2). */
export function matchesTag(header: string | undefined, tags: readonly string[]): string | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return tags[0];
  // Weak and strong tags compare alike here: who asks only wants to know whether it is still the same.
  const given = new Set(header.match(/"[^"]*"/g));
  return tags.find((tag) => given.has(tag));
}
