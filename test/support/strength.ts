/** How hard tests try: `npm run test:long` takes longer for what `npm test` does in little time. */

/** Whether this is the long part of the tests. */
export const isLong = process.env.TEST_LONG !== undefined;

/** A number, a size or a list for the short part of the tests, and another for the long one. */
export function often<T>(short: T, long: T): T {
  return isLong ? long : short;
}
