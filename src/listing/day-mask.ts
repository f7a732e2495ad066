/** Some days of a month. One bit a day, bit 0 is the first: a month has at most 31 days, so it fits an int32. */
export type DayMask = number;

export const DAYS_PER_MONTH = 31;
export const ALL_DAYS: DayMask = firstDays(DAYS_PER_MONTH);

/** The first `count` days. */
export function firstDays(count: number): DayMask {
  return 2 ** count - 1;
}

/** From bit `first` up to, and not including, bit `end`. */
export function daysFrom(first: number, end: number): DayMask {
  return firstDays(end) & ~firstDays(first);
}

/** The first run of neighbouring days, as bits from and up to. The mask must not be 0. */
export function firstRun(days: DayMask): [first: number, end: number] {
  const first = trailingZeros(days);
  return [first, trailingZeros(~(days >> first)) + first];
}

/** The mask without its first run. */
export function withoutFirstRun(days: DayMask): DayMask {
  return days & (days + lowestBit(days));
}

/** From the first day of the mask up to its last, as bits from and up to. The mask must not be 0. */
export function span(days: DayMask): [first: number, end: number] {
  return [trailingZeros(days), 32 - Math.clz32(days)];
}

export function includesDays(days: DayMask, wanted: DayMask): boolean {
  return (wanted & ~days) === 0;
}

function lowestBit(mask: number): number {
  return mask & -mask;
}

function trailingZeros(mask: number): number {
  return 31 - Math.clz32(lowestBit(mask));
}
