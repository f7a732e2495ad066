/**
 * Ids that are derived from the content of a shift: `first + day * hashes + hash`. They grow with the date, which keeps
 * indexes in order.
 *
 * Two shifts of a day may have the same hash, because they have the same content or by chance. The stage then moves the
 * hash of the later ones, by the same steps every time: `(hash + turn * step) % hashes`.
 */

export interface DerivedIds {
  readonly first: number;
  /** The number of ids for each day. A power of two. */
  readonly hashes: number;
  /** Odd, so that the steps visit every hash before one repeats. */
  readonly step: number;
}

/**
 * 15 digits, because spreadsheets keep no more. The ids are larger than numbers that people count up to or make from a
 * date. There are not enough days for all dates: dates that are 359 years apart share a day, and differ in their
 * hashes.
 */
export const DERIVED_IDS: DerivedIds = { first: 500_000_000_000_000, hashes: 2 ** 31, step: 663_608_941 };
export const DERIVED_ID_DAYS = 2 ** 17;

/** The ids before they had 15 digits. A shift that has such an id keeps it, and its row is still matched with it. */
export const OLDER_DERIVED_IDS: DerivedIds = { first: 2 ** 52, hashes: 2 ** 30, step: 663_608_941 };
