import { openStore } from '../../src/store/open.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { addToken } from '../../test/support/filled-database.ts';
import { until } from '../../test/support/until.ts';
import { makeDraw } from '../draw.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { makeTally, type Tally, withCleanup } from '../trial.ts';
import { type Cluster, type Replication, startCluster } from './cluster.ts';
import { type Failover, KINDS, type Kind, type Scene, tryFailover } from './failover.ts';
import { missingPrograms } from './installed.ts';
import { type Reader, startReader } from './readers.ts';
import { startWriter } from './writer.ts';

const REPLICATIONS: readonly Replication[] = ['synchronous', 'asynchronous'];

export const patroni: Part = {
  name: 'patroni',
  promises: [
    'When the primary of a cluster moves, servers that were given all its hosts find the new one by themselves. Until then they answer 503 and nothing worse.',
    'No server shows the past after the present. One that reads the primary shows everything that was done before a request. Equal entity tags mean equal pages, also after changes were lost.',
    'With synchronous replication, nothing that an import said is done is ever lost. Without it, what the new primary lacks is gone for everybody.',
    'Ten seconds after the first change on the new primary, all servers show it, also those that read standbys. Where the old one hangs and keeps its connections, requests for months that changed may have to wait for half a minute first.',
  ],
  trial:
    'Patroni of Debian keeps three PostgreSQL servers on this machine, with an etcd. The primary is killed, or suspended and ' +
    'later woken, together with its Patroni, or Patroni is asked for another one; with and without synchronous replication. The ' +
    'old primary comes back as a standby each time. Meanwhile changes are imported by the command line, one after the other, ' +
    'and three servers are read by three clients each: one on a list of all hosts, one that prefers standbys, and one with ' +
    '`--stale-if-error`. Each change has a number, which every page and a journal in the database tell; pages with the same ' +
    'entity tag must have the same. Without synchronous replication, standbys get nothing for a moment before the primary is ' +
    'killed or suspended, so that it takes changes with it. Times are the median and the most of all failovers of a kind: how ' +
    'long no change was done, for how long each server answered 503, how long after the first change on the new primary all ' +
    'servers showed it, and how long the slowest answer took. Patroni waits 10 seconds for a primary that is silent, which is most of it.',
  unit: 'failovers of each kind',
  amounts: { quick: 1, whole: 10 },
  missing: missingPrograms,
  run: (order) => withCleanup((context) => run(context, order)),
};

type Tried = Failover & { readonly kind: Kind; readonly replication: Replication };

async function run(context: Cleanup, order: Order): Promise<Outcome> {
  const tally = makeTally();
  const tried: Tried[] = [];
  const scene = await openScene(context, await startCluster(context));
  try {
    for (const replication of REPLICATIONS) await tryAll(scene, replication, order, tally, tried);
  } catch (error) {
    // Nothing can be tried on a cluster that does not come back.
    tally.fail(order.seed, error instanceof Error ? error.message : String(error));
  }
  judgeWords(scene, order.seed, tally);
  return {
    figures: { ...figuresOf(tried), 'old primaries that came back by pg_rewind': scene.cluster.rewinds() },
    failures: tally.failures,
  };
}

async function tryAll(
  scene: Scene,
  replication: Replication,
  { seed, amount, signal, report }: Order,
  tally: Tally,
  tried: Tried[],
): Promise<void> {
  await scene.cluster.replicate(replication);
  for (let i = 0; i < amount && !signal.aborted; i++) {
    const draw = makeDraw(seed + i, replication);
    for (const kind of draw.shuffle(KINDS)) {
      const failover = await tryFailover(scene, kind, replication, draw);
      tried.push({ ...failover, kind, replication });
      for (const problem of failover.problems) tally.fail(seed + i, `${kind}, ${replication}: ${problem}`);
      report(`${kind}, ${replication}: ${shown([failover])}`);
      if (signal.aborted) return;
    }
  }
}

export async function openScene(context: Cleanup, cluster: Cluster): Promise<Scene> {
  const databaseUrl = cluster.url(cluster.nodes, '?target_session_attrs=read-write');
  const writer = await startWriter(context, databaseUrl);
  // It makes the schema, for which a busy machine may need longer than a change may take.
  await until('the first import is done', async () => (await writer.change()).doneMs !== undefined);
  const store = await openStore(databaseUrl, { missing: 'fail' });
  const { token } = await addToken(store).finally(() => store.close());
  const preferStandby = cluster.url(cluster.nodes, '?target_session_attrs=prefer-standby');
  const common = { databaseUrl, token, tags: new Map<string, number>() };
  const readers: Reader[] = [
    await startReader(context, { ...common, name: 'on the primary', isStrict: true, args: [] }),
    await startReader(context, {
      ...common,
      name: 'on standbys',
      isStrict: false,
      args: ['--read-database', preferStandby],
    }),
    await startReader(context, {
      ...common,
      name: 'with --stale-if-error',
      isStrict: true,
      args: ['--stale-if-error', '120'],
    }),
  ];
  return { cluster, writer, readers };
}

/** What was logged and printed meanwhile has sentences, and never the password. */
function judgeWords({ cluster, writer, readers }: Scene, seed: number, tally: Tally): void {
  const words = [...writer.complaints, ...readers.map(({ server }) => server.complaints())].join('\n');
  if (words.includes(cluster.password)) tally.fail(seed, 'The password was logged or printed.');
  const trace = /^.*\n\s+at .*$/m.exec([...writer.complaints].join('\n'));
  if (trace !== null) tally.fail(seed, `A command ended with a stack trace: ${trace[0]}`);
}

function figuresOf(tried: readonly Tried[]): Outcome['figures'] {
  const sum = (of: (one: Tried) => number) => tried.reduce((total, one) => total + of(one), 0);
  const rows = REPLICATIONS.flatMap((replication) =>
    KINDS.map((kind) => {
      const same = tried.filter((one) => one.kind === kind && one.replication === replication);
      return [`primary ${kind}, ${replication}`, shown(same)] as const;
    }),
  );
  return {
    failovers: tried.length,
    ...Object.fromEntries(rows),
    'changes done': sum((one) => one.changes),
    'changes done and lost, asynchronous': sum((one) => (one.replication === 'asynchronous' ? one.lost : 0)),
    'changes done and lost, synchronous': sum((one) => (one.replication === 'synchronous' ? one.lost : 0)),
    'pages shown': sum((one) => one.pages),
    'pages shown that say how old they are': sum((one) => one.stalePages),
    'answers with 503': sum((one) => one.refusals),
    'longest time without a turn for the torture itself': seconds(
      Math.max(0, ...tried.map((one) => one.ownDelayMs)),
    ),
  };
}

/** The median and the most of what was measured. */
function shown(failovers: readonly Failover[]): string {
  const [first] = failovers;
  if (first === undefined) return 'not tried';
  const both = (of: (one: Failover) => number) => {
    const sorted = failovers.map(of).sort((a, b) => a - b);
    const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
    return sorted.length === 1 ? seconds(median) : `${seconds(median)} / ${seconds(sorted.at(-1) ?? 0)}`;
  };
  const refused = Object.keys(first.refusedMs).map(
    (name) => `${name} ${both((one) => one.refusedMs[name] ?? 0)}`,
  );
  return `no change for ${both((one) => one.unwritableMs)}; 503 ${refused.join(', ')}; agreed after ${both((one) => one.agreedMs)}; slowest answer ${both((one) => one.slowestMs)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
