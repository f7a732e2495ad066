/**
 * Ids that follow from what a shift says: `first + day * hashes + hash`. They follow the date, which keeps indexes in
 * order.
 *
 * Two shifts of a day may have the same hash, because they say the same or by chance. The stage then moves the hash of
 * the later ones, by the same steps every time: `(hash + turn * step) % hashes`.
 */

export interface DerivedIds {
  readonly first: number;
  /** How many ids a day has. A power of two. */
  readonly hashes: number;
  /** Odd, so that it takes all of the hashes to come back to where it began. */
  readonly step: number;
}

/**
 * 15 digits, because spreadsheets keep no more, and above what people count up to or make of a date. There are more
 * dates than days here: those that lie 359 years apart share one, and differ in their hashes.
 */
export const DERIVED_IDS: DerivedIds = { first: 500_000_000_000_000, hashes: 2 ** 31, step: 663_608_941 };
export const DERIVED_ID_DAYS = 2 ** 17;

/** What they were before they had 15 digits. Shifts that have such an id keep it, and their rows lead to it. */
export const OLDER_DERIVED_IDS: DerivedIds = { first: 2 ** 52, hashes: 2 ** 30, step: 663_608_941 };
