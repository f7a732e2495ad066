/** A PostgreSQL server is killed while it is written and read, and its standby takes its place. */

import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Cleanup } from '../../test/support/database.ts';
import type { Line } from '../../test/support/line.ts';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { until } from '../../test/support/until.ts';
import { makeDraw } from '../draw.ts';
import { killAll } from './outages.ts';
import type { Answer, Scene } from './scene.ts';
import { type Measured, measureLoop, untilBack } from './try-outage.ts';

const READERS = 5;
const MAX_LIFE_MS = 500;

export interface Replicated {
  readonly primary: PostgresServer;
  readonly line: Line;
  readonly scene: Scene;
}

/** Returns the server that was promoted, and what was measured. Throws when a page is not what it should be. */
export async function promoteStandby(
  context: Cleanup,
  { primary, line, scene }: Replicated,
  seed: number,
): Promise<{ standby: PostgresServer; measured: Measured }> {
  const draw = makeDraw(seed, 'promotion');
  const standby = await followedBy(context, primary);
  const ownDelay = measureLoop();
  const reading = keepAsking(scene);
  let backMs: number;
  try {
    await until('pages are shown', () => reading.answers.some(({ status }) => status === 200));
    const writing = changeUntilItFails(scene);
    await delay(draw.integer(0, MAX_LIFE_MS));
    await killAll(primary);
    await writing;
    // The address may lead to the standby before that is promoted: it answers those who read.
    const steps = [() => line.leadTo(standby.url), () => query(standby.url, 'SELECT pg_promote()')];
    for (const step of draw.shuffle(steps)) await step();
    backMs = await untilBack(scene);
    scene.changeAt(standby.url);
    await scene.change();
    if ((await scene.ask()).status !== 200) throw new Error('After a promotion, a page was refused.');
  } finally {
    await reading.end();
  }
  return { standby, measured: { answers: reading.answers, backMs, ownDelayMs: ownDelay() } };
}

function keepAsking(scene: Scene): { readonly answers: readonly Answer[]; end(): Promise<void> } {
  const answers: Answer[] = [];
  let isOver = false;
  const reading = Promise.all(
    Array.from({ length: READERS }, async () => {
      while (!isOver) {
        answers.push(await scene.ask());
        await delay(5);
      }
    }),
  );
  reading.catch(() => undefined);
  return {
    answers,
    async end() {
      isOver = true;
      await reading;
    },
  };
}

async function changeUntilItFails(scene: Scene): Promise<void> {
  try {
    for (;;) await scene.change();
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
    const [row] = await query(primary.url, 'SELECT sync_state FROM pg_stat_replication');
    return row?.sync_state === 'sync';
  });
  return standby;
}

async function query(url: string, statement: string) {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
