/**
 * The import document: what it may hold. It is checked record by record, so that it need not be in memory as a whole.
 * Each message of the schema says what was expected; the place and the value are added from the issue, so that every
 * problem reads the same way.
 */

import * as v from 'valibot';
import { parseDate } from '../listing/calendar.ts';
import { SORT_ORDERS } from '../listing/shift.ts';
import { quote } from '../quote.ts';
import { TABLES, type Table } from '../store/records.ts';
import { SLUG, SLUG_RULE } from '../store/slug.ts';
import { placeOf } from './place.ts';
import { type ImportProblem, ProblemList } from './problems.ts';
import { timeZoneName } from './time-zone.ts';

export const MAX_NAME_CHARACTERS = 200;
const MAX_ADDRESS_CHARACTERS = 1_000;
const MAX_REMARKS_CHARACTERS = 10_000;

// Tab and line breaks are the only control characters that a text may have.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

export function isName(value: string): boolean {
  return isText(value, 1, MAX_NAME_CHARACTERS);
}

function isText(value: string, min: number, max: number): boolean {
  // A character takes two units at most, so that what is much too long need not be counted.
  if (value.length < min || value.length > 2 * max) return false;
  if (!value.isWellFormed() || FORBIDDEN_CHARACTERS.test(value)) return false;
  return value.length <= max || [...value].length <= max;
}

function text(min: number, max: number) {
  const length = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  const expected = `a text of ${length} characters without control characters`;
  return v.pipe(
    v.string(expected),
    v.check((value) => isText(value, min, max), expected),
  );
}

/** null means none, which for a text is the empty one. */
const textOrNone = (max: number) =>
  v.optional(
    v.pipe(
      v.nullable(text(0, max)),
      v.transform((value) => value ?? ''),
    ),
  );

const EXPECTED_ID = `a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`;
const id = v.pipe(
  v.number(EXPECTED_ID),
  v.check((value) => Number.isSafeInteger(value) && value >= 1, EXPECTED_ID),
);

const EXPECTED_DATE = 'a date YYYY-MM-DD from 1000-01-01 to 9999-12-31';
const date = v.pipe(
  v.string(EXPECTED_DATE),
  v.check((value) => parseDate(value) !== undefined, EXPECTED_DATE),
);

const EXPECTED_TIME = 'a time HH:MM from 00:00 to 23:59';
const time = v.pipe(v.string(EXPECTED_TIME), v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, EXPECTED_TIME));

const flag = v.boolean('true or false');
const name = text(1, MAX_NAME_CHARACTERS);

const EXPECTED_ZONE = 'an IANA time zone such as Europe/Amsterdam';
const timeZone = v.pipe(
  v.string(EXPECTED_ZONE),
  v.check((value) => timeZoneName(value) !== undefined, EXPECTED_ZONE),
  v.transform((value) => timeZoneName(value) ?? value),
);

/** An object with these keys and no others. To Valibot, an array would be an object too. */
function record<Entries extends v.ObjectEntries>(entries: Entries, expected: string) {
  return v.pipe(
    v.custom<object>((value) => !Array.isArray(value), expected),
    v.strictObject(entries, expected),
  );
}

const account = record(
  {
    slug: v.pipe(v.string(SLUG_RULE), v.regex(SLUG, SLUG_RULE)),
    name: v.optional(name),
    premium: v.optional(flag),
    time_zone: v.optional(timeZone),
    sort: v.optional(v.picklist(SORT_ORDERS, SORT_ORDERS.map((order) => `"${order}"`).join(' or '))),
  },
  'an object that describes the account',
);

const group = record(
  { id, name: v.optional(name), active: v.optional(flag), private: v.optional(flag) },
  'an object that describes a group',
);

const location = record(
  { id, name: v.optional(name), address: textOrNone(MAX_ADDRESS_CHARACTERS) },
  'an object that describes a location',
);

const person = record({ id, name: v.optional(name) }, 'an object that describes a person');

const shift = record(
  {
    id,
    date: v.optional(date),
    start_time: v.optional(time),
    end_time: v.optional(time),
    end_date: v.optional(v.nullable(date)),
    group_id: v.optional(id),
    location_id: v.optional(v.nullable(id)),
    person_id: v.optional(v.nullable(id)),
    publish_date: v.optional(date),
    remarks: textOrNone(MAX_REMARKS_CHARACTERS),
    starred: v.optional(flag),
    cancelled: v.optional(flag),
    noshow: v.optional(flag),
  },
  'an object that describes a shift',
);

const RECORDS = { groups: group, locations: location, people: person, shifts: shift };

export type GivenAccount = v.InferOutput<typeof account>;
/** A record of the document: an id, and whatever else was given. */
export type Given<T extends Table> = v.InferOutput<(typeof RECORDS)[T]>;

/** A document that is in memory as a whole. */
export type ImportDocument = { account: GivenAccount } & { [T in Table]: Given<T>[] };

/** The account, or some records of one kind. Those of a kind follow each other in the order of the document. */
export type DocumentPart =
  | { readonly account: GivenAccount }
  | { [T in Table]: { readonly table: T; readonly records: readonly Given<T>[] } }[Table];

export function partsOf(document: ImportDocument): DocumentPart[] {
  const { account } = document;
  return [{ account }, ...TABLES.map((table) => ({ table, records: document[table] }) as DocumentPart)];
}

/** Throws ImportProblems. */
export function checkDocument(value: unknown): ImportDocument {
  const problems = new ProblemList();
  const document = { groups: [], locations: [], people: [], shifts: [] } as unknown as ImportDocument;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.add(notADocument(value));
    problems.check();
  }
  for (const [key, content] of Object.entries(value as object)) {
    if (!isKnownKey(key)) problems.add(unknownKey(key));
    else if (key === 'account') document.account = checkAccount(content, problems) ?? document.account;
    else if (isTable(key)) document[key] = checkRecords(key, content, problems) as never;
  }
  if (!('account' in (value as object))) problems.add(MISSING_ACCOUNT);
  problems.check();
  return document;
}

function checkRecords<T extends Table>(table: T, content: unknown, problems: ProblemList): Given<T>[] {
  if (!Array.isArray(content)) checkNoRecords(table, content, problems);
  const all: readonly unknown[] = Array.isArray(content) ? content : [];
  return all
    .map((value, i) => checkRecord(table, i, value, problems))
    .filter((record) => record !== undefined);
}

export function isTable(key: string): key is Table {
  return (TABLES as readonly string[]).includes(key);
}

/** `$schema` is for editors, and may say anything. */
export function isKnownKey(key: string): boolean {
  return key === 'account' || key === '$schema' || isTable(key);
}

export function unknownKey(key: string): ImportProblem {
  return { place: placeOf(key), message: NO_SUCH_KEY };
}

export function notADocument(value: unknown): ImportProblem {
  return { place: '', message: `${quote(value)} is not an object with an account` };
}

export const MISSING_ACCOUNT: ImportProblem = { place: 'account', message: 'is missing' };
const NO_SUCH_KEY = 'there is no such key';

/** undefined: there is a problem with it. */
export function checkAccount(value: unknown, problems: ProblemList): GivenAccount | undefined {
  const result = v.safeParse(account, value);
  if (result.success) return result.output;
  for (const issue of result.issues) problems.add(problemOf(['account'], issue));
  return undefined;
}

/** undefined: there is a problem with it. */
export function checkRecord<T extends Table>(
  table: T,
  index: number,
  value: unknown,
  problems: ProblemList,
): Given<T> | undefined {
  const result = v.safeParse(RECORDS[table], value);
  if (result.success) return result.output as Given<T>;
  for (const issue of result.issues) problems.add(problemOf([table, index], issue));
  return undefined;
}

/** An array that is left out, or null, is empty. */
export function checkNoRecords(table: Table, value: unknown, problems: ProblemList): void {
  if (value !== null) problems.add({ place: table, message: `${quote(value)} is not an array` });
}

function problemOf(keys: readonly (string | number)[], issue: v.BaseIssue<unknown>): ImportProblem {
  const place = placeOf(...keys, ...(issue.path ?? []).map(({ key }) => key as string | number));
  if (issue.expected === 'never') return { place, message: NO_SUCH_KEY };
  if (issue.input === undefined) return { place, message: 'is missing' };
  return { place, message: `${quote(issue.input)} is not ${issue.message}` };
}
