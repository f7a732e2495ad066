/** Reads how long a shift is, for sheets without an end, in minutes. */

export const LENGTH_RULE = 'a length such as 8, 7.5, 7,5, 7:30 or 7h30, of at most 24 hours';

/** `7.30` may be 7 hours 30 minutes or 7.3 hours, so the caller says which one to try. */
export type FractionKind = 'decimal' | 'minutes';

/** undefined: it is no length. */
export function readLength(text: string, fractions: FractionKind): number | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const minutes = minutesOf(text.trim().toLowerCase(), fractions);
  return minutes !== undefined && minutes > 0 && minutes <= MAX_MINUTES ? minutes : undefined;
}

const MAX_CHARACTERS = 30;
const MAX_MINUTES = 24 * 60;
const WHOLE = /^(\d{1,2})(?:[:h](\d\d)(?::00)?)?$/;
const IN_WORDS =
  /^(\d{1,2})\s{0,5}(?:h|hrs?|hours?|std\.?|stunden?|uren|uur|u|heures?|horas?)\.?(?:\s{0,5}(\d{1,2})\s{0,5}(?:m|min|minuten|minutes|minutos)?\.?)?$/;
const FRACTION =
  /^(\d{1,2})[.,](\d{1,4})\s{0,5}(?:h|hrs?|hours?|std\.?|stunden|uren|uur|u|heures?|horas?)?\.?$/;

function minutesOf(text: string, fractions: FractionKind): number | undefined {
  const [, hours, minutes = '0'] = WHOLE.exec(text) ?? IN_WORDS.exec(text) ?? [];
  if (hours !== undefined) return Number(minutes) < 60 ? Number(hours) * 60 + Number(minutes) : undefined;
  const [, whole, part = ''] = FRACTION.exec(text) ?? [];
  if (whole === undefined) return undefined;
  if (fractions === 'minutes') {
    return part.length === 2 && Number(part) < 60 ? Number(whole) * 60 + Number(part) : undefined;
  }
  // A third of an hour is written with any number of digits.
  const exact = Number(`${whole}.${part}`) * 60;
  const rounded = Math.round(exact);
  return Math.abs(exact - rounded) <= (part.length > 1 ? 0.4 : 0.001) ? rounded : undefined;
}
