import type { SortOrder } from '../listing/shift.ts';

/** The most different months in which an account may have or have had shifts: 200 years. */
export const MAX_MONTHS = 2_400;

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
