import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { environment, LAUNCHER } from '../../test/support/cli.ts';
import { type Cleanup, newFolder, newStoreUrl } from '../../test/support/database.ts';
import { acme, shift } from '../../test/support/document.ts';
import { startLine } from '../../test/support/line.ts';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { descriptorsOf, megabytesOf } from '../../test/support/processes.ts';
import { checkFile } from '../crash/database.ts';
import { type Draw, makeDraw } from '../draw.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { makeTally, type Tally, withCleanup } from '../trial.ts';
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
import { promoteStandby, query, type Replicated } from './promotion.ts';
import { openScene, type Scene } from './scene.ts';
import { BACK_FROM_OLDER_WITHIN_MS, makeWaits, tryOutage, type Waits } from './try-outage.ts';

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

/** What the trial of both databases has in common. */
interface Trial extends Order {
  readonly tally: Tally;
  readonly waits: Waits;
}

async function run(context: Cleanup, order: Order): Promise<Outcome> {
  const tally = makeTally();
  const waits = makeWaits(tally);
  const trial = { ...order, tally, waits };
  const growth = { ...(await onPostgres(context, trial)), ...(await onSqlite(context, trial)) };
  return { figures: { ...tally.figures, ...waits.figures(), ...growth }, failures: tally.failures };
}

async function onPostgres(context: Cleanup, trial: Trial) {
  const server = await startPostgres();
  context.after(() => server.remove());
  // Servers of tests may lose what was committed just before they are killed.
  await query(server.url, 'ALTER ROLE shiftfeed SET synchronous_commit = on');
  const line = await startLine(context, server.url);
  const scene = await openScene(context, server.url, line.url);
  const outages = [...lineOutages(line), lockedTable(server.url), ...serverOutages(server)];
  const growth = await tryOutages(scene, outages, trial);
  const [{ count }] = await query(
    server.url,
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'",
  );
  if (count > MAX_BACKENDS) trial.tally.fail(trial.seed, `${count} connections are left behind.`);
  await promote(context, trial, { primary: server, line, scene });
  return { 'PostgreSQL: connections afterwards': count - 1, 'PostgreSQL: growth': growth };
}

/** Each server that was promoted gets a standby of its own, which is promoted next. A failure leaves no server to go on with. */
async function promote(context: Cleanup, trial: Trial, first: Replicated): Promise<void> {
  const { seed, amount, signal, report, tally, waits } = trial;
  let primary: PostgresServer | undefined = first.primary;
  const promotions = Math.ceil(amount / OUTAGES_PER_PROMOTION);
  for (let i = 0; i < promotions && !signal.aborted && primary !== undefined; i++) {
    const replicated = { ...first, primary };
    primary = undefined;
    await tally.tryOne(seed + i, async () => {
      const { standby, measured } = await promoteStandby(context, replicated, seed + i);
      waits.judge('killed under load, and a standby promoted', measured);
      primary = await promoteLagging(context, { ...first, primary: standby }, seed + i, waits);
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
): Promise<PostgresServer> {
  const draw = makeDraw(seed, 'lost commits');
  const isChanged = draw.chance(0.5);
  const { standby, measured } = await promoteLaggingStandby(context, replicated, draw, isChanged);
  const name = `killed, and a standby promoted that lacks commits${isChanged ? ', and changed' : ''}`;
  waits.judge(name, measured, isChanged ? undefined : BACK_FROM_OLDER_WITHIN_MS);
  return standby;
}

async function onSqlite(context: Cleanup, trial: Trial) {
  const url = await newStoreUrl(context);
  const path = url.slice('sqlite:'.length);
  const scene = await openScene(context, url);
  const growth = await tryOutages(scene, [lockedFile(path), missingFile(path), replacedFile(path)], trial);
  await trial.tally.tryMany(trial, trial.amount, 1, (seed) =>
    withCleanup((inner) => tryFullDisk(inner, scene, path, makeDraw(seed, 'room'))),
  );
  return { 'SQLite: growth': growth };
}

/** Says how much the server has grown since its first outages. */
async function tryOutages(
  scene: Scene,
  outages: readonly Outage[],
  { seed, amount, signal, report, tally, waits }: Trial,
): Promise<string> {
  const { pid } = scene.server.child;
  const size = () => ({ descriptors: descriptorsOf(pid), megabytes: megabytesOf(pid, 'VmRSS') });
  let first: ReturnType<typeof size> | undefined;
  for (let i = 0; i < amount && !signal.aborted; i++) {
    for (const outage of makeDraw(seed + i, 'outages').shuffle(outages)) {
      await tally.tryOne(seed + i, () => tryOutage(scene, outage, waits));
    }
    first ??= size();
    report(`${i + 1} of each kind`);
  }
  const last = size();
  const more = {
    descriptors: last.descriptors - (first ?? last).descriptors,
    megabytes: last.megabytes - (first ?? last).megabytes,
  };
  if (more.descriptors > MAX_MORE_DESCRIPTORS || more.megabytes > MAX_MORE_MEGABYTES) {
    tally.fail(seed, `The server has grown by ${JSON.stringify(more)}.`);
  }
  return `${more.descriptors} descriptors, ${more.megabytes} MB`;
}

const SHIFTS = 20_000;
/** The largest file that it may write; the import needs more. */
const MAX_ROOM_KIB = 1_500;

/** An import for which there is no room says so, and nothing changes. */
async function tryFullDisk(context: Cleanup, scene: Scene, path: string, draw: Draw): Promise<string[]> {
  const file = join(await newFolder(context), 'large.json');
  const shifts = Array.from({ length: SHIFTS }, (_, i) =>
    shift('2027-04-01', { id: 1_000 + i, remarks: 'lost' }),
  );
  await writeFile(file, JSON.stringify(acme(shifts)));
  // Who ignores the signal is told by the write that it failed, as on a full disk.
  const limited = `trap '' XFSZ; ulimit -f ${draw.integer(100, MAX_ROOM_KIB)}; exec "$0" "$@"`;
  const args = [process.execPath, LAUNCHER, 'import', file, '--database', `sqlite:${path}`];
  const child = spawn('bash', ['-c', limited, ...args], {
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  context.after(() => void child.kill('SIGKILL'));
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code !== 1 || !/disk|full|written|room/i.test(said)) {
    throw new Error(`An import without room ended with ${code}: ${said}`);
  }
  checkFile(path);
  if ((await scene.ask()).status !== 200) throw new Error('After an import without room, pages are refused.');
  return ['imports without room'];
}
