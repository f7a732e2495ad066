/**
 * Ids that follow from what a shift says: `FIRST_DERIVED_ID + day * 2^DERIVED_ID_BITS + hash`, where days count from
 * the first date that there may be. Such ids begin above all that people give, and follow the date, which keeps indexes
 * in order.
 *
 * Two shifts of a day may have the same hash, because they say the same or by chance. The stage then moves the hash of
 * the later ones, by the same steps every time: `(hash + turn * DERIVED_ID_STEP) % 2^DERIVED_ID_BITS`.
 */

export const FIRST_DERIVED_ID = 2 ** 52;
/** There are 3.3 million dates, which take 22 of the 52 bits. */
export const DERIVED_ID_BITS = 30;
/** Odd, so that it takes all of the range to come back to where it began. */
export const DERIVED_ID_STEP = 663_608_941;
