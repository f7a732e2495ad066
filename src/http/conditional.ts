/** The entity tag among these that an `If-None-Match` header names (RFC 9110, 13.1.2); `*` names any. */
export function matchingTag(header: string, tags: readonly string[]): string | undefined {
  if (header.trim() === '*') return '*';
  // What most clients send: the one tag that they were given.
  if (tags.includes(header)) return header;
  // Weak and strong tags compare alike here: who asks only wants to know whether it is still the same.
  const given = new Set(header.match(/"[^"]*"/g));
  return tags.find((tag) => given.has(tag));
}
