/** Kills the desk, or its reader, while a file is read, imported, or taken back. */

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { issueKey } from '../../src/feed/access/token.ts';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Visitor, visitorWith } from '../../test/desk/desk.ts';
import { type Server, start, whenReady } from '../../test/support/cli.ts';
import { type Cleanup, type DatabaseKind, newFolder, newStoreUrl } from '../../test/support/database.ts';
import { childrenOf, isAlive } from '../../test/support/processes.ts';
import { until } from '../../test/support/until.ts';
import { makeDraw } from '../draw.ts';
import { checkWhole } from './database.ts';
import { LARGE, NEXT, SMALL, stateIn, stateOf } from './states.ts';

const STEPS = ['read', 'import', 'undo'] as const;
type Step = (typeof STEPS)[number];

/** In the history. */
const WHO = 'Noor';

/** Throws when a promise is broken. Says what was killed. A smaller state is imported sooner. */
export async function killDesk(
  context: Cleanup,
  seed: number,
  kind: DatabaseKind,
  imported = LARGE,
): Promise<string[]> {
  const draw = makeDraw(seed, 'kill');
  const step = draw.pick(STEPS);
  const victim = draw.pick(['desk', 'reader'] as const);
  const world = await openWorld(context, kind, imported);
  const desk = await world.start();
  const id = await desk.visitor.upload('large.json', JSON.stringify(stateOf(imported)));
  const startedMs = performance.now();
  const { digest } = step === 'read' ? {} : await previewOf(desk.visitor, id);
  if (step === 'undo') await importIt(desk.visitor, id, digest);
  // As long as it took before on this machine, and somewhat longer.
  const waitMs =
    step === 'read' ? draw.integer(0, 1_500) : ((performance.now() - startedMs) * draw.integer(0, 120)) / 100;
  const before = step === 'undo' ? imported : SMALL;
  const told = tell(desk.visitor, step, id, digest, await world.lastEntry());
  await delay(waitMs);
  const readers = childrenOf(desk.child.pid);
  const isKilled = await kill(victim === 'desk' ? [desk.child.pid] : readers);
  if (victim === 'desk') await once(desk.child, 'exit').catch(() => undefined);
  await until('its readers have ended', () => !readers.some(isAlive));
  const answer = await told;
  const next = victim === 'desk' ? await world.start() : desk;
  await world.judge(step, before, answer);
  const folders = readdirSync(world.folder);
  if (folders.length !== 1) throw new Error(`There are folders of desks that are gone: ${folders.join()}`);
  await checkWhole(world.databaseUrl);
  await importNext(next.visitor);
  if ((await world.state()) !== NEXT) throw new Error('The next import at the desk is not there.');
  next.child.kill('SIGTERM');
  return [
    isKilled
      ? `${victim}s on ${kind} killed after ${step}`
      : 'readers of a desk that ended before they were killed',
  ];
}

interface RunningDesk extends Server {
  readonly visitor: Visitor;
}

/** One account with a small plan, and desks for it. */
async function openWorld(context: Cleanup, kind: DatabaseKind, imported: number) {
  const databaseUrl = await newStoreUrl(context, kind);
  const folder = await newFolder(context);
  const store = await openStore(databaseUrl, { missing: 'create' });
  context.after(() => store.close());
  await importDocument(store, stateOf(SMALL), { replace: false, dryRun: false });
  const accountId = (await store.findAccount('acme'))?.id ?? 0;
  const facts = { accountId, label: WHO, role: 'owner', expiresAtMs: null } as const;
  const key = await issueKey(store, facts, Date.now());
  const state = () => stateNow(store, accountId);
  return {
    databaseUrl,
    folder,
    state,
    lastEntry: async () => (await store.history(accountId))[0]?.id,
    async start(): Promise<RunningDesk> {
      const child = start(['desk', '--port', '0'], { databaseUrl, env: { TMPDIR: folder } });
      const server = await whenReady(context, child);
      return { ...server, visitor: visitorWith(server.url, `shiftfeed_desk=${key}`) };
    },
    /** Holds the account against its history, and against what the desk said, if it could. */
    async judge(step: Step, before: number, answer: string | undefined): Promise<void> {
      const after = await state();
      const done = { read: SMALL, import: imported, undo: SMALL }[step];
      if (after !== before && after !== done)
        throw new Error(`A ${step} that was killed left state ${after}, and ${before} was there before.`);
      const actions = (await store.history(accountId))
        .filter(({ who }) => who === WHO)
        .map(({ action }) => action);
      const wanted = { [SMALL]: step === 'undo' ? 'undo,import' : '', [imported]: 'import' }[after];
      if (actions.join() !== wanted)
        throw new Error(
          `State ${after} is there after a ${step}, and the history has ${actions.join() || 'nothing'}.`,
        );
      const isDone = after === done && step !== 'read';
      if (answer !== undefined && step !== 'read' && (answer === 'done') !== isDone)
        throw new Error(`State ${after} is there after a ${step}, and the desk said: ${answer}`);
    },
  };
}

async function stateNow(store: Store, accountId: number): Promise<number> {
  const { shifts } = await store.shiftsBetween(accountId, '2027-01-01', '2027-12-31', 100_000);
  return stateIn({ shifts, meta: { total: shifts.length } } as never);
}

/** Has the step done. Resolves with "done", or why not; undefined if the desk could not say. */
async function tell(
  visitor: Visitor,
  step: Step,
  id: string,
  digest: string | undefined,
  entry: number | undefined,
): Promise<string | undefined> {
  try {
    const job = step === 'undo' ? (await visitor.post('undo', { entry })).id : id;
    if (step === 'import') await visitor.post(`imports/${id}/import`, { digest: digest ?? '' });
    const { kind, message } = await visitor.resultOf(job);
    return kind === 'imported' || kind === 'undone' ? 'done' : String(message ?? kind);
  } catch {
    return undefined;
  }
}

async function previewOf(visitor: Visitor, id: string): Promise<{ digest: string }> {
  await visitor.resultOf(id);
  const answers = [
    ['replace-days', 'true'],
    ['allow-removals', 'true'],
  ];
  await visitor.post(`imports/${id}/read`, { answers });
  const { kind, digest } = await visitor.resultOf(id);
  if (kind !== 'preview') throw new Error(`There is no preview: ${kind}`);
  return { digest: String(digest) };
}

async function importIt(visitor: Visitor, id: string, digest = ''): Promise<void> {
  await visitor.post(`imports/${id}/import`, { digest });
  const { kind, message } = await visitor.resultOf(id);
  if (kind !== 'imported') throw new Error(`It was not imported: ${message ?? kind}`);
}

async function importNext(visitor: Visitor): Promise<void> {
  const id = await visitor.upload('next.json', JSON.stringify(stateOf(NEXT)));
  await importIt(visitor, id, (await previewOf(visitor, id)).digest);
}

async function kill(pids: readonly (number | undefined)[]): Promise<boolean> {
  let isKilled = false;
  for (const pid of pids) {
    if (pid === undefined || !isAlive(pid)) continue;
    process.kill(pid, 'SIGKILL');
    isKilled = true;
  }
  return isKilled;
}
