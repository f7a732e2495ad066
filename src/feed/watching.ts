/**
 * Tells watchers when their listing has another tag. Once a second it asks the question that requests ask, once for each
 * token and account. The database is asked nothing new for it, so it works through poolers and on replicas, too.
 */

import type { Day } from '@shiftfeed/common/days';
import type { Query } from '../listing/filter.ts';
import { StoreFailure } from '../store/failure.ts';
import type { Access } from './access/freshness.ts';
import type { AccountSnapshot } from './access/snapshots.ts';
import { type AccountAtRevision, type Page, todayOf } from './page.ts';
import type { Clock, Timers } from './waiting.ts';

export interface Watcher {
  readonly query: Query;
  /** Called with the page after a change, which may have the same tag. False if it has to be told again. */
  tell(page: Page): boolean;
  /** The token is not live any more, or the account is gone. Nothing is told after it. */
  end(): void;
}

/** Begins with the state of this access. Returns what ends it. */
export type Watch = (access: Access, slug: string, watcher: Watcher) => () => void;

/** Opens an account once more, of which this was seen. */
export type OpenAgain = (
  tokenHash: string | undefined,
  slug: string,
  seen?: AccountSnapshot,
) => Promise<Access>;

const ROUND_MS = 1_000;
/** So that a batch is answered in some milliseconds. The batches of a round are spread over it. */
const MAX_BATCH = 250;
/** After this many watchers are told, pages get their turn. */
const TOLD_AT_ONCE = 50;

/** All watchers that come with the same token to the same account. */
interface Group {
  readonly tokenHash: string;
  readonly slug: string;
  expiresAtMs: number | null;
  /** Asked with, so that the database need not tell the account again which memory has no room for. */
  snapshot: AccountSnapshot | undefined;
  readonly watchers: Map<Watcher, Seen>;
}

/** The state of the account that a watcher was last told of. */
type Seen = (Pick<AccountAtRevision, 'history' | 'revision'> & { accountId: number; today: Day }) | undefined;

export function makeWatch(open: OpenAgain, clock: Clock, timers: Timers): Watch {
  const groups = new Map<string, Group>();
  let isRunning = false;
  const tellAll = makeTellAll(timers);

  const pause = (ms: number) => new Promise<void>((resolve) => void timers.after(ms, resolve));

  /** No round begins before the last one has ended. */
  async function run(): Promise<void> {
    await pause(ROUND_MS);
    while (groups.size > 0) {
      const due = [...groups.values()];
      const batches = Math.ceil(due.length / MAX_BATCH);
      for (let i = 0; i < batches; i++) {
        const batch = due.slice(i * MAX_BATCH, (i + 1) * MAX_BATCH);
        const [answered] = await Promise.all([Promise.all(batch.map(ask)), pause(ROUND_MS / batches)]);
        // A database that hangs makes a round long, and tokens expire nevertheless.
        if (!answered.includes(true)) endExpired(due, clock());
      }
    }
    isRunning = false;
  }

  /** Whether the database has answered. */
  async function ask(group: Group): Promise<boolean> {
    // Whoever comes after the question may know a later state.
    const watchers = [...group.watchers.keys()];
    const { snapshot } = group;
    // If there is no answer, this may be a state that was lost, while others are told the one that took its place.
    group.snapshot = undefined;
    try {
      const access = await open(group.tokenHash, group.slug, snapshot);
      if (access.staleMs !== undefined) return false;
      group.expiresAtMs = access.expiresAtMs;
      group.snapshot = access.snapshot;
      await tellAll(group, watchers, access);
      return true;
    } catch (error) {
      const isAway = error instanceof StoreFailure;
      if (!isAway || isExpired(group, clock())) end(watchers);
      return !isAway;
    }
  }

  return (access, slug, watcher) => {
    const { tokenHash, expiresAtMs, snapshot, nowMs } = access;
    const key = `${tokenHash}/${slug}`;
    const group = groups.get(key) ?? { tokenHash, slug, expiresAtMs, snapshot, watchers: new Map() };
    // A state from before an outage is not told: the first answer after it is.
    const isCurrent = access.staleMs === undefined;
    const today = todayOf(snapshot.account, nowMs);
    group.watchers.set(watcher, isCurrent ? tell(watcher, access, today) : undefined);
    groups.set(key, group);
    if (!isRunning) void run();
    isRunning = true;
    return () => {
      group.watchers.delete(watcher);
      if (group.watchers.size === 0 && groups.get(key) === group) groups.delete(key);
    };
  };
}

/** Tells the watchers of a group of another state. Groups may be told at the same time. */
function makeTellAll(timers: Timers) {
  /** Since pages had their turn. */
  let told = 0;
  let turn: Promise<void> | undefined;

  async function giveTurn(): Promise<void> {
    await new Promise<void>((resolve) => timers.soon(resolve));
    told = 0;
    turn = undefined;
  }

  return async (group: Group, watchers: readonly Watcher[], access: Access): Promise<void> => {
    const today = todayOf(access.snapshot.account, access.nowMs);
    for (const watcher of watchers) {
      while (told >= TOLD_AT_ONCE) {
        turn ??= giveTurn();
        await turn;
      }
      const isLeft = !group.watchers.has(watcher);
      if (isLeft || isSame(group.watchers.get(watcher), access.snapshot, today)) continue;
      group.watchers.set(watcher, tell(watcher, access, today));
      told++;
    }
  };
}

function isExpired({ expiresAtMs }: Group, nowMs: number): boolean {
  return expiresAtMs !== null && nowMs >= expiresAtMs;
}

function endExpired(groups: readonly Group[], nowMs: number): void {
  for (const group of groups) if (isExpired(group, nowMs)) end(group.watchers.keys());
}

function end(watchers: Iterable<Watcher>): void {
  for (const watcher of watchers) watcher.end();
}

function tell(watcher: Watcher, { snapshot, nowMs }: Access, today: Day): Seen {
  const { account, history, revision } = snapshot;
  const isTold = watcher.tell(snapshot.page(watcher.query, nowMs));
  return isTold ? { accountId: account.id, history, revision, today } : undefined;
}

/** Accounts that were restored together may have the same revision, and then swap their names. */
function isSame(seen: Seen, { account, history, revision }: AccountAtRevision, today: Day): boolean {
  const isSameState =
    seen?.accountId === account.id && seen.history === history && seen.revision === revision;
  return isSameState && seen.today === today;
}
