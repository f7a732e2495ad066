/** Whether an `If-None-Match` header asks for nothing but what does not exist yet (RFC 9110, 13.1.2). */
export function namesAny(header: string | undefined): boolean {
  return header?.trim() === '*';
}

/** The entity tag among these that an `If-None-Match` header names. */
export function matchingTag(header: string, tags: readonly string[]): string | undefined {
  // What most clients send: the one tag that they were given.
  if (tags.includes(header)) return header;
  // Weak and strong tags compare alike here: who asks only wants to know whether it is still the same.
  const given = new Set(header.match(/"[^"]*"/g));
  return tags.find((tag) => given.has(tag));
}
