/**
 * Holds what the feed answered against the oracle. An answer is right if it is what filtering and sorting by hand gives
 * for one state that the database had, on a day that it was, between the request and the answer.
 */

import { memoize } from '@shiftfeed/common/memoize';
import type { Page } from '../../src/feed/page.ts';
import { Refusal } from '../../src/feed/refusal.ts';
import { MAX_MONTHS } from '../../src/store/account.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import { expectedBody, type OracleQuery } from '../../test/listing/oracle.ts';
import { dateIn } from './data.ts';
import type { Database, Moment } from './database.ts';
import { type AccountData, accountOf, liveToken, visibleShifts, type World } from './world.ts';

/** A request, and when it was made. */
export interface Asked {
  readonly slug: string;
  readonly tokenHash: string | undefined;
  readonly query: OracleQuery;
  /** The number of its moment and of its step. */
  readonly moment: number;
  readonly step: number;
  readonly askedMs: number;
  /** The newest state of each account that anybody had been shown before. */
  readonly shown: ReadonlyMap<number, Shown>;
}

export interface Shown {
  readonly number: number;
  readonly revision: number;
}

/** How the token was let in. */
interface Granted {
  readonly atMs: number;
  readonly accountId: number;
  /** How old the answer about it is, when the database could not be asked. */
  readonly staleMs: number | undefined;
  /** How old the page is, if that is older. */
  readonly pageStaleMs?: number | undefined;
}

interface JudgeOptions {
  readonly database: Database;
  readonly freshnessDeadlineMs: number;
  readonly staleIfErrorMs: number;
  /** Whether all snapshots fit into memory. Otherwise nobody remembers what was shown. */
  readonly remembers: boolean;
}

export type Judge = ReturnType<typeof makeJudge>;

/** Throws a sentence when a promise was broken. */
export function makeJudge(options: JudgeOptions) {
  const { database, staleIfErrorMs, remembers } = options;
  const bodies = new Map<string, string>();
  const listings = new Map<string, string>();
  const shown = new Map<number, Shown>();
  /** When tokens were refused by the database, and not from memory. */
  const refusals = new Map<string, { readonly moment: number; readonly ms: number }[]>();

  /** The account at this revision, in each state and on each day of the window on which the body is right. */
  function explanations(
    asked: Asked,
    { accountId }: Granted,
    window: Window,
    revision: number,
    body: string,
  ) {
    const found: Explanation[] = [];
    for (const [number, data] of accountsIn(database, accountId, window)) {
      if (data.revision !== revision) continue;
      for (const today of daysIn(database, window, data.account.timeZone)) {
        if (bodyOf(data, asked.query, today) === body) found.push({ number, data, today });
      }
    }
    return found;
  }

  function checkBody(asked: Asked, granted: Granted, revision: number, body: string): readonly Explanation[] {
    const { pageStaleMs = granted.staleMs } = granted;
    const window = windowOf(options, asked, { ...granted, staleMs: pageStaleMs });
    const found = explanations(asked, granted, window, revision, body);
    const [newest] = found;
    if (newest === undefined) throw new Error(wrongBody(database, asked, granted, window, revision, body));
    if (!wasLive(database, asked, windowOf(options, asked, granted), granted.accountId))
      throw new Error('The token was not live at any moment.');
    const before = asked.shown.get(granted.accountId);
    if (remembers && before !== undefined && isPast(newest, before)) {
      throw new Error(`State ${newest.number} was shown after state ${before.number}.`);
    }
    if (granted.staleMs !== undefined) checkToken(asked, granted);
    if (pageStaleMs !== undefined) checkAge(asked, pageStaleMs);
    return found;
  }

  /** A page may look the same in several states. Then the tag has to be right for one of them. */
  function checkTag(asked: Asked, { accountId }: Granted, tag: string, found: readonly Explanation[]): void {
    const wholes = found.map(({ data, today }) =>
      bodyOf(data, { ...asked.query, page: 1, per_page: ALL }, today),
    );
    const known = listings.get(`${accountId}/${tag}`);
    if (known === undefined && new Set(wholes).size === 1)
      listings.set(`${accountId}/${tag}`, wholes[0] as string);
    if (known !== undefined && !wholes.includes(known)) {
      throw new Error(`One listing tag stands for two listings:\n${known}\n${wholes[0]}`);
    }
  }

  /** A page shows no newer state than the first one since which it has been the same. */
  function noteShown(
    asked: Asked,
    { accountId }: Granted,
    found: readonly Explanation[],
    body: string,
  ): void {
    const newest = found.at(-1);
    const before = shown.get(accountId);
    if (newest === undefined || (before !== undefined && newest.number < before.number)) return;
    const isSame = (number: number) => {
      const data = accountIn(database.states[number], accountId);
      return data !== undefined && found.some(({ today }) => bodyOf(data, asked.query, today) === body);
    };
    if (before !== undefined && isSame(before.number)) return;
    let { number } = newest;
    while (number > (before?.number ?? 0) && isSame(number - 1)) number--;
    const { revision } = accountIn(database.states[number], accountId) ?? newest.data;
    shown.set(accountId, { number, revision });
  }

  /** What the database has refused since is not repeated, unless it has let it live again. */
  function checkToken(asked: Asked, { accountId, atMs, staleMs = 0 }: Granted): void {
    const knownMs = atMs - staleMs;
    const refused = refusals.get(keyOf(asked))?.findLast(({ ms }) => ms > knownMs && ms < atMs);
    if (refused !== undefined && !wasLive(database, asked, { from: refused.moment }, accountId))
      throw new Error('A token that was refused lives again.');
  }

  function checkAge(asked: Asked, staleMs: number): void {
    if (staleMs > staleIfErrorMs) throw new Error(`The answer is ${staleMs} ms old.`);
    if (!database.faultSince(asked.step)) throw new Error('The answer is old, and the database was there.');
  }

  return {
    listing(asked: Asked, granted: Granted, page: Page, body: string): void {
      const { listingTag } = page;
      const { revision } = page.of;
      const entityTag = page.tags.identity;
      const found = checkBody(asked, granted, revision, body);
      const known = bodies.get(`${asked.slug}/${entityTag}`) ?? body;
      if (known !== body) throw new Error(`One entity tag stands for two answers:\n${known}\n${body}`);
      bodies.set(`${asked.slug}/${entityTag}`, body);
      checkTag(asked, granted, listingTag, found);
      const { staleMs = granted.pageStaleMs } = granted;
      if (staleMs === undefined) noteShown(asked, granted, found, body);
    },
    /** A client that has the page of this entity tag is told that nothing changed. */
    state(asked: Asked, granted: Granted, { tags, of }: Page): void {
      const body = bodies.get(`${asked.slug}/${tags.identity}`);
      if (body !== undefined) checkBody(asked, granted, of.revision, body);
    },
    error(asked: Asked, error: unknown): void {
      const window = windowOfError(options, asked);
      if (!isJustified(database, asked, window, error)) throw error;
      const isRefused = error instanceof Refusal && error.kind === 'dead-token';
      const { nowMs: ms } = database.moments.at(-1) as Moment;
      if (isRefused && !database.faultSince(asked.step)) {
        const refused = { moment: database.moments.length - 1, ms };
        refusals.set(keyOf(asked), [...(refusals.get(keyOf(asked)) ?? []), refused]);
      }
    },
    /** The newest state of each account that anybody was shown. */
    shown: (): ReadonlyMap<number, Shown> => new Map(shown),
    /** Another process takes over, which has been asked nothing yet. */
    forget(): void {
      shown.clear();
      refusals.clear();
    },
  };
}

function keyOf({ tokenHash, slug }: Asked): string {
  return `${tokenHash}/${slug}`;
}

/**
 * Whether one was shown the past after the present. A replica of a past that was lost may have a larger revision than the
 * present, and then nobody can tell.
 */
function isPast({ number, data }: Explanation, before: Shown): boolean {
  return number < before.number && data.revision < before.revision;
}

/** More than any account has shifts. */
const ALL = 1_000_000;

/** A state in which an answer is right. */
interface Explanation {
  readonly number: number;
  readonly data: AccountData;
  readonly today: string;
}

/** From a moment to the present one. */
type Window = { readonly from: number };

/** An answer that the database could not be asked for may be as old as it says, and the time that asking took then. */
function windowOf(
  { database, freshnessDeadlineMs }: JudgeOptions,
  asked: Asked,
  granted: Omit<Granted, 'accountId'>,
): Window {
  if (granted.staleMs === undefined) return { from: asked.moment };
  const knownMs = granted.atMs - granted.staleMs - freshnessDeadlineMs;
  const from = database.moments.findIndex(({ nowMs }) => nowMs >= knownMs);
  return { from: Math.min(asked.moment, from) };
}

/**
 * While the database cannot be asked, a refusal may be repeated like any answer. What was known when the token was let
 * in may be contradicted by a load much later, so the age counts from the request.
 */
function windowOfError(options: JudgeOptions, asked: Asked): Window {
  const { database, staleIfErrorMs } = options;
  const mayRepeat = staleIfErrorMs > 0 && database.faultSince(asked.step);
  return windowOf(options, asked, { atMs: asked.askedMs, staleMs: mayRepeat ? staleIfErrorMs : undefined });
}

function* statesIn({ moments, states }: Database, { from }: Window): Iterable<[number, World]> {
  // A replica that was made anew may be older than it was before.
  const oldest = Math.min(...moments.slice(from).map((moment) => moment.oldest));
  for (let number = states.length - 1; number >= oldest; number--) yield [number, states[number] as World];
}

/** An account keeps its id when it gets another name. */
function* accountsIn(database: Database, id: number, window: Window): Iterable<[number, AccountData]> {
  for (const [number, world] of statesIn(database, window)) {
    const data = accountIn(world, id);
    if (data !== undefined) yield [number, data];
  }
}

function accountIn(world: World | undefined, id: number): AccountData | undefined {
  return world?.accounts.find(({ account }) => account.id === id);
}

function timesIn({ moments }: Database, { from }: Window): number[] {
  return [...new Set(moments.slice(from).map(({ nowMs }) => nowMs))];
}

function daysIn(database: Database, window: Window, timeZone: string): string[] {
  return [...new Set(timesIn(database, window).map((nowMs) => dayIn(`${nowMs} ${timeZone}`)))];
}

const dayIn = memoize((key) => {
  const [nowMs, timeZone = ''] = key.split(' ');
  return dateIn(timeZone, Number(nowMs));
});

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

/** A token that was live in a state of the window in which the name was that of its account, and had not expired. */
function wasLive(
  database: Database,
  { tokenHash = '', slug, askedMs }: Asked,
  window: Window,
  accountId: number,
) {
  for (const [, world] of statesIn(database, window)) {
    const token = liveToken(world, tokenHash, askedMs);
    if (token?.accountId === accountId && accountOf(world, slug)?.account.id === accountId) return true;
  }
  return false;
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
    case 'too-many-months':
      // An account that was asked for by its old name may have become too large under its new one.
      return Array.from(statesIn(database, window)).some(([, { accounts }]) =>
        accounts.some(({ account, stamps }) => ids.includes(account.id) && stamps.size > MAX_MONTHS),
      );
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

function wrongBody(
  database: Database,
  asked: Asked,
  { accountId }: Granted,
  window: Window,
  revision: number,
  body: string,
): string {
  const lines = [
    `No state in the window gives this answer, which says that it is of revision ${revision}:`,
    body,
  ];
  for (const [number, data] of accountsIn(database, accountId, window)) {
    for (const today of daysIn(database, window, data.account.timeZone)) {
      lines.push(`state ${number}, revision ${data.revision}, ${today}:`, bodyOf(data, asked.query, today));
    }
  }
  return lines.join('\n');
}
