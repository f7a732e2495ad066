/**
 * During an upgrade, servers of the last release read the new schema. What they ask is recorded in
 * released-queries.json, with the answers, and must be answered in the same way by every later schema.
 *
 * `npm run record-queries` records what this version asks. Run it after each release, and at no other time: a record that
 * follows the code proves nothing about servers that are still running.
 */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { type Day, parseDate, parseMonth } from '@shiftfeed/common/days';
import { Connection } from 'pg';
import packageInfo from '../../package.json' with { type: 'json' };
import { ALL_DAYS } from '../../src/listing/day-mask.ts';
import type { RowFilter } from '../../src/listing/filter.ts';
import type { FeedReader } from '../../src/store/feed-store.ts';
import { openReader, openServerStore, openStore } from '../../src/store/open.ts';
import type { ServerStore } from '../../src/store/server-store.ts';
import {
  DATABASES,
  type DatabaseKind,
  newStoreUrl,
  pathOf,
  postgresProgram,
  runSql,
} from '../support/database.ts';
import { LIMIT_MS } from '../support/until.ts';

interface Query {
  /** What the server wanted to know. */
  readonly question: string;
  readonly statement: string;
  readonly values: readonly unknown[];
}

interface AnsweredQuery extends Query {
  readonly rows: readonly (readonly unknown[])[];
}

interface ReleasedQueries {
  /** The release that asks this. */
  readonly version: string;
  readonly queries: Readonly<Record<DatabaseKind, readonly AnsweredQuery[]>>;
}

const FILE = new URL('./released-queries.json', import.meta.url);
const hash = (digit: number) => String(digit).repeat(64);
const [LIVE, REVOKED, EXPIRED, OF_OTHER, UNKNOWN] = [1, 2, 3, 4, 5].map(hash) as [
  string,
  string,
  string,
  string,
  string,
];
const NOW_MS = 1_000_000;
const TODAY = parseDate('2026-12-02') as Day;

/** Written as programs of the last release write it. */
const CONTENT = `
  INSERT INTO accounts (slug, name, premium, time_zone, sort) VALUES
    ('acme', 'Acme', true, 'Europe/Lisbon', 'group'), ('other', 'Other', false, 'UTC', 'time');
  INSERT INTO tokens (account_id, hash, created_at, expires_at, revoked_at) VALUES (1, '${LIVE}', 0, ${2 * NOW_MS}, NULL),
    (1, '${REVOKED}', 0, NULL, 5), (1, '${EXPIRED}', 0, 5, NULL), (2, '${OF_OTHER}', 0, NULL, NULL);
  INSERT INTO groups (account_id, id, name, active, private) VALUES (1, 1, 'Kitchen', true, false), (1, 2, 'Bar', true, true),
    (1, 3, 'Closed', false, false), (2, 1, 'Crew', true, false);
  INSERT INTO locations (account_id, id, name, address) VALUES (1, 7, 'Harbour', 'Quay 1');
  INSERT INTO people (account_id, id, name) VALUES (1, 9, 'Ada');
  INSERT INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, location_id, person_id, publish_date,
    remarks, starred, cancelled, noshow) VALUES
    (1, 1, '2026-12-01', '09:00', '17:00', '2026-12-01', 1, 7, 9, '2026-01-01', 'Bring a hat', true, false, false),
    (1, 2, '2026-12-01', '22:00', '06:00', '2026-12-02', 2, NULL, NULL, '2026-12-24', '', false, true, true),
    (1, 3, '2026-12-31', '09:00', '17:00', '2026-12-31', 3, 7, NULL, '2026-01-01', '', false, false, false),
    (1, 4, '2027-01-01', '09:00', '17:00', '2027-01-01', 1, NULL, 9, '2026-01-01', '', false, false, false),
    (2, 1, '2026-12-24', '09:00', '17:00', '2026-12-24', 1, NULL, NULL, '2026-12-24', '', false, false, false);
  UPDATE accounts SET revision = 100 + id;
  UPDATE months SET revision = CASE month WHEN '2026-12' THEN 90 ELSE 101 END;
  INSERT INTO imports (account_id, succeeded_at) VALUES (1, 5000), (2, 4000);`;

/** Everything that a server asks of a database. */
const QUESTIONS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  freshness: (url) =>
    reading(url, (reader) => {
      const ask = (tokenHash: string, slug: string, revision?: number) => {
        const held = revision === undefined ? undefined : { accountId: 1, history: '', revision };
        return { tokenHash, slug, held };
      };
      const dead = [REVOKED, EXPIRED, OF_OTHER, UNKNOWN].map((tokenHash) => ask(tokenHash, 'acme'));
      const live = [ask(LIVE, 'acme'), ask(LIVE, 'acme', 101), ask(LIVE, 'acme', 99), ask(LIVE, 'nobody')];
      return reader.freshness([...live, ...dead], NOW_MS);
    }),
  'state of an account': (url) => reading(url, ({ read }) => read('acme', async ({ state }) => state)),
  'counts of days': async (url) => {
    const all = { includeUnpublished: true, groupIds: undefined, locationIds: undefined };
    const filters: RowFilter[] = [
      all,
      { ...all, includeUnpublished: false },
      { ...all, groupIds: new Set([1, 3]) },
      { ...all, locationIds: new Set([7]) },
    ];
    const queries = filters.map((rows) => ({ month: parseMonth('2026-12'), rows, today: TODAY }));
    // The other account has no inactive group, which is counted in another way.
    for (const slug of ['acme', 'other'])
      await reading(url, ({ read }) => read(slug, ({ countDays }) => countDays(queries)));
  },
  'shifts of days': (url) =>
    reading(url, ({ read }) =>
      read('acme', async ({ shifts }) => [
        ...(await shifts({ month: parseMonth('2026-12'), days: ALL_DAYS })),
      ]),
    ),
  'last imports': (url) => serving(url, ({ lastImports }) => lastImports(10)),
  'uses of tokens': (url) => serving(url, ({ writeUses }) => writeUses(new Map([[LIVE, 3_600_000]]))),
};

for (const kind of DATABASES) {
  test(`servers of the last release read this schema as they did their own, on ${kind}`, async (t) => {
    const url = await filled(t, kind);
    if (process.env.RECORD_QUERIES !== undefined) await record(t, url, kind);
    const { queries } = released();
    assert.deepEqual(new Set(queries[kind].map(({ question }) => question)), new Set(Object.keys(QUESTIONS)));
    const replay = await replayer(t, await filled(t, kind), kind);
    for (const { rows, ...query } of queries[kind])
      assert.deepEqual(asExpected(await replay(query), rows), rows, `${query.question}: ${query.statement}`);
    const used = 'SELECT last_used_at FROM tokens WHERE last_used_at IS NOT NULL';
    assert.deepEqual((await replay({ question: '', statement: used, values: [] })).map(String), ['3600000']);
  });
}

function released(): ReleasedQueries {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

async function filled(t: TestContext, kind: DatabaseKind): Promise<string> {
  const url = await newStoreUrl(t, kind);
  await (await openStore(url, { missing: 'create' })).close();
  if (kind === 'sqlite') runSql(url, CONTENT);
  else await (await postgresProgram(t, url)).query(CONTENT);
  return url;
}

type Replay = (query: Query) => Promise<AnsweredQuery['rows']>;

/** Runs queries without the code that asked them. */
async function replayer(t: TestContext, url: string, kind: DatabaseKind): Promise<Replay> {
  if (kind === 'sqlite') {
    const database = new DatabaseSync(pathOf(url));
    t.after(() => database.close());
    return async ({ statement, values }) => {
      const prepared = database.prepare(statement);
      prepared.setReturnArrays(true);
      return inOrder(prepared.all(...(values as string[])) as unknown as unknown[][]);
    };
  }
  const program = await postgresProgram(t, url);
  const types = { getTypeParser: () => (text: string) => (text.startsWith('{') ? JSON.parse(text) : text) };
  return async ({ statement, values }) => {
    const { rows } = await program.query<unknown[]>({
      text: statement,
      values: values as string[],
      rowMode: 'array',
      types,
    });
    return inOrder(rows);
  };
}

/** An order that does not depend on the plan. Answers to several questions in one, as JSON, have their own. */
function inOrder(rows: readonly unknown[][]): unknown[][] {
  return typeof rows[0]?.[0] === 'object'
    ? [...rows]
    : rows.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** Leaves out what a server of the release would not look at: new columns of a row that it gets as JSON. */
function asExpected(found: unknown, recorded: unknown): unknown {
  if (Array.isArray(found) && Array.isArray(recorded))
    return found.map((entry, i) => asExpected(entry, recorded[i]));
  if (typeof found !== 'object' || typeof recorded !== 'object' || found === null || recorded === null)
    return found;
  const entries = Object.entries(recorded).map(([key, value]) => [
    key,
    asExpected((found as Record<string, unknown>)[key], value),
  ]);
  return Object.fromEntries(entries);
}

async function record(t: TestContext, url: string, kind: DatabaseKind): Promise<void> {
  const queries = new Map<string, Query>();
  for (const [question, ask] of Object.entries(QUESTIONS)) {
    const overheard = eavesdrop(kind);
    await ask(url);
    for (const query of overheard())
      queries.set(JSON.stringify([question, query.statement, query.values]), { question, ...query });
  }
  const replay = await replayer(t, await filled(t, kind), kind);
  const answered: AnsweredQuery[] = [];
  for (const query of queries.values()) answered.push({ ...query, rows: await replay(query) });
  const others = DATABASES.flatMap((other) => (other === kind ? [] : [[other, before()[other] ?? []]]));
  const record = {
    version: packageInfo.version,
    queries: { ...Object.fromEntries(others), [kind]: answered },
  };
  writeFileSync(FILE, `${JSON.stringify(record, null, 2)}\n`);
}

/** The first record has none. */
function before(): Partial<ReleasedQueries['queries']> {
  try {
    return released().queries;
  } catch {
    return {};
  }
}

const OUR_TABLES = /\b(accounts|tokens|groups|locations|people|shifts|months|imports)\b/;

/** Returns a function that ends the listening, and returns what was sent to the database meanwhile. */
function eavesdrop(kind: DatabaseKind): () => Omit<Query, 'question'>[] {
  const heard: Omit<Query, 'question'>[] = [];
  const note = (statement: string, values: readonly unknown[]) => {
    if (OUR_TABLES.test(statement)) heard.push({ statement, values });
  };
  const stop = kind === 'sqlite' ? listenToSqlite(note) : listenToPostgres(note);
  return () => {
    stop();
    return heard;
  };
}

type Note = (statement: string, values: readonly unknown[]) => void;
type Method = (this: unknown, ...args: unknown[]) => unknown;

function listenToSqlite(note: Note): () => void {
  const stops = ['all', 'get', 'iterate', 'run'].map((name) =>
    replace(StatementSync.prototype, name, (statement, values) =>
      note((statement as StatementSync).sourceSQL, values),
    ),
  );
  return () => stops.forEach((stop) => void stop());
}

/** A statement is parsed once, and bound to values each time. */
function listenToPostgres(note: Note): () => void {
  const texts = new Map<string, string>();
  const stops = [
    replace(Connection.prototype, 'parse', (_, [query]) => {
      const { name = '', text } = query as { name?: string; text: string };
      texts.set(name, text);
    }),
    replace(Connection.prototype, 'bind', (_, [config]) => {
      const { statement = '', values } = config as { statement?: string; values: readonly unknown[] };
      note(texts.get(statement) ?? '', values);
    }),
  ];
  return () => stops.forEach((stop) => void stop());
}

/** Calls `listener` before each call of a method. Returns what puts the method back. */
function replace(
  prototype: object,
  name: string,
  listener: (that: unknown, args: readonly unknown[]) => void,
): () => void {
  const methods = prototype as Record<string, Method>;
  const original = methods[name] as Method;
  methods[name] = function (...args) {
    listener(this, args);
    return original.apply(this, args);
  };
  return () => {
    methods[name] = original;
  };
}

async function reading(url: string, ask: (reader: FeedReader) => Promise<unknown>): Promise<void> {
  const reader = await openReader(url, { waitMs: LIMIT_MS });
  await ask(reader).finally(() => reader.close());
}

async function serving(url: string, ask: (store: ServerStore) => Promise<unknown>): Promise<void> {
  const store = await openServerStore(url);
  await ask(store).finally(() => store.close());
}
