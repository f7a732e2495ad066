/** A check-up of the database: what is wrong, and what is not listed and why. */

import { inFull, quote } from '@shiftfeed/common/quote';
import { timeZoneName } from '../import/fields.ts';
import { type Account, MAX_MONTHS } from '../store/account.ts';
import type { AccountContents, AccountStore, MonthContents } from '../store/admin/accounts.ts';
import type {
  CrowdedAccount,
  DoctorStore,
  Examination,
  LooseRows,
  SchemaFlaw,
  StampFlaw,
} from '../store/admin/doctor.ts';
import type { Token, TokenStore } from '../store/admin/tokens.ts';

export const CHECKS = {
  database: 'the database can be read, and its schema is of this version',
  integrity: 'the database finds no damage',
  schema: 'tables and constraints are there, and indexes and triggers are as they should be',
  references: 'whatever rows refer to is there',
  stamps: 'every month that has shifts is stamped',
  months: `no account has shifts in more than ${inFull(MAX_MONTHS)} months`,
  'time zones': 'all time zones exist',
} as const;

export type Check = keyof typeof CHECKS;

export interface Diagnosis {
  /** What was looked at. */
  readonly checks: readonly Check[];
  readonly findings: readonly Finding[];
}

export interface Finding {
  /** What is not listed on purpose belongs to no check. */
  readonly check: Check | 'listing';
  /** False if it is only worth knowing. */
  readonly isWrong: boolean;
  /** The slug of the account that it is about. */
  readonly account: string | undefined;
  readonly sentence: string;
  readonly advice: string | undefined;
}

export async function examine(
  store: DoctorStore & AccountStore & TokenStore,
  todayIn: (timeZone: string) => string,
  nowMs: number,
): Promise<Diagnosis> {
  const examination = await store.examine();
  const { damage, looseRows } = examination;
  const findings = [
    ...(damage ?? []).map(damaged),
    ...flawedSchema(examination),
    ...looseRows.map(loose),
    ...examination.crowded.map(crowded),
    ...flawedStamps(examination),
  ];
  for (const account of await store.accounts()) {
    const hasZone = timeZoneName(account.timeZone) !== undefined;
    if (!hasZone) findings.push(unknownZone(account));
    const contents = await store.describeAccount(account.id, hasZone ? todayIn(account.timeZone) : undefined);
    findings.push(...hidden(account, contents, looseRows));
    if (contents.shifts > 0 && account.timeZone === 'UTC') findings.push(inUtc(account));
    if (contents.shifts > 0) findings.push(...unreadable(account, await store.tokens(account.id), nowMs));
  }
  const checks = (Object.keys(CHECKS) as Check[]).filter(
    (check) => check !== 'integrity' || damage !== undefined,
  );
  return { checks, findings };
}

const wrong = (
  check: Finding['check'],
  account: string | undefined,
  sentence: string,
  advice: string,
): Finding => ({ check, isWrong: true, account, sentence, advice });

const told = (account: string, sentence: string, advice?: string): Finding => ({
  check: 'listing',
  isWrong: false,
  account,
  sentence,
  advice,
});

function damaged(message: string): Finding {
  const advice = message.startsWith('CHECK constraint')
    ? 'Find the rows that break a CHECK of that table, and correct them.'
    : 'Restore a backup, or save what can be read with "shiftfeed export" and import it into a new database.';
  return wrong('integrity', undefined, `SQLite finds damage: ${message}.`, advice);
}

const REPAIRS: Readonly<Record<SchemaFlaw['flaw'], string>> = {
  missing: 'Make it anew',
  changed: 'Make it anew',
  'switched off': 'Switch it on again',
  'not checked': 'Let PostgreSQL check it, which names the first row that breaks it',
};

/**
 * While a trigger is missing, changes go unnoticed. Nobody can tell afterwards which ones did. The statement that stamps
 * every month fails until all triggers are made anew, so it is printed once, after the last of them.
 */
function flawedSchema({ schema, stamps, stampStatement }: Examination): Finding[] {
  const last = stamps.some(isToStamp) ? undefined : schema.findLast(notesChanges);
  return schema.map((one) => {
    const { part, flaw, repair } = one;
    const advice =
      repair === undefined
        ? 'Make it anew with the statement of the migrations in src/store.'
        : `${REPAIRS[flaw]}: ${repair}`;
    const marks = `Then stamp every month anew, because changes may have gone unnoticed: ${stampStatement}`;
    const all = one === last ? `${advice} ${marks}` : advice;
    return wrong('schema', undefined, `The ${part} is ${flaw}.`, all);
  });
}

function notesChanges({ part }: SchemaFlaw): boolean {
  const [type] = part.split(' ');
  return !part.includes('references') && (type === 'trigger' || type === 'function' || type === 'view');
}

const CONSEQUENCES: Readonly<Record<LooseRows['lacking'], string>> = {
  account: 'It belongs to nobody.',
  entry: 'It may hold names.',
  group: 'It is not listed.',
  location: 'It is listed without a location.',
  person: 'It is listed as open.',
};

const LACKING: Readonly<Record<LooseRows['lacking'], string>> = {
  account: 'an account that is not there',
  entry: 'an entry of the history that is not there or belongs to nobody',
  group: 'a group that is not there',
  location: 'a location that is not there',
  person: 'a person that is not there',
};

/** What is called otherwise than its table. */
const NOUNS_OF_TABLES: Partial<Record<LooseRows['table'], readonly [one: string, many: string]>> = {
  people: ['person', 'people'],
  import_history: ['entry of the history', 'entries of the history'],
  desk_layouts: ['layout of the desk', 'layouts of the desk'],
  replaced_records: ['piece of replaced records', 'pieces of replaced records'],
};

function loose({ table, lacking, slug, count, firstId, repair }: LooseRows): Finding {
  const [one, many] = NOUNS_OF_TABLES[table] ?? [table.slice(0, -1), table];
  const isOne = count === 1;
  const which = firstId === undefined ? '' : isOne ? ` ${firstId}` : ` (the first is ${firstId})`;
  const subject = isOne ? `The ${one}${which}` : `${count} ${many}${which}`;
  const owner = slug === undefined ? '' : ` of ${slug}`;
  const verb = isOne ? 'refers' : 'refer';
  const consequence = isOne
    ? CONSEQUENCES[lacking]
    : CONSEQUENCES[lacking]
        .replace('It belongs', 'They belong')
        .replace('It is', 'They are')
        .replace('It may', 'They may');
  return wrong(
    'references',
    slug,
    `${subject}${owner} ${verb} to ${LACKING[lacking]}. ${consequence}`,
    repair !== undefined
      ? `Delete ${isOne ? 'it' : 'them'}: ${repair}`
      : `Add the ${lacking}, or give the ${isOne ? one : table} another one. On SQLite, let writers switch foreign keys on.`,
  );
}

const STAMP_SENTENCES: Readonly<Record<StampFlaw['flaw'], (slug: string, months: string) => string>> = {
  missing: (slug, months) =>
    `Shifts of ${slug} are not listed, because their months are not stamped: ${months}.`,
  ahead: (slug, months) => `Months of ${slug} have a newer stamp than the account has a revision: ${months}.`,
  malformed: (slug, months) => `The table months has rows of ${slug} that are no months: ${months}.`,
};
const MAX_TOLD_MONTHS = 5;

const isToStamp = ({ flaw }: StampFlaw) => flaw !== 'malformed';

/** One statement stamps the months of all accounts, so it is printed once. */
function flawedStamps({ stamps, stampStatement }: Examination): Finding[] {
  const groups = [...Map.groupBy(stamps, ({ slug, flaw }) => `${flaw} ${slug}`).values()];
  const last = groups.findLast((some) => some.some(isToStamp));
  return groups.flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const { slug, flaw } = first;
    const shown = some.slice(0, MAX_TOLD_MONTHS).map(({ month }) => month);
    const more = some.length > shown.length ? ` and ${some.length - shown.length} more` : '';
    const stamping = some === last ? `: ${stampStatement}` : ', with the statement further below.';
    const advice = flaw === 'malformed' ? 'Delete these rows.' : `Stamp every month anew${stamping}`;
    return wrong('stamps', slug, STAMP_SENTENCES[flaw](slug, shown.join(', ') + more), advice);
  });
}

function crowded({ slug, months, repair }: CrowdedAccount): Finding {
  return wrong(
    'months',
    slug,
    `The account ${slug} has shifts, or once had some, in ${inFull(months)} months. ${inFull(MAX_MONTHS)} are the most, so its requests fail.`,
    `Delete the oldest ones, or others that nobody needs. In place of (YYYY-MM), put the first month that is to stay, both times: ${repair}`,
  );
}

function unknownZone({ slug, timeZone }: Account): Finding {
  return wrong(
    'time zones',
    slug,
    `The account ${slug} has the time zone ${quote(timeZone)}, which does not exist, so its requests fail.`,
    `"shiftfeed account set ${slug} --time-zone …" changes it.`,
  );
}

/** Calendars on phones show the times of another place hours off. */
function inUtc({ slug }: Account): Finding {
  return told(
    slug,
    `${slug} is in UTC.`,
    `If its shifts are elsewhere, "shiftfeed account set ${slug} --time-zone …" says where.`,
  );
}

function hidden({ slug }: Account, { months }: AccountContents, looseRows: readonly LooseRows[]): Finding[] {
  const total = (count: (month: MonthContents) => number | null) =>
    months.reduce((sum, month) => sum + (count(month) ?? 0), 0);
  const withoutGroup = looseRows.find((rows) => rows.lacking === 'group' && rows.slug === slug)?.count ?? 0;
  const inactive = total(({ unlisted }) => unlisted) - withoutGroup;
  const unpublished = total(({ unpublished }) => unpublished);
  const count = (shifts: number) =>
    shifts === 1 ? `A shift of ${slug} is` : `${shifts} shifts of ${slug} are`;
  const findings: Finding[] = [];
  if (inactive > 0) {
    const sentence = `${count(inactive)} not listed, because the group is not active.`;
    findings.push(told(slug, sentence, `"shiftfeed group list ${slug}" shows the groups.`));
  }
  if (unpublished > 0)
    findings.push(
      told(slug, `${count(unpublished)} not published yet, and only listed with published=false.`),
    );
  return findings;
}

function unreadable({ slug, premium }: Account, tokens: readonly Token[], nowMs: number): Finding[] {
  if (!premium) {
    const advice = `"shiftfeed account set ${slug} --premium true" changes that.`;
    return [told(slug, `Nobody can read ${slug}, because it is not premium.`, advice)];
  }
  const isLive = ({ revokedAtMs, expiresAtMs }: Token) =>
    revokedAtMs === null && (expiresAtMs === null || expiresAtMs > nowMs);
  if (tokens.some(isLive)) return [];
  const advice = `"shiftfeed token create ${slug}" makes one.`;
  return [told(slug, `Nobody can read ${slug}, because it has no live token.`, advice)];
}
