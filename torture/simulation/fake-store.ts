/**
 * The database as the feed sees it, and its loading threads. A question is answered from one state, which is chosen when
 * the draw lets it be read, and the answer arrives when the draw lets it. Either may fail, or never happen.
 */

import { type Day, firstDayOf, formatDate, type Month, parseDate } from '@shiftfeed/common/days';
import { type LoadedPages, loadPages, type PagesToLoad } from '../../src/feed/loading/load-pages.ts';
import type { Loader } from '../../src/feed/loading/loader.ts';
import { makeScratch } from '../../src/listing/build-month.ts';
import { DAYS_PER_MONTH, span } from '../../src/listing/day-mask.ts';
import type { RowFilter } from '../../src/listing/filter.ts';
import { bufferOf } from '../../src/listing/month.ts';
import type { Shift } from '../../src/listing/shift.ts';
import { MAX_MONTHS } from '../../src/store/account.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import type {
  DayCountQuery,
  DayCounts,
  DayRange,
  FeedStore,
  FreshnessAnswer,
  FreshnessQuestion,
  MonthStamp,
} from '../../src/store/feed-store.ts';
import type { Draw } from '../draw.ts';
import type { Database } from './database.ts';
import type { Scheduler } from './scheduler.ts';
import { type AccountData, accountOf, liveToken, visibleShifts, type World } from './world.ts';

interface FakeStoreOptions {
  readonly database: Database;
  readonly scheduler: Scheduler;
  readonly draw: Draw;
  readonly faults: Faults;
}

export interface Faults {
  /** How likely each step of an answer fails. */
  chance: number;
  /** Whether each does. */
  isOutage: boolean;
}

export interface FakeLoader extends Pick<Loader, 'load'> {
  /** All memory that loads have handed over. */
  readonly buffers: readonly ArrayBuffer[];
  killThread(): void;
}

const THREADS = 2;

export function makeFakeStore(options: FakeStoreOptions): FeedStore {
  const { database } = options;
  const { happen, noteAge } = makeSteps(options);
  return {
    mayLag: database.mode !== 'file',
    async freshness(questions, nowMs) {
      await happen('the database reads tokens');
      const world = database.states[database.read('freshness')] as World;
      const answers = questions.map((question) => answerOf(world, question, nowMs));
      for (const { account } of answers) if (account && account !== 'unchanged') noteAge(account);
      await happen('answers about tokens arrive');
      return answers;
    },
    async read(slug, work, history) {
      await happen('the database begins to read months');
      const world = database.states[database.read('load')] as World;
      if (database.mode === 'file' && history !== undefined && history !== world.history) {
        database.noteFault();
        throw new StoreFailure('unavailable', 'The database was replaced by another file at this moment.');
      }
      const data = accountOf(world, slug);
      if (data === undefined) return undefined;
      const { account, revision } = data;
      noteAge({ account, revision, history: historyOf(world, database) });
      return work({
        state: { account, history: historyOf(world, database), revision, months: monthsOf(data) },
        async countDays(queries) {
          await happen('counts of days arrive');
          return queries.map((query) => countsOf(data, query));
        },
        async shifts(range) {
          await happen('shifts arrive');
          return shiftsIn(data, range, options.draw);
        },
      });
    },
  };

  function answerOf(world: World, question: FreshnessQuestion, nowMs: number): FreshnessAnswer {
    const { tokenHash, slug, held } = question;
    const token = liveToken(world, tokenHash, nowMs);
    if (token === undefined) return { token: undefined, account: undefined };
    const data = accountOf(world, slug);
    return { token, account: data && toldOf(data, historyOf(world, database), held) };
  }
}

/** All copies of a server are one database. */
function historyOf({ history }: World, { mode }: Database): string {
  return mode === 'file' ? history : '';
}

function toldOf(
  data: AccountData,
  history: string,
  held: FreshnessQuestion['held'],
): FreshnessAnswer['account'] {
  const { account, revision } = data;
  const isHeld = held?.accountId === account.id && held.history === history && held.revision === revision;
  if (isHeld) return 'unchanged';
  return { account, history, revision, months: monthsOf(data).slice(0, MAX_MONTHS + 1) };
}

function monthsOf({ stamps }: AccountData): MonthStamp[] {
  return Array.from(stamps, ([month, stamp]) => ({ month, stamp })).sort((a, b) => a.month - b.month);
}

/** The steps of an answer, and notes for errors that are justified. */
function makeSteps({ database, scheduler, draw, faults }: FakeStoreOptions) {
  /** The newest revision that was told of each account. */
  const told = new Map<string, number>();

  function happen(name: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fate =
      faults.isOutage || draw.chance(faults.chance) ? draw.pick(['fails', 'fails', 'never']) : 'well';
    const fail = () => {
      database.noteFault();
      reject(new StoreFailure('unavailable', 'The database failed on purpose.'));
    };
    if (fate === 'never') return promise;
    if (fate === 'fails') scheduler.later(`${name}: fails`, fail);
    else scheduler.later(name, resolve);
    return promise;
  }

  /** An answer that is older than an earlier one may be refused. */
  function noteAge({
    account,
    revision,
    history,
  }: Pick<AccountData, 'account' | 'revision'> & { history: string }) {
    const key = `${history}/${account.id}`;
    const newest = told.get(key) ?? 0;
    if (revision < newest) database.noteFault();
    told.set(key, Math.max(newest, revision));
  }

  return { happen, noteAge };
}

function countsOf(data: AccountData, { month, rows: filter, today }: DayCountQuery): DayCounts {
  const matching = new Uint32Array(DAYS_PER_MONTH);
  const prefix = formatDate(firstDayOf(month)).slice(0, 7);
  const ofMonth = visibleShifts(data).filter(({ date }) => date.startsWith(prefix));
  for (const shift of ofMonth.filter((shift) => passes(shift, filter, formatDate(today)))) {
    const i = Number(shift.date.slice(8)) - 1;
    matching[i] = (matching[i] as number) + 1;
  }
  return { matching, rows: ofMonth.length };
}

function passes(
  shift: Shift,
  { groupIds, locationIds, includeUnpublished }: RowFilter,
  today: string,
): boolean {
  if (!includeUnpublished && shift.publishDate > today) return false;
  if (groupIds !== undefined && !groupIds.has(shift.groupId)) return false;
  return locationIds === undefined || (shift.location !== null && locationIds.has(shift.location.id));
}

/** By date, in any order within a day. */
function shiftsIn(data: AccountData, { month, days }: DayRange, draw: Draw): Shift[] {
  const [first, end] = span(days);
  const from = firstDayOf(month) + first;
  const to = Math.min(firstDayOf(month) + end, firstDayOf((month + 1) as Month));
  const inRange = visibleShifts(data).filter(({ date }) => {
    const day = parseDate(date) as Day;
    return day >= from && day < to;
  });
  return draw.shuffle(inRange).sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

export function makeFakeLoader(
  store: FeedStore,
  { scheduler, draw, database }: FakeStoreOptions,
): FakeLoader {
  type Load = PromiseWithResolvers<LoadedPages | undefined>;
  const threads = Array.from({ length: THREADS }, () => ({
    scratch: makeScratch(),
    pending: new Set<Load>(),
  }));
  const buffers: ArrayBuffer[] = [];

  return {
    buffers,
    load(request) {
      const { scratch, pending } = draw.pick(threads);
      const load: Load = Promise.withResolvers();
      pending.add(load);
      const finish = (name: string, how: () => void) =>
        scheduler.later(name, () => {
          if (pending.delete(load)) how();
        });
      // Threads share no memory: the request is copied, and what was loaded is handed over.
      loadPages(store, structuredClone(request) as PagesToLoad, scratch)
        .then((result) => structuredClone(result, { transfer: result?.blocks.map(bufferOf) ?? [] }))
        .then((result) =>
          finish('a load is done', () => {
            buffers.push(...(result?.blocks.map(bufferOf) ?? []));
            load.resolve(result);
          }),
        )
        .catch((error: unknown) => finish('a load has failed', () => load.reject(error)));
      return load.promise;
    },
    killThread() {
      database.noteFault();
      const { pending } = draw.pick(threads);
      for (const load of pending) load.reject(new Error('The thread that loads shifts ended.'));
      pending.clear();
    },
  };
}
