/**
 * One history: some requests, and whatever else may happen to a database meanwhile, in an order that follows from the
 * seed. It ends quietly, when everything must be well again.
 */

import { type Feed, makeFeed } from '../../src/feed/feed.ts';
import type { OracleQuery } from '../../test/listing/oracle.ts';
import { type Draw, makeDraw } from '../draw.ts';
import type { Failure } from '../part.ts';
import { makeClient } from './client.ts';
import { drawQuery, drawWorld, SLUGS, STARTS } from './data.ts';
import { type Database, type DatabaseMode, makeDatabase } from './database.ts';
import { dateOf, drawEvent, drawWeights, GIVEN_TOKENS, type History, moveClock } from './events.ts';
import { makeFakeLoader, makeFakeStore } from './fake-store.ts';
import { makeJudge } from './judge.ts';
import { makeScheduler, type Scheduler } from './scheduler.ts';
import type { TokenData } from './world.ts';

interface HistoryFigures {
  readonly answers: number;
  readonly refusals: number;
  readonly unavailable: number;
  readonly told: number;
  readonly events: Readonly<Record<string, number>>;
}

const ROOMY_BYTES = 1_000_000;
/** How much of a history is left to the things that wait, rather than to new events. */
const SHARE_OF_WAITING = 0.6;
const SHARE_OF_STREAMS = 0.2;

/** Histories without streams stay what they were before there were any. */
const hasStreams = (seed: number) => seed % 5 < 2;

/** How much of a failed history is told: the end of it. */
const TOLD_LINES = 60;

/** Runs the history of a seed. One that fails is run once more, to tell what happened in it. */
export async function tryHistory(seed: number): Promise<{ figures?: HistoryFigures; failure?: Failure }> {
  try {
    return { figures: await runHistory(seed) };
  } catch (error) {
    const lines: string[] = [];
    await runHistory(seed, (line) => lines.push(line)).catch(() => undefined);
    const what = error instanceof Error ? error.message : String(error);
    return { failure: { seed, what: `${what}\nThe history:\n${lines.slice(-TOLD_LINES).join('\n')}` } };
  }
}

/** Throws when a promise is broken. `trace` is told everything that happens. */
async function runHistory(
  seed: number,
  trace: (text: string) => void = () => undefined,
): Promise<HistoryFigures> {
  const history = makeHistory(seed, trace);
  const { draw, scheduler, client } = history;
  const length = draw.integer(10, 60);
  const listens = hasStreams(seed) ? makeDraw(seed, 'streams') : undefined;
  for (let i = 0; i < length; ) {
    if (scheduler.hasWaiting() && draw.chance(SHARE_OF_WAITING)) {
      await scheduler.runOne();
    } else {
      drawEvent(history);
      if (listens?.chance(SHARE_OF_STREAMS)) listen(history, listens);
      await scheduler.settle();
      i++;
    }
    client.throwBroken();
  }
  await endQuietly(history);
  return { ...client.counts(), events: history.events };
}

function makeHistory(seed: number, trace: (text: string) => void): History {
  const draw = makeDraw(seed, 'order');
  const dataDraw = makeDraw(seed, 'data');
  const queryDraw = makeDraw(seed, 'queries');
  const startMs = Temporal.Instant.from(draw.pick(STARTS)).epochMilliseconds;
  const mode = draw.pick<DatabaseMode>(['file', 'file', 'server', 'replicas', 'replicas']);
  const today = dateOf(startMs);
  const tokens = GIVEN_TOKENS.map(({ hash }, i): TokenData => {
    const expiresAtMs = i === 2 ? startMs + draw.integer(0, 5_000) : null;
    return { id: i + 1, hash, accountId: 1 + (i % 2), expiresAtMs, isRevoked: false };
  });
  const scheduler: Scheduler = makeScheduler({
    draw,
    startMs,
    trace,
    onDeadline: () => database.noteFault(),
  });
  const first = drawWorld(dataDraw, tokens, today, startMs * 1_000);
  const database: Database = makeDatabase({ mode, first, startMs, draw, step: scheduler.step });
  const faults = { chance: draw.pick([0, 0, 0.02, 0.15]), isOutage: false };
  const options = { database, scheduler, draw, faults };
  const store = makeFakeStore(options);
  const loader = makeFakeLoader(store, options);
  const queries = Array.from({ length: queryDraw.integer(1, 5) }, () => drawQuery(queryDraw, today));
  const settings = drawSettings(draw);
  const { cacheBudgetBytes } = settings;
  trace(`${mode}, faults ${faults.chance}, ${JSON.stringify(settings)}`);
  const newFeed = (): Feed =>
    makeFeed({ ...settings, store, loader, clock: scheduler.nowMs, timers: scheduler.timers });
  const judge = makeJudge({ ...settings, database, remembers: cacheBudgetBytes >= ROOMY_BYTES });
  const client = makeClient({ feed: newFeed(), judge, scheduler, database, loader, cacheBudgetBytes, trace });
  return {
    draw,
    scheduler,
    database,
    loader,
    client,
    queries,
    favourite: { slug: draw.pick(SLUGS), query: queries[0] as OracleQuery },
    weights: drawWeights(draw),
    faults,
    events: {},
    trace,
    restart: () => client.restart(newFeed()),
    files: 1,
  };
}

function drawSettings(draw: Draw) {
  return {
    cacheBudgetBytes: draw.pick([8_000, 40_000, 100_000, ROOMY_BYTES, ROOMY_BYTES, 64 * ROOMY_BYTES]),
    staleIfErrorMs: draw.pick([0, 0, 3_000, 60_000]),
    freshnessDeadlineMs: 1_800,
    eagerRows: draw.pick([0, 3, 5_000]),
  };
}

/** Nothing fails any more, and time goes on until everything was answered. Then the present is listed. */
async function endQuietly(history: History): Promise<void> {
  const { scheduler, database, client, faults, queries } = history;
  history.trace('the end');
  Object.assign(faults, { chance: 0, isOutage: false });
  await untilAnswered(history);
  database.catchUp();
  // An old state counts as restored only after it has stayed for ten seconds.
  const query = queries[0] as OracleQuery;
  for (let round = 0; round < 3; round++) {
    GIVEN_TOKENS.forEach((token, i) => {
      client.ask({ token, slug: SLUGS[i % 2] as string, query, kind: 'list' });
    });
    await untilAnswered(history);
    await untilTime(history, scheduler.nowMs() + 11_000);
  }
  client.expectNoFailure();
  await checkStreams(history);
}

function listen({ client, queries }: History, draw: Draw): void {
  client.listen({
    token: draw.pick(GIVEN_TOKENS),
    slug: draw.pick(SLUGS),
    query: draw.pick(queries),
    kind: 'list',
  });
}

/** Each stream has told what became of its listing, or has ended. One that is late because of midnight has time. */
async function checkStreams(history: History): Promise<void> {
  const { scheduler, client } = history;
  for (let round = 0; round < 2; round++) {
    client.checkStreams();
    await untilAnswered(history);
    if (client.lateStreams().length === 0) return;
    await untilTime(history, scheduler.nowMs() + 3_000);
  }
  throw new Error(client.lateStreams()[0]);
}

async function untilTime(history: History, endMs: number): Promise<void> {
  const { scheduler } = history;
  while (scheduler.nowMs() < endMs) {
    if (scheduler.hasWaiting()) await scheduler.runOne();
    else moveClock(history, endMs);
  }
}

/** Steps enough for any history that ends. */
const MAX_STEPS = 20_000;

async function untilAnswered(history: History): Promise<void> {
  const { scheduler, client } = history;
  const endStep = scheduler.step() + MAX_STEPS;
  await scheduler.settle();
  while (client.hasOpen() || scheduler.hasWaiting()) {
    if (scheduler.hasWaiting()) await scheduler.runOne();
    else {
      const timerMs = scheduler.nextTimerMs();
      if (timerMs === undefined) throw new Error('A request is never answered.');
      moveClock(history, timerMs);
    }
    client.throwBroken();
    if (scheduler.step() > endStep) throw new Error('A history does not end.');
  }
}
