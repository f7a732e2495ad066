/** What an import does, worked out record by record and without a database. It shares no code with what it checks. */

type Fields = Record<string, unknown>;
type TableName = 'groups' | 'locations' | 'people' | 'shifts';
/** The records of an account, by id. */
export type AccountContents = Readonly<Record<TableName, ReadonlyMap<number, Fields>>>;

export interface Outcome {
  readonly problems: readonly string[];
  /** As before, if there are problems. */
  readonly contents: AccountContents;
  readonly tables: Readonly<Record<TableName, Fields>>;
}

export const NAMES: readonly TableName[] = ['groups', 'locations', 'people', 'shifts'];

const NEEDED: Readonly<Record<TableName, readonly string[]>> = {
  groups: ['name'],
  locations: ['name'],
  people: ['name'],
  shifts: ['date', 'start_time', 'end_time', 'group_id', 'publish_date'],
};
const DEFAULTS: Readonly<Record<TableName, Fields>> = {
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
const REFERRED = { group_id: 'groups', location_id: 'locations', person_id: 'people' } as const;

/** A value of this kind is bad, whatever the field. */
export const BAD = 7.5;
const EXPECTED: Fields = {
  id: 'a whole number from 1 to 9007199254740991',
  group_id: 'a whole number from 1 to 9007199254740991',
  location_id: 'a whole number from 1 to 9007199254740991',
  person_id: 'a whole number from 1 to 9007199254740991',
  end_time: 'a time HH:MM from 00:00 to 23:59',
  name: 'a text of 1 to 200 characters without control characters',
};

export function importInto(
  before: AccountContents,
  document: Partial<Record<TableName, readonly Fields[]>>,
  removes: (table: TableName, record: Fields) => boolean,
  replace: boolean,
): Outcome {
  const problems: string[] = [];
  const after = Object.fromEntries(
    NAMES.map((table) => [table, new Map(before[table])]),
  ) as unknown as Record<TableName, Map<number, Fields>>;
  const tables: Record<string, Fields> = {};
  const given = (table: TableName) => document[table] ?? [];
  const inOrder = (Object.keys(document) as TableName[]).filter((key) => NAMES.includes(key));
  for (const table of new Set([...inOrder, ...NAMES])) {
    const tally = { added: 0, changed: 0, removed: 0, unchanged: 0 };
    given(table).forEach((record, position) => {
      const id = record.id as number | undefined;
      const existing = isGood(id) ? before[table].get(id) : undefined;
      const whole = completed(table, record, existing);
      const tell = (field: string, message: string) => {
        const place = `${table}[${position}]${field && `.${field}`}`;
        problems.push(`${place}${field === 'id' || !isGood(id) ? '' : ` (id ${id})`}: ${message}`);
      };
      const first = given(table).findIndex((other) => isGood(id) && other.id === id);
      if (isGood(id) && first < position) tell('id', `${id} is the id of ${table}[${first}] too`);
      for (const [field, value] of Object.entries(record)) {
        if (value === BAD) tell(field, `${BAD} is not ${EXPECTED[field]}`);
      }
      if (id === undefined) tell('id', 'is missing');
      const lacking = NEEDED[table].filter((field) => whole[field] === undefined);
      if (isGood(id) && existing === undefined && lacking.length > 0)
        tell('', `is new and lacks ${lacking.join(', ')}`);
      if (table === 'shifts') {
        tellEnd(record, whole, tell);
        tellReferences(record, whole, (to, referred) => where(to, referred), tell);
      }
      if (existing === undefined) tally.added++;
      else if (JSON.stringify(sorted(existing)) === JSON.stringify(sorted(whole))) tally.unchanged++;
      else tally.changed++;
      if (isGood(id)) after[table].set(id, whole);
    });
    for (const [id, record] of before[table]) {
      if (given(table).some((other) => other.id === id) || !removes(table, record)) continue;
      after[table].delete(id);
      tally.removed++;
    }
    tables[table] = tally;
  }
  return { problems, contents: problems.length > 0 ? before : after, tables: tables as Outcome['tables'] };

  function where(table: TableName, id: number): 'there' | 'nowhere' | 'removed' {
    // A record whose id cannot be read may be the one.
    if (given(table).some((other) => other.id === id || !isGood(other.id))) return 'there';
    return before[table].has(id) ? (replace ? 'removed' : 'there') : 'nowhere';
  }
}

function isGood(value: unknown): value is number {
  return value !== undefined && value !== BAD;
}

function completed(table: TableName, record: Fields, existing: Fields | undefined): Fields {
  const whole: Fields = { ...DEFAULTS[table], ...existing, ...record };
  for (const field of ['remarks', 'address']) if (whole[field] === null) whole[field] = '';
  if (table !== 'shifts') return whole;
  const isSame =
    existing && ['date', 'start_time', 'end_time'].every((field) => whole[field] === existing[field]);
  if (record.end_date === undefined && isSame) return whole;
  if (record.end_date === undefined || record.end_date === null) whole.end_date = firstEnd(whole);
  return whole;
}

/** undefined: it cannot be told, or there is no such date. */
function firstEnd({ date, start_time, end_time }: Fields): string | undefined {
  if ([date, start_time, end_time].some((value) => !isGood(value))) return undefined;
  if (String(end_time) > String(start_time)) return String(date);
  const next = new Date(`${date}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const text = next.toISOString().slice(0, 10);
  return text.startsWith('+') ? undefined : text;
}

type Tell = (field: string, message: string) => void;

function tellEnd(record: Fields, { date, start_time, end_time, end_date }: Fields, tell: Tell): void {
  if (![date, start_time, end_time].every(isGood) || end_date === BAD) return;
  if (end_date === undefined) tell('end_time', `${end_time} comes after 9999-12-31, the last date`);
  else if (record.end_date && `${end_date} ${end_time}` <= `${date} ${start_time}`)
    tell('end_date', `the end, ${end_date} ${end_time}, is not after the start, ${date} ${start_time}`);
}

function tellReferences(
  record: Fields,
  whole: Fields,
  where: (table: TableName, id: number) => 'there' | 'nowhere' | 'removed',
  tell: Tell,
): void {
  for (const [field, table] of Object.entries(REFERRED)) {
    const id = whole[field];
    if (!isGood(id) || id === null || record[field] === BAD) continue;
    const noun = field.replace('_id', '');
    const found = where(table, id);
    if (found === 'nowhere') tell(field, `there is no ${noun} ${id} in the document or the account`);
    if (found === 'removed') tell(field, `${noun} ${id} is not in the document, so it would be removed`);
  }
}

export function sorted(record: Fields): Fields {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
