/**
 * Checks an account or a record of the document field by field, and returns its valid fields and its flaws. A bad field
 * does not keep the others from being checked.
 */

import { quote } from '@shiftfeed/common/quote';
import { closest, distance } from 'fastest-levenshtein';
import type { Flaw, RecordOf, StagedRecord, Table } from '../store/records.ts';
import { ACCOUNT_FIELDS, type Field, type GivenAccount, RECORD_FIELDS } from './fields.ts';

/** A record with more flaws than this consists mostly of unknown keys. */
const MAX_FLAWS_PER_RECORD = 20;

interface Checked<Good> {
  readonly good: Partial<Good>;
  readonly flaws: readonly Flaw[];
  /** The fields whose values could not be read. */
  readonly unclear: ReadonlySet<string>;
}

/** A `value` of undefined could not be parsed; `known` says why. */
export function checkAccount(value: unknown, known: readonly Flaw[] = []): Checked<GivenAccount> {
  return checkObject('account', value, known);
}

export function checkRecord<T extends Table>(
  table: T,
  value: unknown,
  known: readonly Flaw[] = [],
): StagedRecord<T> {
  if (known.length === 0 && normalizeFlawless(table, value)) return value as StagedRecord<T>;
  const { good, flaws, unclear } = checkObject(table, value, known);
  if (flaws.length === 0) return good as StagedRecord<T>;
  const id = good.id ?? (unclear.has('id') ? readableId(value) : undefined);
  const flawed = { flaws: cutShort(flaws), unclear: [...unclear] };
  return { ...good, id, flawed } as unknown as StagedRecord<T>;
}

/**
 * Nearly all records are flawless, so they are checked in place, which is faster. Returns whether this one is; its
 * values have then been replaced by normalized ones.
 */
function normalizeFlawless(table: Table, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = FIELDS[table];
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const content = record[key];
    const read = fields.get(key)?.read(content);
    if (read === undefined) return false;
    if (read !== content) record[key] = read;
  }
  return record.id !== undefined;
}

const FIELDS: Readonly<Record<CheckedKind, ReadonlyMap<string, Field<unknown>>>> = {
  account: new Map(Object.entries(ACCOUNT_FIELDS)),
  groups: new Map(Object.entries(RECORD_FIELDS.groups)),
  locations: new Map(Object.entries(RECORD_FIELDS.locations)),
  people: new Map(Object.entries(RECORD_FIELDS.people)),
  shifts: new Map(Object.entries(RECORD_FIELDS.shifts)),
};

/** The message for an unknown key. */
export function noSuchKey(hint: string | undefined): string {
  return `there is no such key${hint === undefined ? '' : `; did you mean ${quote(hint)}?`}`;
}

/** One of each list. */
export const NOUNS: Readonly<Record<Table, string>> = {
  groups: 'group',
  locations: 'location',
  people: 'person',
  shifts: 'shift',
};

function checkObject(
  kind: CheckedKind,
  value: unknown,
  known: readonly Flaw[],
): Checked<Record<string, unknown>> {
  const fields = FIELDS[kind];
  const flaws = [...known];
  const unclear = new Set(known.flatMap(({ path }) => path.slice(0, 1) as string[]));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const noun = kind === 'account' ? 'the account' : `a ${NOUNS[kind]}`;
    const message = `${quote(value)} is not an object that describes ${noun}`;
    if (value !== undefined) flaws.push({ path: [], message });
    return { good: {}, flaws, unclear: new Set(fields.keys()) };
  }
  const good: Record<string, unknown> = {};
  for (const [key, content] of Object.entries(value)) {
    const field = fields.get(key);
    const read = field?.read(content);
    if (read !== undefined && !unclear.has(key)) good[key] = read;
    if (read !== undefined) continue;
    const meant = field === undefined ? meantKey(kind, key) : key;
    // If the right key is there as well, the misspelt one is something else.
    const hint = meant === key || !Object.hasOwn(value, meant ?? '') ? meant : undefined;
    const message = field === undefined ? noSuchKey(hint) : `${quote(content)} is not ${field.expected}`;
    flaws.push({ path: [key], message });
    if (hint !== undefined) unclear.add(hint);
  }
  const required = REQUIRED[kind] ?? 'id';
  if (!Object.hasOwn(value, required) && !unclear.has(required)) {
    flaws.push({ path: [required], message: 'is missing' });
    unclear.add(required);
  }
  return { good, flaws, unclear };
}

const REQUIRED: Readonly<Partial<Record<CheckedKind, string>>> = { account: 'slug' };

/** Some programs write the id as a string. That is an error, but the record can still be identified. */
function readableId(value: unknown): number | undefined {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' && /^\d+$/.test(id) ? RECORD_FIELDS.shifts.id.read(Number(id)) : undefined;
}

function cutShort(flaws: readonly Flaw[]): readonly Flaw[] {
  const more = flaws.length - MAX_FLAWS_PER_RECORD;
  if (more <= 1) return flaws;
  return [...flaws.slice(0, MAX_FLAWS_PER_RECORD), { path: [], message: `has ${more} more problems` }];
}

/** The objects of a document: itself, its account, and the records of each kind. */
type ObjectKind = 'document' | CheckedKind;
type CheckedKind = 'account' | Table;

/** Guesses which key was meant by an unknown one: by a common synonym, or by its spelling. */
export function meantKey(kind: ObjectKind, written: string): string | undefined {
  if (written.length > MAX_HINT_LENGTH) return undefined;
  const plain = plainly(written);
  const key = MEANT[kind].get(plain);
  if (key !== undefined || plain === '') return key;
  const near = closest(plain, [...MEANT[kind].keys()]);
  return distance(plain, near) <= Math.min(MAX_DISTANCE, near.length / 3) ? MEANT[kind].get(near) : undefined;
}

const MAX_HINT_LENGTH = 40;
const MAX_DISTANCE = 2;

/** `startTime`, `Start-Time` and `start_time` are the same word. */
function plainly(written: string): string {
  return written.toLowerCase().replace(/[^a-z0-9]/g, '');
}

type Words<Key extends PropertyKey> = Readonly<Record<Key, readonly string[]>>;

/** All keys, with what other programs call them. */
const WORDS: {
  readonly document: Words<'$schema' | CheckedKind>;
  readonly account: Words<keyof typeof ACCOUNT_FIELDS>;
} & { readonly [T in Table]: Words<keyof RecordOf<T>> } = {
  document: {
    $schema: [],
    account: ['accounts', 'organisation', 'organization', 'company', 'tenant'],
    groups: ['group', 'team', 'teams', 'department', 'departments'],
    locations: ['location', 'place', 'places', 'site', 'sites'],
    people: ['person', 'persons', 'employees', 'staff', 'users', 'members', 'workers'],
    shifts: ['shift', 'schedule', 'roster', 'rota', 'plan', 'events'],
  },
  account: {
    slug: ['id', 'key', 'account', 'subdomain'],
    name: ['title', 'label'],
    premium: ['ispremium', 'paid'],
    time_zone: ['tz', 'zone'],
    sort: ['order', 'sortby', 'sortorder'],
  },
  groups: {
    id: ['groupid'],
    name: ['title', 'label', 'groupname'],
    active: ['isactive', 'enabled'],
    private: ['isprivate', 'hidden'],
  },
  locations: {
    id: ['locationid'],
    name: ['title', 'label', 'locationname'],
    address: ['street', 'streetaddress'],
  },
  people: { id: ['personid'], name: ['fullname', 'displayname', 'personname'] },
  shifts: {
    id: ['shiftid'],
    date: ['day', 'startdate', 'shiftdate'],
    start_time: ['start', 'starttime', 'starts', 'startsat', 'begin', 'from'],
    end_time: ['end', 'ends', 'endsat', 'to', 'until', 'finish'],
    end_date: ['endday'],
    group_id: ['group', 'groups', 'team', 'teamid', 'department'],
    location_id: ['location', 'locations', 'place', 'site'],
    person_id: ['person', 'people', 'employee', 'employeeid', 'user', 'userid', 'worker', 'assignee'],
    publish_date: ['published', 'publish', 'publishedat', 'publisheddate', 'publishedon', 'ispublished'],
    remarks: ['note', 'notes', 'comment', 'comments', 'description', 'memo'],
    starred: ['star', 'isstarred', 'highlighted', 'favorite', 'favourite'],
    cancelled: ['canceled', 'iscancelled', 'iscanceled', 'cancel'],
    noshow: ['isnoshow', 'absent'],
  },
};

/** The key that each word stands for, by object. */
const MEANT = Object.fromEntries(
  Object.entries(WORDS).map(([kind, words]) => [
    kind,
    new Map(
      Object.entries(words as Words<string>).flatMap(([key, others]) =>
        [plainly(key), ...others].map((word) => [word, key] as const),
      ),
    ),
  ]),
) as unknown as Readonly<Record<ObjectKind, ReadonlyMap<string, string>>>;
