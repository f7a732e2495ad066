import type { Listing } from './api.ts';

/**
 * A page of shifts with what its headers say. Nothing of it can be changed. As long as the server says that a page is
 * as it was, its `shifts` are the same array.
 */
export interface ShiftPage extends Listing {
  /** The IANA name of the time zone in which dates and times are meant. undefined when the server does not say it. */
  readonly timeZone: string | undefined;
  /** Differs when the data of the account has changed. undefined when the server has none. */
  readonly revision: string | undefined;
  /**
   * Names the state of the listing that the page is of: pages of one query with the same tag belong together. A change
   * elsewhere in the account keeps it. undefined when the server has none.
   */
  readonly listing: string | undefined;
  /**
   * When the months that the listing touches were last written to, in milliseconds since 1970, to the second. undefined
   * when nothing ever was, or when the server does not say it.
   */
  readonly lastModifiedMs: number | undefined;
  /** How old the answer is, when the server gave it from memory because its database was away. */
  readonly staleSeconds: number | undefined;
}
