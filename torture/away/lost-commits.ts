/** A PostgreSQL server is killed whose standby lacks the last commits, and the standby takes its place. */

import type { Cleanup } from '../../test/support/database.ts';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { isAlive } from '../../test/support/processes.ts';
import { until } from '../../test/support/until.ts';
import type { Draw } from '../draw.ts';
import { killAll } from './outages.ts';
import { type Promoted, query, type Replicated } from './promotion.ts';
import type { Answer, Scene } from './scene.ts';
import { measureLoop, untilBack } from './try-outage.ts';

/** Those who read go on as if one more had been committed, so one would not be missed. */
const LOST_CHANGES = 2;
/** The first comes from the database, and the next from memory. */
const ASKED_AFTERWARDS = 3;

/**
 * Returns the server that was promoted, and what was measured. Throws when a page shows something that was lost, alone or
 * beside what is there. `isChanged`: the plan is changed as soon as the standby is promoted.
 */
export async function promoteLaggingStandby(
  context: Cleanup,
  { primary, line, scene }: Replicated,
  draw: Draw,
  isChanged: boolean,
): Promise<Promoted> {
  const standby = await primary.startStandby();
  context.after(() => standby.remove());
  const ownDelay = measureLoop();
  await whileItLags(primary, async () => {
    for (let i = 0; i < LOST_CHANGES; i++) {
      await scene.change();
      await shown(scene);
    }
    await killAll(primary);
  });
  scene.lose(LOST_CHANGES, standby.url);
  const steps = [() => line.leadTo(standby.url), () => query(standby.url, 'SELECT pg_promote()')];
  for (const step of draw.shuffle(steps)) await step();
  if (isChanged) await scene.touch();
  const backMs = await untilBack(scene);
  const answers: Answer[] = [];
  for (let i = 0; i < ASKED_AFTERWARDS; i++) answers.push(await shown(scene));
  await scene.change();
  answers.push(await shown(scene));
  return { standby, measured: { answers, backMs, ownDelayMs: ownDelay() } };
}

/** Nothing is sent to the standby meanwhile, and nobody who commits waits for it. */
async function whileItLags(primary: PostgresServer, work: () => Promise<void>): Promise<void> {
  let sender: number | undefined;
  await until('the standby has everything', async () => {
    const [row] = await query(
      primary.url,
      "SELECT pid FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn = pg_current_wal_lsn()",
    );
    sender = row?.pid;
    return sender !== undefined;
  });
  const pid = sender as unknown as number;
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    // Otherwise its server would never end.
    if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  }
}

async function shown(scene: Scene): Promise<Answer> {
  const answer = await scene.ask();
  if (answer.status !== 200) throw new Error('While the database was there, a page was refused.');
  return answer;
}
