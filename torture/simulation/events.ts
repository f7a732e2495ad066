/** What may happen in a history, beside what waits to arrive. */

import { hashToken } from '../../src/feed/access/token.ts';
import type { OracleQuery } from '../../test/listing/oracle.ts';
import type { Draw } from '../draw.ts';
import type { Client } from './client.ts';
import { drawWorld, SLUGS } from './data.ts';
import type { Database } from './database.ts';
import type { FakeLoader, Faults } from './fake-store.ts';
import type { Scheduler } from './scheduler.ts';
import { accountOf, changed, type TokenData, type World } from './world.ts';
import { drawWrite } from './writes.ts';

export interface History {
  readonly draw: Draw;
  readonly scheduler: Scheduler;
  readonly database: Database;
  readonly loader: FakeLoader;
  readonly client: Client;
  readonly queries: readonly OracleQuery[];
  readonly faults: Faults;
  readonly weights: EventWeights;
  /** Asked for most of the time, so that what is in memory of it matters. */
  readonly favourite: { readonly slug: string; readonly query: OracleQuery };
  readonly events: Record<string, number>;
  readonly trace: (text: string) => void;
  restart(): void;
  files: number;
}

/** Those that exist, and two that do not. */
const TOKENS = Array.from({ length: 6 }, (_, i) => {
  const text = `token ${i + 1}`;
  return { text, hash: hashToken(text) };
});
export const GIVEN_TOKENS = TOKENS.slice(0, 4);

/** How many states a standby may be behind when it is promoted. */
const MOST_LOST = 4;

interface Event {
  /** How often it happens, beside the others. */
  readonly weight: number;
  happen(history: History): void;
}

const EVENTS = {
  request: { weight: 12, happen: request },
  write: { weight: 7, happen: write },
  clock: { weight: 3, happen: (history) => moveClock(history, drawTime(history)) },
  replicate: { weight: 2, happen: ({ database }) => database.replicate() },
  revoke: {
    weight: 0.7,
    happen: (history) => commitToken(history, 'revoke', (token) => ({ ...token, isRevoked: true })),
  },
  grant: {
    weight: 1.4,
    happen: (history) =>
      commitToken(history, 'grant', (token, { accounts }) => {
        const { id: accountId } = history.draw.pick(accounts).account;
        return { ...token, isRevoked: false, expiresAtMs: null, accountId };
      }),
  },
  restore: { weight: 0.3, happen: restore },
  restoreTables: { weight: 0.3, happen: restoreTables },
  promote: { weight: 1, happen: promote },
  rebuild: { weight: 0.5, happen: ({ database }) => database.rebuild() },
  replaceFile: { weight: 0.5, happen: replaceFile },
  killThread: {
    weight: 0.3,
    happen({ loader, trace }) {
      trace('a thread dies');
      loader.killThread();
    },
  },
  /** All questions fail, until it ends. */
  outage: {
    weight: 0.5,
    happen({ faults, trace }) {
      faults.isOutage = !faults.isOutage;
      trace(faults.isOutage ? 'an outage begins' : 'the outage ends');
    },
  },
  restart: {
    weight: 0.2,
    happen(history) {
      history.trace('restart');
      history.restart();
    },
  },
} satisfies Record<string, Event>;

type EventName = keyof typeof EVENTS;
type EventWeights = Readonly<Record<EventName, number>>;

/** Each history has much of some events and nothing of others: what is rare on average is then frequent somewhere. */
export function drawWeights(draw: Draw): EventWeights {
  const weights = Object.entries(EVENTS).map(([name, { weight }]) => {
    const factors = name === 'request' || name === 'write' ? [0.5, 1, 2] : [0, 0.5, 1, 4];
    return [name, weight * draw.pick(factors)];
  });
  return Object.fromEntries(weights);
}

export function drawEvent(history: History): void {
  const name = history.draw.weighted(history.weights);
  history.events[name] = (history.events[name] ?? 0) + 1;
  EVENTS[name].happen(history);
}

function request({ draw, client, queries, database, favourite }: History): void {
  const slug = draw.weighted({ favourite: 8, any: 3, none: 0.3 });
  const slugs = { favourite: favourite.slug, any: draw.pick(SLUGS), none: 'initech' };
  client.ask({
    token: drawToken(draw, database.now(), slugs[slug]),
    slug: slugs[slug],
    query: draw.chance(0.6) ? favourite.query : draw.pick(queries),
    kind: draw.chance(0.2) ? 'state' : 'list',
  });
}

/** Mostly one of the account, whether it is live or not. */
function drawToken(draw: Draw, world: World, slug: string): (typeof TOKENS)[number] | undefined {
  const id = accountOf(world, slug)?.account.id;
  const right = TOKENS.filter(({ hash }) => {
    return world.tokens.some((token) => token.hash === hash && token.accountId === id);
  });
  return draw.pick(right.length > 0 && draw.chance(0.85) ? right : [...TOKENS, undefined]);
}

function write(history: History): void {
  const { draw, database, scheduler } = history;
  const { world, name } = drawWrite(database.now(), {
    draw,
    today: dateOf(scheduler.nowMs()),
    nowUs: databaseTimeUs(history),
    // Copies that answer in turn, against the advice of the manual, may disagree on whose a name is.
    movesNames: database.mode !== 'replicas',
  });
  commit(history, world, name);
}

/** Microseconds that no two commits share, and that follow the clock. */
function databaseTimeUs({ scheduler, database }: History): number {
  return scheduler.nowMs() * 1_000 + 10_000 * database.states.length;
}

function commitToken(
  history: History,
  name: string,
  change: (token: TokenData, world: World) => TokenData,
): void {
  const { draw, database } = history;
  const world = database.now();
  const chosen = draw.pick(world.tokens);
  const tokens = world.tokens.map((token) => (token === chosen ? change(token, world) : token));
  commit(history, { ...world, tokens }, `${name} token ${chosen.id}`);
}

/** The database goes back to an older state, with older revisions. */
function restore(history: History): void {
  commit(history, history.draw.pick(earlier(history)), 'restore');
  goOn(history);
}

/** The same, when a standby is promoted that lacks the last commits. */
function promote(history: History): void {
  const { draw, database } = history;
  if (database.mode === 'file') return;
  commit(history, draw.pick(earlier(history).slice(-MOST_LOST)), 'promote');
  goOn(history);
}

/** Mostly, somebody writes before anybody reads. Revisions are then larger than those that were lost. */
function goOn(history: History): void {
  if (history.draw.chance(0.7)) write(history);
}

/** An account goes back to older months and shifts, under a newer revision: all tables are restored but that of accounts. */
function restoreTables(history: History): void {
  const { draw, database } = history;
  const world = database.now();
  const older = draw.pick(earlier(history)).accounts;
  const accounts = world.accounts.map((data) => {
    const before = older.find(({ account }) => account.id === data.account.id);
    // Stamps tell the order, too, which is a column of the table that stays.
    if (before === undefined || before.account.sort !== data.account.sort) return data;
    const { revision } = changed(data, {}, [], databaseTimeUs(history));
    return { ...before, account: data.account, revision };
  });
  commit(history, { ...world, accounts }, 'restore tables');
}

/** The states of the file that is there now. */
function earlier({ database }: History): readonly World[] {
  const { history: file } = database.now();
  return database.states.filter((state) => state.history === file);
}

/** Another file takes the place of the database: a copy that is older, or one that has nothing to do with it. */
function replaceFile(history: History): void {
  const { draw, database, scheduler } = history;
  if (database.mode !== 'file') return;
  const file = `file ${++history.files}`;
  const { tokens } = database.now();
  const foreign = () => drawWorld(draw, tokens, dateOf(scheduler.nowMs()), databaseTimeUs(history));
  const world = draw.chance(0.7) ? draw.pick(database.states) : foreign();
  commit(history, { ...world, history: file }, `replace by ${file}`);
}

function commit({ database, trace }: History, world: World, name: string): void {
  database.commit(world);
  trace(`commit  ${database.states.length - 1} ${name}`);
}

export function moveClock({ scheduler, database }: History, toMs: number): void {
  scheduler.advance(toMs);
  database.tick(scheduler.nowMs());
}

const DAY_MS = 24 * 3_600_000;

/** A little later, or around the next midnight of an account. */
function drawTime({ draw, scheduler, database }: History): number {
  const nowMs = scheduler.nowMs();
  switch (draw.weighted({ instant: 2, moment: 2, seconds: 3, deadline: 1, midnight: 6, day: 1 })) {
    case 'instant':
      return nowMs + 1;
    case 'moment':
      return nowMs + draw.integer(1, 100);
    case 'seconds':
      return nowMs + draw.integer(1, 12_000);
    case 'deadline':
      return nowMs + 61_000;
    case 'midnight':
      return midnightAfter(nowMs, draw.pick(database.now().accounts).account.timeZone) - draw.integer(0, 1);
    case 'day':
      return nowMs + DAY_MS;
  }
}

function midnightAfter(nowMs: number, timeZone: string): number {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone);
  return now.add({ days: 1 }).startOfDay().epochMilliseconds;
}

export function dateOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
