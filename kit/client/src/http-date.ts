/** A time as headers write it, in milliseconds since 1970. undefined when the text is none. */
export function readHttpDate(text: string | null): number | undefined {
  if (text === null || !HTTP_DATE.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
