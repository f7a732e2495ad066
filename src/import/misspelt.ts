/** Guesses which key was meant by an unknown one: by a common synonym, or by its spelling. */

import { closest, distance } from 'fastest-levenshtein';
import type { Table } from '../store/records.ts';
import { ACCOUNT_FIELDS, RECORD_FIELDS } from './fields.ts';

/** The objects of a document: itself, its account, and the records of each kind. */
export type ObjectKind = 'document' | 'account' | Table;

/** undefined: unknown. */
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

/** What other programs call the keys. */
const OTHER_WORDS: Readonly<Record<ObjectKind, Readonly<Record<string, readonly string[]>>>> = {
  document: {
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

const KEYS: Readonly<Record<ObjectKind, readonly string[]>> = {
  document: ['$schema', 'account', ...Object.keys(RECORD_FIELDS)],
  account: Object.keys(ACCOUNT_FIELDS),
  groups: Object.keys(RECORD_FIELDS.groups),
  locations: Object.keys(RECORD_FIELDS.locations),
  people: Object.keys(RECORD_FIELDS.people),
  shifts: Object.keys(RECORD_FIELDS.shifts),
};

/** The key that each word stands for, by object. */
const MEANT = Object.fromEntries(
  Object.entries(KEYS).map(([kind, keys]) => [
    kind,
    new Map(
      keys.flatMap((key) =>
        [plainly(key), ...(OTHER_WORDS[kind as ObjectKind][key] ?? [])].map((word) => [word, key] as const),
      ),
    ),
  ]),
) as unknown as Readonly<Record<ObjectKind, ReadonlyMap<string, string>>>;
