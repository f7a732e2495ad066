/** The IANA name of a time zone in its usual spelling, or undefined when there is no such zone. */
export function timeZoneName(text: string): string | undefined {
  // Temporal also accepts offsets such as +01:00. They are not zones: they have no summer time.
  if (!/^[A-Za-z]/.test(text)) return undefined;
  try {
    // Intl would turn some names into older ones, such as Asia/Kolkata into Asia/Calcutta.
    return new Temporal.ZonedDateTime(0n, text).timeZoneId;
  } catch {
    return undefined;
  }
}
