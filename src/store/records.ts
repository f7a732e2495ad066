/**
 * What an account consists of, record by record, named as in the schema and in the import document.
 */

import type { Reason } from '@shiftfeed/common/reason';

/** The columns of each table besides `account_id`, in one order for every statement. */
export const COLUMNS = {
  groups: { id: 'integer', name: 'text', active: 'boolean', private: 'boolean' },
  locations: { id: 'integer', name: 'text', address: 'text' },
  people: { id: 'integer', name: 'text' },
  shifts: {
    id: 'integer',
    date: 'date',
    start_time: 'text',
    end_time: 'text',
    end_date: 'date',
    group_id: 'integer',
    location_id: 'integer',
    person_id: 'integer',
    publish_date: 'date',
    remarks: 'text',
    starred: 'boolean',
    cancelled: 'boolean',
    noshow: 'boolean',
  },
} as const;

interface Values {
  integer: number;
  text: string;
  date: string;
  boolean: boolean;
}

type Columns = typeof COLUMNS;
type Records = {
  [T in keyof Columns]: {
    readonly [Field in keyof Columns[T]]:
      | Values[Columns[T][Field] & ColumnType]
      | (Field extends 'location_id' | 'person_id' ? null : never);
  };
};

export type ColumnType = keyof Values;
export type Table = keyof Columns;
export type RecordOf<T extends Table> = Records[T];
export type ShiftRecord = RecordOf<'shifts'>;

/** A record as a document gives it: an id, and some of the other fields. null means none. */
type GivenRecord<T extends Table> = { readonly id: number } & {
  readonly [Field in keyof RecordOf<T>]?: RecordOf<T>[Field] | null | undefined;
};

/** What becomes of the records of a table. */
export interface Tally {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** A problem of a record, and where in the record it is. */
export interface Flaw extends Reason {
  readonly path: readonly (string | number)[];
}

/**
 * A staged record of the document. A flawed record is never written, but the rest of the document is still checked
 * against it. It has its valid fields, its id if that is known, and the names of the fields that could not be read.
 */
export type StagedRecord<T extends Table> = Partial<GivenRecord<T>> & {
  readonly flawed?: { readonly flaws: readonly Flaw[]; readonly unclear: readonly string[] };
  /** Whether its id is derived from its content (see `DERIVED_IDS`). Other records may have the same id. */
  readonly isDerived?: true;
};

/**
 * Ids that are derived from the content of a shift: `first + day * hashes + hash`. They grow with the date, which keeps
 * indexes in order. They have 15 digits, because spreadsheets keep no more, and are larger than numbers that people
 * count up to or make from a date. There are not enough days for all dates: dates that are 359 years apart share a day,
 * and differ in their hashes.
 *
 * Two shifts of a day may have the same hash, because they have the same content or by chance. The stage then moves the
 * hash of the later ones, by the same steps every time: `(hash + steps * step) % hashes`. An odd step visits every hash
 * before one repeats. Times `unstep`, the distance of two hashes is the number of steps between them.
 */
export const DERIVED_IDS = {
  first: 500_000_000_000_000,
  days: 2 ** 17,
  hashes: 2 ** 31,
  step: 663_608_941,
  unstep: 1_321_261_925,
};

/** The first and the last date that shifts may have. */
export const FIRST_DATE = '1000-01-01';
export const LAST_DATE = '9999-12-31';

/** Dates YYYY-MM-DD, both included. If one is missing, the range is open on that side. */
export interface DateRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Parents first: saving in this order and removing in the reverse order never breaks a reference. */
export const TABLES: readonly Table[] = ['groups', 'locations', 'people', 'shifts'];

/** The defaults of fields that a new record may leave out. The end date of a shift follows from its times. */
export const DEFAULTS: { readonly [T in Table]: Partial<RecordOf<T>> } = {
  groups: { active: true, private: false },
  locations: { address: '' },
  people: {},
  shifts: {
    location_id: null,
    person_id: null,
    remarks: '',
    starred: false,
    cancelled: false,
    noshow: false,
  },
};

/** A field of shifts, the table that it refers to, and the noun for a record of that table. */
export const REFERENCES = [
  ['group_id', 'groups', 'group'],
  ['location_id', 'locations', 'location'],
  ['person_id', 'people', 'person'],
] as const;

/** The names of the columns alone, for loops over rows. */
export const COLUMN_NAMES = Object.fromEntries(
  TABLES.map((table) => [table, Object.keys(COLUMNS[table])]),
) as unknown as { readonly [T in Table]: readonly (string & keyof Records[T])[] };

/** The columns of a sheet of shifts, as exports write them and imports read them, with names in place of ids. */
export const SHEET_COLUMNS = [
  'id',
  'date',
  'start_time',
  'end_time',
  'end_date',
  'group',
  'location',
  'address',
  'person',
  'publish_date',
  'remarks',
  'starred',
  'cancelled',
  'noshow',
] as const;
