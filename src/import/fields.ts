/**
 * The fields of an import document. Both the check of a document and docs/import.schema.json are made from this table,
 * so an editor accepts what an import accepts.
 */

import { parseDate } from '@shiftfeed/common/days';
import { memoize } from '@shiftfeed/common/memoize';
import { quote } from '@shiftfeed/common/quote';
import { SORT_ORDERS, type SortOrder } from '../listing/shift.ts';
import { type Account, SLUG, SLUG_RULE } from '../store/account.ts';
import type { RecordOf, Table } from '../store/records.ts';

export interface FieldType<Value> {
  /** The values that the field accepts, as the end of a sentence. */
  readonly expected: string;
  /** The same as `expected` in JSON Schema, as far as JSON Schema can express it. */
  readonly schema: { readonly type: string | readonly string[]; readonly [keyword: string]: unknown };
  /** The value in the form in which it is stored, or undefined when it is not accepted. */
  read(value: unknown): Value | undefined;
}

export interface Field<Value> extends FieldType<Value> {
  /** Shown by editors. */
  readonly description: string;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

const MAX_NAME_CHARACTERS = 200;
const MAX_ADDRESS_CHARACTERS = 1_000;
const MAX_REMARKS_CHARACTERS = 10_000;

// Tab and line breaks are the only control characters that a text may have.
const CONTROL_CHARACTERS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
const FORBIDDEN = new RegExp(`[${CONTROL_CHARACTERS}]`);

function isText(value: string, min: number, max: number): boolean {
  // A character takes at most two units, so a string that is much too long need not be counted.
  if (value.length < min || value.length > 2 * max) return false;
  if (!value.isWellFormed() || FORBIDDEN.test(value)) return false;
  return value.length <= max || [...value].length <= max;
}

function lengthRule(min: number, max: number): string {
  return `${min === 0 ? 'at most' : `${min} to`} ${max} characters without control characters`;
}

function text(min: number, max: number): FieldType<string> {
  return {
    expected: `a text of ${lengthRule(min, max)}`,
    schema: { type: 'string', minLength: min, maxLength: max, pattern: `^[^${CONTROL_CHARACTERS}]*$` },
    read: (value) => (typeof value === 'string' && isText(value, min, max) ? value : undefined),
  };
}

function pattern(regularExpression: RegExp, expected: string): FieldType<string> {
  return {
    expected,
    schema: { type: 'string', pattern: regularExpression.source },
    read: rememberedText((text) => regularExpression.test(text)),
  };
}

function rememberedText(isGood: (text: string) => boolean): FieldType<string>['read'] {
  const read = memoize((text) => (isGood(text) ? text : undefined));
  return (value) => (typeof value === 'string' ? read(value) : undefined);
}

/** null means none. */
function orNone<Value, None>(type: FieldType<Value>, none: None): FieldType<Value | None> {
  return {
    ...type,
    schema: { ...type.schema, type: [type.schema.type as string, 'null'] },
    read: (value) => (value === null ? none : type.read(value)),
  };
}

const ID: FieldType<number> = {
  expected: `a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  read: (value) => (Number.isSafeInteger(value) && (value as number) >= 1 ? (value as number) : undefined),
};

const DATE: FieldType<string> = {
  expected: 'a date YYYY-MM-DD from 1000-01-01 to 9999-12-31',
  schema: { type: 'string', format: 'date', pattern: '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}$' },
  read: rememberedText((text) => parseDate(text) !== undefined),
};

const TIME = pattern(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, 'a time HH:MM from 00:00 to 23:59');

const FLAG: FieldType<boolean> = {
  expected: 'true or false',
  schema: { type: 'boolean' },
  read: (value) => (typeof value === 'boolean' ? value : undefined),
};

const NAME = text(1, MAX_NAME_CHARACTERS);

const TIME_ZONE: FieldType<string> = {
  expected: 'an IANA time zone such as Europe/Amsterdam',
  schema: { type: 'string', pattern: '^[A-Za-z]', examples: ['Europe/Amsterdam', 'UTC'] },
  read: (value) => (typeof value === 'string' ? timeZoneName(value) : undefined),
};

/** The IANA name of a time zone in its usual spelling, or undefined when there is no such zone. */
export function timeZoneName(text: string): string | undefined {
  // Temporal also accepts offsets such as +01:00. They are not zones: they have no summer time.
  if (!/^[A-Za-z]/.test(text)) return undefined;
  try {
    // Intl would turn some names into older ones, such as Asia/Kolkata into Asia/Calcutta.
    return new Temporal.ZonedDateTime(0n, text).timeZoneId;
  } catch {
    return undefined;
  }
}

const SORT: FieldType<SortOrder> = {
  expected: SORT_ORDERS.map((order) => `"${order}"`).join(' or '),
  schema: { type: 'string', enum: SORT_ORDERS },
  read: (value) => SORT_ORDERS.find((order) => order === value),
};

function field<Value>(type: FieldType<Value>, description: string): Field<Value> {
  return { ...type, description };
}

export const ACCOUNT_FIELDS = {
  slug: field(pattern(SLUG, SLUG_RULE), 'The name of the account in URLs.'),
  name: field(NAME, 'The slug, when left out on a new account.'),
  premium: field(FLAG, 'Only premium accounts have live tokens. False when left out on a new account.'),
  time_zone: field(TIME_ZONE, 'An IANA name; decides what "today" is. UTC when left out on a new account.'),
  sort: field(SORT, 'How shifts are ordered within a day. By time when left out on a new account.'),
} satisfies Fields;

export const RECORD_FIELDS = {
  groups: {
    id: field(ID, 'Unique among the groups of the account.'),
    name: field(NAME, 'Required for a new group.'),
    active: field(FLAG, 'Shifts of inactive groups are not listed. True when left out on a new group.'),
    private: field(FLAG, 'False when left out on a new group.'),
  },
  locations: {
    id: field(ID, 'Unique among the locations of the account.'),
    name: field(NAME, 'Required for a new location.'),
    address: field(orNone(text(0, MAX_ADDRESS_CHARACTERS), ''), 'Empty when left out on a new location.'),
  },
  people: {
    id: field(ID, 'Unique among the people of the account.'),
    name: field(NAME, 'Required for a new person.'),
  },
  shifts: {
    id: field(ID, 'Unique among the shifts of the account.'),
    date: field(DATE, 'The day on which the shift starts. Required for a new shift.'),
    start_time: field(TIME, 'Required for a new shift.'),
    end_time: field(TIME, 'Required for a new shift.'),
    end_date: field(orNone(DATE, null), 'The day of the first end after the start, when left out.'),
    group_id: field(ID, 'A group of this document or of the database. Required for a new shift.'),
    location_id: field(orNone(ID, null), 'A location of this document or of the database; null for none.'),
    person_id: field(orNone(ID, null), 'A person of this document or of the database; null for nobody.'),
    publish_date: field(DATE, 'The day from which on the shift is published. Required for a new shift.'),
    remarks: field(orNone(text(0, MAX_REMARKS_CHARACTERS), ''), 'Empty when left out on a new shift.'),
    starred: field(FLAG, 'False when left out on a new shift.'),
    cancelled: field(FLAG, 'False when left out on a new shift.'),
    noshow: field(FLAG, 'Whether the person did not come. False when left out on a new shift.'),
  },
} satisfies { readonly [T in Table]: { readonly [F in keyof RecordOf<T>]: Field<RecordOf<T>[F] | null> } };

type Values<F extends Fields> = { [Name in keyof F]?: ValueOf<F[Name]> | undefined };
type ValueOf<F> = F extends Field<infer Value> ? Value : never;

export type GivenAccount = Values<typeof ACCOUNT_FIELDS> & { slug: string };
/** A record of the document: an id, and the other fields that were given. */
export type Given<T extends Table> = Values<(typeof RECORD_FIELDS)[T]> & { id: number };

/** A value that somebody typed is not accepted. The message is a sentence that says what is expected. */
export class InvalidValue extends Error {}

export function readName(typed: string): string {
  return readText(typed, 1, MAX_NAME_CHARACTERS);
}

export function readAddress(typed: string): string {
  return readText(typed, 0, MAX_ADDRESS_CHARACTERS);
}

function readText(typed: string, min: number, max: number): string {
  if (isText(typed, min, max)) return typed;
  throw new InvalidValue(`Expected ${lengthRule(min, max)}.`);
}

export function readFlag(typed: string): boolean {
  if (typed !== 'true' && typed !== 'false') throw new InvalidValue('Expected true or false.');
  return typed === 'true';
}

export function readTimeZone(typed: string): string {
  const name = timeZoneName(typed);
  if (name === undefined) throw new InvalidValue('Expected an IANA time zone such as Europe/Amsterdam.');
  return name;
}

export function readInteger(typed: string, min: number, max: number): number {
  const value = Number(typed);
  if (!/^\d+$/.test(typed) || value < min || value > max)
    throw new InvalidValue(`Expected a whole number from ${min} to ${max}.`);
  return value;
}

/**
 * The instant at which something expires. For a date, it depends on the account's time zone; for a duration, on the
 * current time. Throws InvalidValue if it is in the past, or if the time zone does not exist.
 */
export type Expiry = (account: Account, nowMs: number) => number;

const HOUR_MS = 60 * 60 * 1_000;
const UNITS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };

export function readExpiry(text: string): Expiry {
  const instantOf = instantIn(text);
  return (account, nowMs) => {
    const atMs = instantOf(account, nowMs);
    if (atMs <= nowMs) throw new InvalidValue(`The expiry ${new Date(atMs).toISOString()} is in the past.`);
    return atMs;
  };
}

function instantIn(text: string): Expiry {
  if (parseDate(text) !== undefined) {
    const date = Temporal.PlainDate.from(text);
    return ({ slug, timeZone }) => {
      if (timeZoneName(timeZone) !== undefined)
        return date.add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds;
      throw new InvalidValue(
        `The account ${slug} has the time zone ${quote(timeZone)}, which does not exist, so nobody knows when that day ` +
          'ends: change the time zone, or give an instant such as 2027-12-31T12:00:00Z.',
      );
    };
  }
  const [, number = '', unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs !== undefined) return (_account, nowMs) => nowMs + Number(number) * unitMs;
  try {
    const { epochMilliseconds } = Temporal.Instant.from(text);
    return () => epochMilliseconds;
  } catch {
    throw new InvalidValue(
      'Expected a date such as 2027-12-31, an instant such as 2027-12-31T12:00:00Z, or a time from now such as 12h, 30d or 4w.',
    );
  }
}
