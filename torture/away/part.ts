import { type Cleanup, newStoreUrl, postgresClient } from '../../test/support/database.ts';
import { startLine } from '../../test/support/line.ts';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { descriptorsOf, megabytesOf } from '../../test/support/processes.ts';
import { makeDraw } from '../draw.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { makeTally, type Tally, withCleanup } from '../trial.ts';
import { tryFullDisk } from './full-disk.ts';
import { promoteLaggingStandby } from './lost-commits.ts';
import {
  lineOutages,
  lockedFile,
  lockedTable,
  missingFile,
  type Outage,
  replacedFile,
  serverOutages,
} from './outages.ts';
import { type Promoted, promoteStandby, query, type Replicated } from './promotion.ts';
import { openScene, type Scene } from './scene.ts';
import { BACK_FROM_OLDER_WITHIN_MS, judgeWaits, tryOutage, type Waits } from './try-outage.ts';

/** As docs/scaling.md states, with some for the observers. */
const MAX_BACKENDS = 4 + 8 + 4;
const OUTAGES_PER_PROMOTION = 5;
const MAX_MORE_DESCRIPTORS = 10;
const MAX_MORE_MEGABYTES = 60;

export const away: Part = {
  name: 'away',
  promises: [
    'While the database is away, requests are answered 503 with `Retry-After` within two seconds, and all is well again by itself within two more.',
    'No answer is older than what was committed before its request, or than what was shown before it, before, during and after.',
    'A standby that takes the place of its primary, behind the same address, is read within two seconds. If it lacks commits, it is read once something is changed there, or within ten seconds more, and nothing of what was lost is shown.',
    'Outages leave nothing behind: no connections, no descriptors, no memory.',
    'An import for which the disk has no room says so, and changes nothing.',
  ],
  trial:
    'A real server reads PostgreSQL through a proxy on loopback, and SQLite from a file. Again and again the server of the ' +
    'database is stopped or killed, the line to it is cut, silent, slow or half-closed, a table is locked, the file is locked, ' +
    'moved away or replaced, and imports get too little room. Five requests at a time are asked meanwhile; the plan is changed ' +
    'behind the proxy, so that an old page would be noticed. For every five outages of each kind, a standby is promoted: its ' +
    'primary, whose commits wait for it, is killed while it is written and read, and the proxy leads to the standby, shortly ' +
    'before or after it is promoted. The same is done with a standby that lacks two commits whose pages were shown. A limit is put off by the longest time for which the torture itself did not get its turn ' +
    'meanwhile, because its clock says nothing of the service then; the longest such time is among the figures.',
  unit: 'outages of each kind',
  amounts: { quick: 1, whole: 20 },
  run: (order) => withCleanup((context) => run(context, order)),
};

async function run(context: Cleanup, order: Order): Promise<Outcome> {
  const tally = makeTally();
  const waits: Waits = new Map();
  const growth = { ...(await onPostgres(context, order, waits, tally)) };
  Object.assign(growth, await onSqlite(context, order, waits, tally));
  const shown = [...waits].map(([name, { answeredMs, backMs }]) => [
    name,
    `answered within ${Math.round(answeredMs)} ms, back within ${Math.round(backMs)} ms`,
  ]);
  const ownDelayMs = Math.max(...[...waits.values()].map((wait) => wait.ownDelayMs));
  return {
    figures: {
      ...tally.figures,
      ...Object.fromEntries(shown),
      'limits put off for a turn of the torture itself, at most': `${Math.round(ownDelayMs)} ms`,
      ...growth,
    },
    failures: tally.failures,
  };
}

async function onPostgres(context: Cleanup, order: Order, waits: Waits, tally: Tally) {
  const server = await startPostgres();
  context.after(() => server.remove());
  // Servers of tests may lose what was committed just before they are killed.
  await query(server.url, 'ALTER ROLE shiftfeed SET synchronous_commit = on');
  const line = await startLine(context, server.url);
  const scene = await openScene(context, server.url, line.url);
  const outages = [...lineOutages(line), lockedTable(server.url), ...serverOutages(server)];
  const growth = await tryOutages(scene, outages, order, waits, tally);
  const client = await postgresClient(context, server.url);
  const { rows } = await client.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'",
  );
  if (rows[0].count > MAX_BACKENDS) tally.fail(order.seed, `${rows[0].count} connections are left behind.`);
  await promote(context, order, { primary: server, line, scene }, waits, tally);
  return { 'PostgreSQL: connections afterwards': rows[0].count - 1, 'PostgreSQL: growth': growth };
}

/** Each server that was promoted gets a standby of its own, which is promoted next. A failure leaves no server to go on with. */
async function promote(
  context: Cleanup,
  { seed, amount, signal, report }: Order,
  first: Replicated,
  waits: Waits,
  tally: Tally,
): Promise<void> {
  let primary: PostgresServer | undefined = first.primary;
  const promotions = Math.ceil(amount / OUTAGES_PER_PROMOTION);
  for (let i = 0; i < promotions && !signal.aborted && primary !== undefined; i++) {
    const replicated = { ...first, primary };
    primary = undefined;
    await tally.tryOne(seed + i, async () => {
      const { standby, measured } = await promoteStandby(context, replicated, seed + i);
      judgeWaits('killed under load, and a standby promoted', measured, waits, tally);
      const next = await promoteLagging(context, { ...first, primary: standby }, seed + i, waits, tally);
      primary = next.standby;
      return ['standbys promoted', 'standbys promoted that lacked commits'];
    });
    report(`${i + 1} promotions of each kind`);
  }
}

async function promoteLagging(
  context: Cleanup,
  replicated: Replicated,
  seed: number,
  waits: Waits,
  tally: Tally,
): Promise<Promoted> {
  const draw = makeDraw(seed, 'lost commits');
  const isChanged = draw.chance(0.5);
  const promoted = await promoteLaggingStandby(context, replicated, draw, isChanged);
  const name = `killed, and a standby promoted that lacks commits${isChanged ? ', and changed' : ''}`;
  const limitMs = isChanged ? undefined : BACK_FROM_OLDER_WITHIN_MS;
  judgeWaits(name, promoted.measured, waits, tally, limitMs);
  return promoted;
}

async function onSqlite(context: Cleanup, order: Order, waits: Waits, tally: Tally) {
  const url = await newStoreUrl(context);
  const path = url.slice('sqlite:'.length);
  const scene = await openScene(context, url);
  const outages = [lockedFile(path), missingFile(path), replacedFile(path)];
  const growth = await tryOutages(scene, outages, order, waits, tally);
  for (let i = 0; i < order.amount && !order.signal.aborted; i++) {
    await tally.tryOne(order.seed + i, () =>
      withCleanup((inner) => tryFullDisk(inner, scene, path, makeDraw(order.seed + i, 'room'))),
    );
  }
  return { 'SQLite: growth': growth };
}

/** Says how much the server has grown since its first outages. */
async function tryOutages(
  scene: Scene,
  outages: readonly Outage[],
  { seed, amount, signal, report }: Order,
  waits: Waits,
  tally: Tally,
): Promise<string> {
  const { pid } = scene.server.child;
  let first: Size | undefined;
  for (let i = 0; i < amount && !signal.aborted; i++) {
    for (const outage of makeDraw(seed + i, 'outages').shuffle(outages)) {
      await tally.tryOne(seed + i, () => tryOutage(scene, outage, waits, tally));
    }
    first ??= sizeOf(pid);
    report(`${i + 1} of each kind`);
  }
  const last = sizeOf(pid);
  const more = {
    descriptors: last.descriptors - (first ?? last).descriptors,
    megabytes: last.megabytes - (first ?? last).megabytes,
  };
  if (more.descriptors > MAX_MORE_DESCRIPTORS || more.megabytes > MAX_MORE_MEGABYTES) {
    tally.fail(seed, `The server has grown by ${JSON.stringify(more)}.`);
  }
  return `${more.descriptors} descriptors, ${more.megabytes} MB`;
}

interface Size {
  readonly descriptors: number;
  readonly megabytes: number;
}

function sizeOf(pid: number | undefined): Size {
  return { descriptors: descriptorsOf(pid), megabytes: megabytesOf(pid, 'VmRSS') };
}
