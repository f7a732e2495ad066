import type { SortOrder } from '../listing/shift.ts';

/** The most different months in which an account may have or have had shifts: 200 years. */
export const MAX_MONTHS = 2_400;

/** The most that imports give an account: more than any has, and few enough to be listed at once. */
export const MAX_RECORDS = { groups: 5_000, locations: 5_000, people: 50_000 } as const;

/** The name of an account in URLs. */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const SLUG_RULE = '1 to 63 lower-case letters, digits and hyphens, starting with a letter or digit';

export interface AccountSettings {
  readonly slug: string;
  readonly name: string;
  readonly premium: boolean;
  /** An IANA time zone name. */
  readonly timeZone: string;
  readonly sort: SortOrder;
}

export interface Account extends AccountSettings {
  readonly id: number;
}
