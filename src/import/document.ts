/**
 * The import document: text → checked, typed document. Each message of the schema says what was expected;
 * the place and the value are added from the issue, so that every problem reads the same way.
 */

import * as v from 'valibot';
import { parseDate } from '../listing/calendar.ts';
import { SORT_ORDERS } from '../listing/shift.ts';
import { quote } from '../quote.ts';
import { SLUG, SLUG_RULE } from '../store/slug.ts';
import { type ImportProblem, ImportProblems } from './problems.ts';
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
  const length = value.length <= max ? value.length : [...value].length;
  return length >= min && length <= max && value.isWellFormed() && !FORBIDDEN_CHARACTERS.test(value);
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

/** An array that is left out, or null, is empty. */
const arrayOf = <Item extends v.GenericSchema>(item: Item) => v.nullish(v.array(item, 'an array'), () => []);

const documentSchema = record(
  {
    account,
    groups: arrayOf(group),
    locations: arrayOf(location),
    people: arrayOf(person),
    shifts: arrayOf(shift),
  },
  'an object with an account',
);

export type ImportDocument = v.InferOutput<typeof documentSchema>;

/** Throws ImportProblems. */
export function parseDocument(json: string): ImportDocument {
  return checkDocument(parseJson(json));
}

export function checkDocument(value: unknown): ImportDocument {
  const result = v.safeParse(documentSchema, value);
  if (!result.success) throw new ImportProblems(result.issues.map(problemOf));
  return result.output;
}

function parseJson(json: string): unknown {
  try {
    // Some programs put a byte order mark in front.
    return JSON.parse(json.replace(/^\ufeff/, ''));
  } catch (error) {
    // The message of V8 quotes the text around the place, which may be private: keep the place alone.
    const place = /position \d+(?: \(line \d+ column \d+\))?/.exec(
      error instanceof Error ? error.message : '',
    );
    throw new ImportProblems([
      { place: '', message: `the file is not valid JSON${place ? ` at ${place[0]}` : ''}` },
    ]);
  }
}

function problemOf(issue: v.BaseIssue<unknown>): ImportProblem {
  const place = placeOf(issue);
  if (issue.expected === 'never') return { place, message: 'there is no such key' };
  if (issue.input === undefined) return { place, message: 'is missing' };
  return { place, message: `${quote(issue.input)} is not ${issue.message}` };
}

function placeOf(issue: v.BaseIssue<unknown>): string {
  const keys = (issue.path ?? []).map(({ key }) => {
    if (typeof key === 'number') return `[${key}]`;
    // A key may be any text: one that is no plain word is quoted, escaped and cut short like a value.
    return /^\w{1,40}$/.test(String(key)) ? `.${key}` : `[${quote(key)}]`;
  });
  return keys.join('').replace(/^\./, '');
}
