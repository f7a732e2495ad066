/** The IANA name of a time zone in its usual spelling, or undefined when there is no such zone. */
export function timeZoneName(text: string): string | undefined {
  // Intl also takes offsets such as +01:00, which are no zones: they know no summer time.
  if (!/^[A-Za-z]/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
