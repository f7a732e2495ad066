/**
 * Holds what the feed answered against the oracle. An answer is right if it is what filtering and sorting by hand gives
 * for one state that the database had, on a day that it was, between the request and the answer.
 */

import type { Listing, ListingState } from '../../src/feed/feed.ts';
import { Refusal } from '../../src/feed/refusal.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import { expectedBody, type OracleQuery } from '../../test/listing/oracle.ts';
import type { Database } from './database.ts';
import { type AccountData, accountOf, liveToken, visibleShifts, type World } from './world.ts';

/** A request, and when it was made. */
export interface Asked {
  readonly slug: string;
  readonly tokenHash: string | undefined;
  readonly query: OracleQuery;
  /** The number of its moment and of its step. */
  readonly moment: number;
  readonly step: number;
  /** The newest state of the account that anybody had been shown before, by number. */
  readonly shown: number;
}

/** How the token was let in. */
export interface Granted {
  readonly atMs: number;
  /** How old the answer about it is, when the database could not be asked. */
  readonly staleMs: number | undefined;
}

export interface JudgeOptions {
  readonly database: Database;
  readonly freshnessDeadlineMs: number;
  readonly staleIfErrorMs: number;
  /** Whether all snapshots fit into memory. Otherwise nobody remembers what was shown. */
  readonly remembers: boolean;
}

/** They throw a sentence when a promise was broken. */
export interface Judge {
  listing(asked: Asked, granted: Granted, listing: Listing, body: string): void;
  /** A client that has the page of this entity tag is told that nothing changed. */
  state(asked: Asked, granted: Granted, state: ListingState): void;
  error(asked: Asked, error: unknown): void;
  /** The newest state that anybody was shown of what is at a name. */
  shown(slug: string): number;
}

export function makeJudge(options: JudgeOptions): Judge {
  const { database, staleIfErrorMs, remembers } = options;
  const bodies = new Map<string, string>();
  const wholes = new Map<string, string>();
  const shown = new Map<string, number>();

  /** The account at this revision, in a state of the window in which the body is right. */
  function explanation(asked: Asked, window: Window, revision: number, body: string) {
    for (const [number, data] of accountsIn(database, asked.slug, window)) {
      if (data.revision !== revision) continue;
      for (const today of daysIn(database, window, data.account.timeZone)) {
        if (bodyOf(data, asked.query, today) === body) return { number, data, today };
      }
    }
    return undefined;
  }

  function checkBody(asked: Asked, granted: Granted, revision: number, body: string) {
    const window = windowOf(options, asked, granted);
    const found = explanation(asked, window, revision, body);
    if (found === undefined) throw new Error(wrongBody(database, asked, window, revision, body));
    if (!wasLive(database, asked, window, found.data))
      throw new Error('The token was not live at any moment.');
    if (remembers) {
      const last = lastNumberOf(database, asked.slug, window, revision);
      if (last < asked.shown) throw new Error(`State ${last} was shown after state ${asked.shown}.`);
    }
    if (granted.staleMs !== undefined) checkStale(asked, granted.staleMs);
    return found;
  }

  function checkStale(asked: Asked, staleMs: number): void {
    if (staleMs > staleIfErrorMs) throw new Error(`The answer is ${staleMs} ms old.`);
    if (!database.faultSince(asked.step)) throw new Error('The answer is old, and the database was there.');
  }

  return {
    listing(asked, granted, { entityTag, listingTag, revision }, body) {
      const { number, data, today } = checkBody(asked, granted, revision, body);
      expectSame(bodies, `${asked.slug}/${entityTag}`, body, 'entity tag');
      const whole = bodyOf(data, { ...asked.query, page: 1, per_page: 1_000_000 }, today);
      expectSame(wholes, `${data.account.id}/${listingTag}`, whole, 'listing tag');
      if (granted.staleMs === undefined) shown.set(asked.slug, Math.max(shown.get(asked.slug) ?? 0, number));
    },
    state(asked, granted, { entityTag, revision }) {
      const body = bodies.get(`${asked.slug}/${entityTag}`);
      if (body !== undefined) checkBody(asked, granted, revision, body);
    },
    error(asked, error) {
      const window = windowOfError(options, asked);
      if (!isJustified(database, asked, window, error)) throw error;
    },
    shown: (slug) => shown.get(slug) ?? 0,
  };
}

/** From a moment to the present one. */
type Window = { readonly from: number };

/** An answer that the database could not be asked for may be as old as it says, and the time that asking took then. */
function windowOf({ database, freshnessDeadlineMs }: JudgeOptions, asked: Asked, granted: Granted): Window {
  if (granted.staleMs === undefined) return { from: asked.moment };
  const knownMs = granted.atMs - granted.staleMs - freshnessDeadlineMs;
  const from = database.moments.findIndex(({ nowMs }) => nowMs >= knownMs);
  return { from: Math.min(asked.moment, from) };
}

/** While the database cannot be asked, a refusal may be repeated like any answer. */
function windowOfError(options: JudgeOptions, asked: Asked): Window {
  const { database, staleIfErrorMs } = options;
  const atMs = database.moments.at(-1)?.nowMs ?? 0;
  const mayRepeat = staleIfErrorMs > 0 && database.faultSince(asked.step);
  return windowOf(options, asked, { atMs, staleMs: mayRepeat ? staleIfErrorMs : undefined });
}

function* statesIn({ moments, states }: Database, { from }: Window): Iterable<[number, World]> {
  const oldest = moments[from]?.oldest ?? 0;
  for (let number = states.length - 1; number >= oldest; number--) yield [number, states[number] as World];
}

function* accountsIn(database: Database, slug: string, window: Window): Iterable<[number, AccountData]> {
  for (const [number, world] of statesIn(database, window)) {
    const data = accountOf(world, slug);
    if (data !== undefined) yield [number, data];
  }
}

function timesIn({ moments }: Database, { from }: Window): number[] {
  return [...new Set(moments.slice(from).map(({ nowMs }) => nowMs))];
}

function daysIn(database: Database, window: Window, timeZone: string): string[] {
  return [...new Set(timesIn(database, window).map((nowMs) => dayIn(timeZone, nowMs)))];
}

const days = new Map<string, string>();

function dayIn(timeZone: string, nowMs: number): string {
  const key = `${timeZone}/${nowMs}`;
  let day = days.get(key);
  if (day === undefined) {
    day = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone).toPlainDate().toString();
    if (days.size > 10_000) days.clear();
    days.set(key, day);
  }
  return day;
}

const known = new WeakMap<AccountData, Map<string, string>>();

/** What the oracle says, once for each question. */
function bodyOf(data: AccountData, query: OracleQuery, today: string): string {
  const ofData = known.get(data) ?? new Map<string, string>();
  known.set(data, ofData);
  const key = `${today} ${JSON.stringify(query)}`;
  const body = ofData.get(key) ?? expectedBody(visibleShifts(data), query, today, data.account.sort);
  ofData.set(key, body);
  return body;
}

/** A token that was live for this account in a state of the window, and has not expired before the window. */
function wasLive(database: Database, { tokenHash = '' }: Asked, window: Window, data: AccountData): boolean {
  const [firstMs = 0] = timesIn(database, window);
  for (const [, world] of statesIn(database, window)) {
    if (liveToken(world, tokenHash, firstMs)?.accountId === data.account.id) return true;
  }
  return false;
}

function lastNumberOf(database: Database, slug: string, window: Window, revision: number): number {
  for (const [number, data] of accountsIn(database, slug, window))
    if (data.revision === revision) return number;
  return 0;
}

function isJustified(database: Database, asked: Asked, window: Window, error: unknown): boolean {
  if (error instanceof StoreFailure) return database.faultSince(asked.step);
  if (!(error instanceof Refusal)) {
    return error instanceof Error && error.message.includes('thread') && database.faultSince(asked.step);
  }
  const { tokenHash, slug } = asked;
  const ids = Array.from(statesIn(database, window), ([, world]) => accountOf(world, slug)?.account.id);
  switch (error.kind) {
    case 'no-token':
      return tokenHash === undefined;
    case 'dead-token':
      return isDeadIn(database, asked, window);
    case 'unknown-account':
      // It may also have gone between the question and the load.
      return ids.includes(undefined) || new Set(ids).size > 1;
    case 'bad-parameters':
      return false;
  }
}

function isDeadIn(database: Database, { tokenHash = '', slug }: Asked, window: Window): boolean {
  const lastMs = database.moments.at(-1)?.nowMs ?? 0;
  for (const [, world] of statesIn(database, window)) {
    const data = accountOf(world, slug);
    const token = liveToken(world, tokenHash, lastMs);
    if (token === undefined || token.accountId !== data?.account.id) return true;
  }
  return false;
}

function expectSame(seen: Map<string, string>, key: string, value: string, what: string): void {
  const before = seen.get(key) ?? value;
  seen.set(key, value);
  if (before !== value) throw new Error(`One ${what} stands for two answers:\n${before}\n${value}`);
}

function wrongBody(database: Database, asked: Asked, window: Window, revision: number, body: string): string {
  const lines = [
    `No state in the window gives this answer, which says that it is of revision ${revision}:`,
    body,
  ];
  for (const [number, data] of accountsIn(database, asked.slug, window)) {
    for (const today of daysIn(database, window, data.account.timeZone)) {
      lines.push(`state ${number}, revision ${data.revision}, ${today}:`, bodyOf(data, asked.query, today));
    }
  }
  return lines.join('\n');
}
