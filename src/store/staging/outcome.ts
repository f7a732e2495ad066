/**
 * What becomes of a record, as SQL. `given` is a record of the document, `existing` the account's record with the same
 * id, and `after` the result of the two: a field that is left out keeps its value on a known record, and gets its
 * default on a new one. An unchanged record is not written, so its revision does not change either.
 */

import type { Dialect } from '../database.ts';
import { COLUMN_NAMES, type DateRange, DEFAULTS, LAST_DATE, REFERENCES, type Table } from '../records.ts';

export interface CompareOptions {
  /** undefined: the account is new, or could not be read. */
  readonly accountId: number | undefined;
  /** Tables of which some or all records could not be read, so nobody knows which records are missing there. */
  readonly unknown: ReadonlySet<Table | 'account'>;
  /** Which records to remove if they were not added; undefined for none. */
  readonly removal:
    | {
        readonly days: DateRange | undefined;
        /** Only those that were listed. */
        readonly isListed?: boolean;
        /** Only shifts of groups that the document covers, on the days on which it does. */
        readonly isOfGroups?: boolean;
        /** They are only found, and stay. */
        readonly areKept?: boolean;
      }
    | undefined;
  /** Whether groups, locations and people that were not added are removed. No shift may then refer to them. */
  readonly removesReferred: boolean;
  /** Whether the document is a sheet, which refers to groups, locations and people by name. */
  readonly isSheet: boolean;
}

export const ODD_KINDS = ['long', 'far', 'equal'] as const;
export type OddKind = (typeof ODD_KINDS)[number];

/** What is usual for shifts. Those on other days are `far`, and those of this many minutes or more are `long`. */
export interface Usual {
  readonly longMinutes: number;
  readonly firstDate: string;
  readonly lastDate: string;
}

/**
 * Whether the document is the plan of the group of an existing shift on its day. Mostly it covers the same days for all
 * groups, to which the statements keep anyway: days are then not looked up for each shift.
 */
export function isCovered(temporary: string): string {
  const covered = `FROM ${temporary}.groups_covered AS covered`;
  return `(existing.group_id IN (SELECT id ${covered})) IS TRUE
    AND ((SELECT min(first_day) = max(first_day) AND min(last_day) = max(last_day) ${covered})
      OR EXISTS (SELECT 1 ${covered} WHERE covered.id = existing.group_id
        AND existing.date BETWEEN covered.first_day AND covered.last_day))`;
}

/** What is known before a table is compared. */
export interface Situation {
  readonly table: Table;
  readonly options: CompareOptions;
  /** undefined: the account has no such records. */
  readonly accountId: number | undefined;
  /** The tables to which records were added. */
  readonly added: ReadonlySet<Table>;
  /** The tables in which the account has records of the same name. */
  readonly namesakes: ReadonlySet<Table>;
  /** Whether all records are to be written, in the order in which they were added, so that none needs a mark. */
  readonly isWrittenAsGiven: boolean;
}

/**
 * The bit of a field in `given_fields` and `unclear_fields`. A field that is left out and a field that is null are both
 * NULL on the stage, so a bit tells them apart. A derived id does not count as given.
 */
export function bitOf(table: Table, field: string): number {
  return 1 << (COLUMN_NAMES[table] as readonly string[]).indexOf(field);
}

export function bitsOf(table: Table, fields: readonly string[]): number {
  return fields.reduce((bits, field) => bits | bitOf(table, field), 0);
}

export function fieldsOf(table: Table, bits: number): string[] {
  return COLUMN_NAMES[table].filter((field) => (bits & bitOf(table, field)) !== 0);
}

export class Outcome {
  readonly #dialect: Dialect;
  readonly #situation: Situation;

  constructor(dialect: Dialect, situation: Situation) {
    this.#dialect = dialect;
    this.#situation = situation;
  }

  /** The value of a column after the import: that of the document, else that of the account, else the default. */
  readonly after = (name: string): string => {
    const { table, accountId } = this.#situation;
    if (name === 'id') return 'given.id';
    if (name === 'end_date') return this.#endDateAfter();
    const isSame = this.#isOfSameName(name);
    const given = isSame
      ? `CASE WHEN ${isSame} THEN ${this.existing(name)} ELSE given.${name} END`
      : `given.${name}`;
    if (NULLABLE.includes(name)) {
      if (accountId === undefined) return given;
      return `CASE WHEN ${this.#isGiven(name)} THEN ${given} ELSE ${this.existing(name)} END`;
    }
    const defaults: Readonly<Record<string, unknown>> = DEFAULTS[table];
    const others = [
      ...(accountId === undefined ? [] : [this.existing(name)]),
      ...(name in defaults ? [literalOf(defaults[name])] : []),
    ];
    return others.length === 0 ? given : `coalesce(${[given, ...others].join(', ')})`;
  };

  readonly existing = (name: string): string => this.#dialect.existing(this.#situation.table, name);

  #isGiven(name: string): string {
    return `(given.given_fields & ${bitOf(this.#situation.table, name)}) <> 0`;
  }

  /**
   * Without an end date, a shift ends when its end time next occurs after its start. A known shift keeps its end date,
   * unless its date or times change.
   */
  #endDateAfter(): string {
    const firstEnd = this.#firstEndAfter();
    if (this.#situation.accountId === undefined) return `coalesce(given.end_date, ${firstEnd})`;
    const isSame = TIMES.map((name) => `${this.after(name)} = ${this.existing(name)}`).join(' AND ');
    return `CASE WHEN given.end_date IS NOT NULL THEN given.end_date
      WHEN NOT ${this.#isGiven('end_date')} AND ${isSame} THEN ${this.existing('end_date')} ELSE ${firstEnd} END`;
  }

  #firstEndAfter(): string {
    const { after } = this;
    return `CASE WHEN ${after('end_time')} > ${after('start_time')} THEN ${after('date')}
      ELSE ${this.#dialect.dayAfter(after('date'))} END`;
  }

  /**
   * Whether a sheet refers by name to a record with the same name as the one that the shift has: the shift then keeps
   * its own. Returns undefined if this cannot happen.
   */
  #isOfSameName(field: string): string | undefined {
    const { accountId, namesakes } = this.#situation;
    const table = REFERENCES.find(([name]) => name === field)?.[1];
    if (accountId === undefined || table === undefined || !namesakes.has(table)) return undefined;
    const existing = this.existing(field);
    const firstOf = (id: string) =>
      `(SELECT one.first_id FROM ${this.#dialect.temporary}.${table}_namesakes AS one WHERE one.id = ${id})`;
    return `(given.${field} <> ${existing} AND ${firstOf(`given.${field}`)} = ${firstOf(existing)})`;
  }

  /** Whether a record is to be written. */
  isNewOrChanged(): string {
    const { table, accountId } = this.#situation;
    if (accountId === undefined) return 'true';
    const changes = COLUMN_NAMES[table]
      .filter((name) => name !== 'id')
      .map((name) => (name === 'end_date' ? this.#isEndDateChanged() : this.#isChanged(name)));
    return `${this.existing('id')} IS NULL OR ${changes.join(' OR ')}`;
  }

  /** A field that is left out is NULL, which is neither equal nor unequal to anything. */
  #isChanged(name: string): string {
    const existing = this.existing(name);
    const isSame = this.#isOfSameName(name);
    const isOther = NULLABLE.includes(name)
      ? `(${this.#isGiven(name)} AND given.${name} IS DISTINCT FROM ${existing})`
      : `given.${name} <> ${existing}`;
    return isSame === undefined ? isOther : `(${isOther} AND NOT coalesce(${isSame}, false))`;
  }

  /** An end date that is left out changes only together with the date or the times. */
  #isEndDateChanged(): string {
    const existing = this.existing('end_date');
    return `given.end_date <> ${existing}
      OR (${this.#isGiven('end_date')} AND given.end_date IS NULL AND ${this.#firstEndAfter()} <> ${existing})`;
  }

  /** Whether a record has any problem. */
  isFlawed(): string {
    return anyOf([
      ...WITHOUT_ACCOUNT,
      this.#isNewAndLacking(),
      ...(this.#situation.table === 'shifts'
        ? [this.#hasUnknownLongId(), this.#isEndTooEarly(), this.#isEndTooLate()]
        : []),
      ...this.#missingReferences(),
    ]);
  }

  /** The same for an unchanged record: what the account has is valid, unless it is about to be removed. */
  isFlawedUnchanged(): string {
    const { removesReferred } = this.#situation.options;
    return anyOf([...WITHOUT_ACCOUNT, ...(removesReferred ? this.#missingReferences() : [])]);
  }

  /** Columns that say which problems a record has. */
  verdicts(): readonly string[] {
    const { table, options } = this.#situation;
    const flag = (condition: string, name: string) =>
      `CASE WHEN ${condition} THEN true ELSE false END AS ${name}`;
    const known = '(given.given_fields | given.unclear_fields)';
    const columns = [
      `CASE WHEN ${this.#isNewAndLacking()} THEN ${neededBits(table)} & ~${known} ELSE 0 END AS lacking_fields`,
    ];
    if (table !== 'shifts') return columns;
    columns.push(
      flag(this.#hasUnknownLongId(), 'has_unknown_long_id'),
      flag(this.#isEndTooEarly(), 'is_end_too_early'),
      flag(this.#isEndTooLate(), 'is_end_too_late'),
    );
    for (const reference of this.#judgedReferences()) {
      const [field, to] = reference;
      const isThere = this.#dialect.isAmong(this.#judged(field), this.#idsOfAccount(options.accountId, to));
      columns.push(
        `CASE WHEN NOT (${this.#isMissing(reference)}) THEN NULL
          WHEN ${isThere} THEN 'removed' ELSE 'nowhere' END AS missing_${field}`,
      );
    }
    return columns;
  }

  #hasUnknownLongId(): string {
    const { options } = this.#situation;
    if (!options.isSheet || options.unknown.has('account')) return 'false';
    return `${this.#isNew()} AND given.id >= ${FIRST_LONG_ID} AND given.id % 10 = 0 AND ${this.#isGiven('id')}`;
  }

  /** A record whose id or account could not be read is not judged: it may be known. */
  #isNewAndLacking(): string {
    const { table, options } = this.#situation;
    if (options.unknown.has('account')) return 'false';
    const needed = neededBits(table);
    return `${this.#isNew()} AND given.id IS NOT NULL
      AND ((given.given_fields | given.unclear_fields) & ${needed}) <> ${needed}`;
  }

  #isNew(): string {
    return this.#situation.accountId === undefined ? 'true' : `${this.existing('id')} IS NULL`;
  }

  /** An end date that is computed or kept is never too early. */
  #isEndTooEarly(): string {
    const { after } = this;
    const times = ['start_time', 'end_time'].map((name) => `${after(name)} IS NOT NULL`).join(' AND ');
    return `given.end_date IS NOT NULL AND ${IS_END_CLEAR} AND ${times}
      AND (given.end_date, ${after('end_time')}) <= (${after('date')}, ${after('start_time')})`;
  }

  /** Whether a shift ends on the day after the last valid date. */
  #isEndTooLate(): string {
    const { after } = this;
    return `given.end_date IS NULL AND ${after('date')} = '${LAST_DATE}' AND ${IS_END_CLEAR}
      AND ${after('end_time')} <= ${after('start_time')}`;
  }

  #missingReferences(): string[] {
    return this.#judgedReferences().map((reference) => this.#isMissing(reference));
  }

  /** References to tables with unreadable records are not judged: the record may be one of them. */
  #judgedReferences(): readonly Reference[] {
    const { table, options } = this.#situation;
    if (table !== 'shifts' || options.unknown.has('account')) return [];
    return REFERENCES.filter(([, to]) => !options.unknown.has(to));
  }

  /**
   * The reference of a shift that has to be checked. A reference that the document leaves out is kept, and valid unless
   * its record is about to be removed; references that other programs broke are reported by `doctor`.
   */
  #judged(field: string): string {
    return this.#situation.options.removesReferred ? this.after(field) : `given.${field}`;
  }

  /** A shift may refer to a record that only the account has, unless that record is about to be removed. */
  #isMissing([field, to]: Reference): string {
    const { added, options } = this.#situation;
    const id = this.#judged(field);
    const isThere = this.#dialect.isAmong(id, [
      ...(added.has(to)
        ? [`SELECT id FROM ${this.#dialect.temporary}.${to}_given WHERE id IS NOT NULL`]
        : []),
      ...(options.removesReferred ? [] : this.#idsOfAccount(options.accountId, to)),
    ]);
    return `${id} IS NOT NULL AND (given.unclear_fields & ${bitOf('shifts', field)}) = 0 AND NOT ${isThere}`;
  }

  #idsOfAccount(accountId: number | undefined, table: Table, condition = ''): readonly string[] {
    if (accountId === undefined) return [];
    return [`SELECT id FROM ${this.#dialect.main}.${table} WHERE account_id = ${accountId} ${condition}`];
  }

  /** The condition for each kind of shifts that are unusual but may be intended. */
  oddConditions({ longMinutes, firstDate, lastDate }: Usual): Readonly<Record<OddKind, string>> {
    const { after } = this;
    const [date, endDate] = [after('date'), after('end_date')];
    const length = `${minutesOf(after('end_time'))} - ${minutesOf(after('start_time'))}
      + CASE WHEN ${endDate} > ${date} THEN 1440 ELSE 0 END`;
    return {
      long: `(${length} >= ${longMinutes} OR ${endDate} > ${this.#dialect.dayAfter(date)})`,
      far: `(${date} < '${firstDate}' OR ${date} > '${lastDate}')`,
      equal: 'given.equal_position IS NOT NULL',
    };
  }

  /**
   * Counts shifts that are not published yet, with the first and the last publish date, and other shifts of inactive
   * groups.
   */
  unlistedCounts(today: string): string {
    const publishDate = this.after('publish_date');
    const isEarly = `${publishDate} > '${today}'`;
    const { asText, isAmong } = this.#dialect;
    const isInactive = isAmong(this.after('group_id'), this.#inactiveGroups());
    return `count(*) FILTER (WHERE ${isEarly}) AS early_shifts,
      ${asText(`min(${publishDate}) FILTER (WHERE ${isEarly})`)} AS first_date,
      ${asText(`max(${publishDate}) FILTER (WHERE ${isEarly})`)} AS last_date,
      count(*) FILTER (WHERE NOT ${isEarly} AND ${isInactive}) AS inactive_shifts`;
  }

  /** The groups that will be inactive after the import. */
  #inactiveGroups(): readonly string[] {
    const { added, options } = this.#situation;
    if (!added.has('groups')) return this.#idsOfAccount(options.accountId, 'groups', 'AND NOT active');
    const given = `SELECT id FROM ${this.#dialect.temporary}.groups_given WHERE`;
    return [
      ...this.#idsOfAccount(options.accountId, 'groups', `AND NOT active AND id NOT IN (${given} active)`),
      `${given} NOT active`,
    ];
  }
}

type Reference = (typeof REFERENCES)[number];

/** Columns that may be NULL in the database, or are computed when they are NULL on the stage. */
const NULLABLE = ['location_id', 'person_id', 'end_date'];
const TIMES = ['date', 'start_time', 'end_time'];
const WITHOUT_ACCOUNT = ['given.flaws IS NOT NULL', 'given.first_position IS NOT NULL'];

/** An end that depends on an unreadable field is not judged. */
const IS_END_CLEAR = `(given.unclear_fields & ${bitsOf('shifts', [...TIMES, 'end_date'])}) = 0`;

/**
 * Spreadsheets keep 15 digits and end longer ids with a 0, so such an id that the account does not have was probably a
 * different one. Below this, ids of planning tools may be new, such as a time in microseconds.
 */
const FIRST_LONG_ID = 2 ** 52;

function anyOf(conditions: readonly string[]): string {
  return conditions.map((condition) => `(${condition})`).join(' OR ');
}

function literalOf(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function minutesOf(time: string): string {
  return `(CAST(substr(${time}, 1, 2) AS integer) * 60 + CAST(substr(${time}, 4, 2) AS integer))`;
}

/** The fields that a new record must have. */
function neededBits(table: Table): number {
  const needed = COLUMN_NAMES[table].filter(
    (name) => name !== 'id' && name !== 'end_date' && !(name in DEFAULTS[table]),
  );
  return bitsOf(table, needed);
}
