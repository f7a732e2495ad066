/** A PostgreSQL server is killed while it is written and read, and its standby takes its place. */

import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Cleanup } from '../../test/support/database.ts';
import type { Line } from '../../test/support/line.ts';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { until } from '../../test/support/until.ts';
import { keepAsking } from '../client.ts';
import { makeDraw } from '../draw.ts';
import { killAll } from './outages.ts';
import type { Answer, Scene } from './scene.ts';
import { type Measured, measureLoop, untilBack } from './try-outage.ts';

const READERS = 5;
const PAUSE_MS = 5;
const MAX_LIFE_MS = 500;
/** Far more than is promised. A service that is not back by then may never be. */
const GIVEN_UP_MS = 30_000;

export interface Replicated {
  readonly primary: PostgresServer;
  readonly line: Line;
  readonly scene: Scene;
}

export interface Promoted {
  readonly standby: PostgresServer;
  readonly measured: Measured;
}

/**
 * Returns the server that was promoted, and what was measured. Throws as soon as a page is not what it should be, or when
 * all is not well again in time. Nothing that hangs is waited for then.
 */
export async function promoteStandby(
  context: Cleanup,
  replicated: Replicated,
  seed: number,
  givenUpMs = GIVEN_UP_MS,
): Promise<Promoted> {
  const standby = await followedBy(context, replicated.primary);
  const over = new AbortController();
  const giveUp = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => giveUp.reject(new Error(`A promotion was not over after ${givenUpMs / 1000} s.`)),
    givenUpMs,
  );
  const answers: Answer[] = [];
  const ask = async () => answers.push(await replicated.scene.ask());
  const ended = keepAsking(READERS, PAUSE_MS, over.signal, ask).catch(giveUp.reject);
  try {
    const promoting = measurePromotion(replicated, standby, seed, { answers, ended }, over);
    return { standby, measured: await Promise.race([promoting, giveUp.promise]) };
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

async function measurePromotion(
  { primary, line, scene }: Replicated,
  standby: PostgresServer,
  seed: number,
  reading: Reading,
  over: AbortController,
): Promise<Measured> {
  const draw = makeDraw(seed, 'promotion');
  const ownDelay = measureLoop();
  const isShown = () => reading.answers.some(({ status }) => status === 200);
  await until('pages are shown', () => over.signal.aborted || isShown());
  over.signal.throwIfAborted();
  const writing = changeUntilItFails(scene, over.signal);
  await delay(draw.integer(0, MAX_LIFE_MS));
  await killAll(primary);
  await writing;
  // The address may lead to the standby before that is promoted: it answers those who read.
  const steps = [() => line.leadTo(standby.url), () => query(standby.url, 'SELECT pg_promote()')];
  for (const step of draw.shuffle(steps)) await step();
  const backMs = await untilBack(scene);
  scene.changeAt(standby.url);
  await scene.change();
  if ((await scene.ask()).status !== 200) throw new Error('After a promotion, a page was refused.');
  over.abort();
  await reading.ended;
  return { answers: reading.answers, backMs, ownDelayMs: ownDelay() };
}

interface Reading {
  readonly answers: readonly Answer[];
  readonly ended: Promise<unknown>;
}

async function changeUntilItFails(scene: Scene, over: AbortSignal): Promise<void> {
  try {
    while (!over.aborted) await scene.change();
  } catch {
    // Its server was killed. Whether the last change is there is left open.
  }
}

/** Starts a standby, for which all commits wait from then on. */
async function followedBy(context: Cleanup, primary: PostgresServer): Promise<PostgresServer> {
  const standby = await primary.startStandby();
  context.after(() => standby.remove());
  await query(primary.url, 'ALTER ROLE shiftfeed SET synchronous_commit = remote_apply');
  await query(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await query(primary.url, 'SELECT pg_reload_conf()');
  await until('commits wait for the standby', async () => {
    // An earlier standby may still be there.
    const rows = await query(primary.url, 'SELECT sync_state FROM pg_stat_replication');
    return rows.some(({ sync_state }) => sync_state === 'sync');
  });
  return standby;
}

export async function query(url: string, statement: string) {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
