import type { SortOrder } from '../listing/shift.ts';

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
