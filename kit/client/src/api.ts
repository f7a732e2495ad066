/** What the API takes and gives. A test compares it with the description of the API. */

/** One page of the matching shifts, and how many there are. */
export interface Listing {
  /** In the order of the account: by date and start time, or by date, group name and start time. */
  readonly shifts: readonly Shift[];
  readonly meta: Meta;
}

/** The position of the page among all pages. */
export interface Meta {
  /** How many shifts match, on all pages. */
  readonly total: number;
  /** The number of this page. */
  readonly page: number;
  /** The page size that was applied. */
  readonly per_page: number;
  /** The number of pages, 0 when nothing matches. */
  readonly total_pages: number;
}

/** A work shift. */
export interface Shift {
  /** Unique among the shifts of the account. */
  readonly id: number;
  /** The day on which the shift starts. Date filters compare this day only. From 1000-01-01 to 9999-12-31. */
  readonly date: string;
  /** 24 hours, 00:00 to 23:59. */
  readonly start_time: string;
  /** On `end_date`. */
  readonly end_time: string;
  /** The day on which the shift ends. For an overnight shift, it is later than `date`. */
  readonly end_date: string;
  readonly group: Group;
  /** null when the shift has none. */
  readonly location: Location | null;
  /** null when the shift is open: nobody is assigned. */
  readonly person: Person | null;
  /** The day from which the shift is published. Before that day, it is listed only with `published=false`. */
  readonly publish_date: string;
  /** Empty when there are none. */
  readonly remarks: string;
  /** Whether the shift is highlighted. */
  readonly starred: boolean;
  /** Whether the shift was cancelled. Cancelled shifts are listed. */
  readonly cancelled: boolean;
  /** Whether the assigned person did not show up. */
  readonly noshow: boolean;
}

/** The group that a shift belongs to. Private groups are listed like the others. */
export interface Group {
  /** The id to use in `group_ids`. */
  readonly id: number;
  readonly name: string;
}

/** Where a shift takes place. */
export interface Location {
  readonly name: string;
  /** Empty when it is unknown. */
  readonly address: string;
}

/** Who is assigned to a shift. */
export interface Person {
  readonly name: string;
}

/** What to list. All parts that are given apply together. */
export interface ShiftFilter {
  /**
   * Only shifts of these groups. Shifts of an inactive group are not listed, even when it is named here.
   * Accepts whole numbers from 1 to 9007199254740991.
   */
  readonly group_ids?: readonly number[];
  /**
   * Only shifts in these months. Without `years`, that is every year, past ones included. Months and years
   * combine within each year: for December to January, use `date_from` and `date_to`. Accepts whole numbers
   * from 1 to 12.
   */
  readonly months?: readonly number[];
  /**
   * Only shifts in these calendar years. Together with `weeks` they are **ISO years**, to which ISO weeks
   * belong. Accepts whole numbers from 1000 to 9999.
   */
  readonly years?: readonly number[];
  /**
   * Only shifts in these ISO weeks, from Monday to Sunday, across New Year too. Without `years`, **only from
   * today on**. Accepts whole numbers from 1 to 53.
   */
  readonly weeks?: readonly number[];
  /**
   * Only shifts on these weekdays: **1 is Sunday**, 2 Monday, 7 Saturday. Without `years`, **only from today
   * on**. Accepts whole numbers from 1 to 7 (1 is Sunday).
   */
  readonly days?: readonly number[];
  /** Only shifts at these locations. Accepts whole numbers from 1 to 9007199254740991. */
  readonly location_ids?: readonly number[];
  /** Only shifts that start on this date. Accepts a date YYYY-MM-DD from 1000-01-01 to 9999-12-31. */
  readonly day?: string;
  /**
   * Only shifts that start on this date or later. Without `date_to`, the range has no end. Accepts a date
   * YYYY-MM-DD from 1000-01-01 to 9999-12-31.
   */
  readonly date_from?: string;
  /**
   * Only shifts that start on this date or earlier. Without `date_from`, the range has no beginning. Accepts
   * a date YYYY-MM-DD from 1000-01-01 to 9999-12-31.
   */
  readonly date_to?: string;
  /** Only published shifts, whose `publish_date` is today or earlier. `false` includes the others as well. */
  readonly published?: true | false | 1 | 0;
  /**
   * The number of the page. A page past the end is empty and not an error. Accepts a whole number from 1 to
   * 9007199254740991.
   */
  readonly page?: number;
  /**
   * The number of shifts on a page. Values above 500 are cut to 500; `meta.per_page` says what was applied.
   * Accepts a whole number from 1 to 500.
   */
  readonly per_page?: number;
}

/** What each part of a filter takes. */
export const PARAMETERS = {
  group_ids: 'integer[]',
  months: 'integer[]',
  years: 'integer[]',
  weeks: 'integer[]',
  days: 'integer[]',
  location_ids: 'integer[]',
  day: 'date',
  date_from: 'date',
  date_to: 'date',
  published: 'boolean',
  page: 'integer',
  per_page: 'integer',
} as const satisfies Kinds<ShiftFilter>;

/** What each member of an answer is. */
export const SHAPES = {
  Listing: {
    shifts: 'Shift[]',
    meta: 'Meta',
  },
  Meta: {
    total: 'integer',
    page: 'integer',
    per_page: 'integer',
    total_pages: 'integer',
  },
  Shift: {
    id: 'integer',
    date: 'date',
    start_time: 'time',
    end_time: 'time',
    end_date: 'date',
    group: 'Group',
    location: 'Location|null',
    person: 'Person|null',
    publish_date: 'date',
    remarks: 'text',
    starred: 'boolean',
    cancelled: 'boolean',
    noshow: 'boolean',
  },
  Group: {
    id: 'integer',
    name: 'name',
  },
  Location: {
    name: 'name',
    address: 'text',
  },
  Person: {
    name: 'name',
  },
} as const satisfies {
  Listing: Kinds<Listing>;
  Meta: Kinds<Meta>;
  Shift: Kinds<Shift>;
  Group: Kinds<Group>;
  Location: Kinds<Location>;
  Person: Kinds<Person>;
};

type Kinds<Body> = Readonly<Record<keyof Body, string>>;
