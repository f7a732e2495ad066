/** One failover under load: the primary goes, another takes its place, and the first one comes back as a standby. */

import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { measureLoop } from '../away/try-outage.ts';
import type { Draw } from '../draw.ts';
import type { Cluster, Replication } from './cluster.ts';
import { agreedMs, judge, longestPause, lostChanges, refusedMs } from './judge.ts';
import type { Node } from './node.ts';
import { type Answer, askUntil, type Reader } from './readers.ts';
import { type Change, ENTRIES_SINCE, type Writer } from './writer.ts';

export const KINDS = ['killed', 'hung', 'asked for'] as const;
export type Kind = (typeof KINDS)[number];

/** Begins a failover, and returns what lets the old primary come back. */
const BEGINNINGS: Readonly<Record<Kind, (cluster: Cluster, primary: Node) => Promise<() => Promise<void>>>> =
  {
    killed: async (_cluster, primary) => {
      await primary.kill();
      return () => primary.start();
    },
    hung: async (_cluster, primary) => {
      primary.suspend();
      return async () => primary.resume();
    },
    'asked for': async (cluster, primary) => {
      await cluster.switchOver(primary);
      return async () => undefined;
    },
  };

const MAX_LIFE_MS = 2_000;
const MAX_LAG_MS = 1_500;
const MAX_ABSENCE_MS = 3_000;
/** A service reads the new primary within two seconds. A standby follows it after a round of Patroni, and some. */
const AGREED_WITHIN_MS = 10_000;
/** As docs/scaling.md states: a connection that falls silent while months are read is waited for. */
const SILENCE_MS = 30_000;
const LIMITS_MS: Readonly<Record<Kind, number>> = {
  killed: AGREED_WITHIN_MS,
  hung: AGREED_WITHIN_MS + SILENCE_MS,
  'asked for': AGREED_WITHIN_MS,
};

export interface Scene {
  readonly cluster: Cluster;
  readonly writer: Writer;
  readonly readers: readonly Reader[];
}

export type Failover = Awaited<ReturnType<typeof tryFailover>>;

/** Throws when the cluster or a server does not come back, so that nothing can be tried after it. */
export async function tryFailover(scene: Scene, kind: Kind, replication: Replication, draw: Draw) {
  const { cluster, writer } = scene;
  const before = writer.changes.length;
  const ownDelay = measureLoop();
  const traffic = startTraffic(scene);
  let beganMs: number;
  try {
    beganMs = await movePrimary(cluster, traffic, kind, replication, draw);
  } finally {
    await traffic.stop();
  }
  const changes = writer.changes.slice(before);
  const truth = { replication, changes, kept: await keptChanges(cluster, changes[0]?.number ?? 0) };
  const pause = longestPause(changes, beganMs);
  if (pause === undefined) throw new Error('No change was done after a failover.');
  const agreed = agreedMs(traffic.seen, pause.end);
  const ownDelayMs = ownDelay();
  const late = agreed > LIMITS_MS[kind] + ownDelayMs;
  const answers = traffic.seen.flatMap((one) => one.answers);
  return {
    problems: [
      ...traffic.problems,
      ...judge(traffic.seen, truth),
      ...(late ? [`The servers showed the first change after it ${Math.round(agreed)} ms late.`] : []),
      ...(await disagreements(scene, Math.max(...truth.kept))),
    ],
    /** By the name of the reader, for how long it was told to come again. */
    refusedMs: Object.fromEntries(traffic.seen.map((one) => [one.name, refusedMs(one.answers)])),
    unwritableMs: pause.ms,
    agreedMs: agreed,
    slowestMs: Math.max(...answers.map(({ startMs, endMs }) => endMs - startMs)),
    ownDelayMs,
    changes: changes.filter(({ doneMs }) => doneMs !== undefined).length,
    lost: lostChanges(truth).length,
    pages: answers.filter(({ number }) => number !== undefined).length,
    stalePages: answers.filter(({ isStale }) => isStale).length,
    refusals: answers.filter(({ number }) => number === undefined).length,
  };
}

/** Tells when it began. */
async function movePrimary(
  cluster: Cluster,
  traffic: Traffic,
  kind: Kind,
  replication: Replication,
  draw: Draw,
): Promise<number> {
  const old = await cluster.healthy();
  await traffic.agreement();
  await delay(draw.integer(0, MAX_LIFE_MS));
  if (replication === 'asynchronous' && kind !== 'asked for') {
    await letLag(cluster, old);
    await delay(draw.integer(0, MAX_LAG_MS));
  }
  const beganMs = performance.now();
  const letBack = await BEGINNINGS[kind](cluster, old);
  await until('another node is the primary', async () => {
    const leader = await cluster.leader();
    return leader !== undefined && leader !== old;
  });
  await traffic.agreement();
  await delay(draw.integer(0, MAX_ABSENCE_MS));
  await letBack();
  await cluster.healthy();
  await traffic.agreement();
  return beganMs;
}

/** From now on, the standbys get nothing, as over a slow line: what is done is lost when the primary goes. */
async function letLag(cluster: Cluster, primary: Node): Promise<void> {
  for (const { pid } of await cluster.query(primary, 'SELECT pid FROM pg_stat_replication'))
    process.kill(Number(pid), 'SIGSTOP');
}

type Traffic = ReturnType<typeof startTraffic>;

function startTraffic({ writer, readers }: Scene) {
  const over = new AbortController();
  const problems = new Set<string>();
  const seen = readers.map(({ name, isStrict }) => ({ name, isStrict, answers: [] as Answer[] }));
  const asking = readers.map((reader, i) => askUntil(over.signal, reader, seen[i]?.answers ?? [], problems));
  const work = Promise.all([writer.changeUntil(over.signal), ...asking]);
  return {
    seen,
    problems,
    /** Waits until a change from now on is done, and all servers show it or a later one. */
    async agreement(): Promise<void> {
      const sinceMs = performance.now();
      let change: Change | undefined;
      await until('a change is done', () => {
        change = writer.changes.findLast(({ doneMs }) => doneMs !== undefined && doneMs > sinceMs);
        return change !== undefined;
      });
      const number = change?.number ?? 0;
      for (const { name, answers } of seen)
        await until(`${name} shows change ${number}`, () =>
          answers.some((answer) => (answer.number ?? 0) >= number),
        );
    },
    async stop(): Promise<void> {
      over.abort();
      await work;
    },
  };
}

async function keptChanges(cluster: Cluster, first: number): Promise<ReadonlySet<number>> {
  const rows = await cluster.query(await cluster.healthy(), ENTRIES_SINCE(first));
  return new Set(rows.map(({ number }) => Number(number)));
}

/** Once nobody writes, everybody shows the last change. A standby may need a moment for that. */
async function disagreements({ readers }: Scene, number: number): Promise<string[]> {
  const problems: string[] = [];
  for (const reader of readers) {
    let shown: number | undefined;
    const endMs = performance.now() + AGREED_WITHIN_MS;
    while (shown !== number && performance.now() < endMs) {
      shown = (await reader.ask()).number;
      if (shown !== number) await delay(100);
    }
    if (shown !== number)
      problems.push(`${reader.name}: shows ${shown ?? 'nothing'} at last, not change ${number}.`);
  }
  return problems;
}
