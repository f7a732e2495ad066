/** Kills a server, or one of its workers, while plans are imported and pages are read. */

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { startServer } from '../../test/support/cli.ts';
import type { Cleanup, DatabaseKind } from '../../test/support/database.ts';
import { filledDatabase } from '../../test/support/filled-database.ts';
import { childrenOf } from '../../test/support/processes.ts';
import { makeDraw } from '../draw.ts';
import { checkWhole } from './database.ts';
import { startReader } from './reader.ts';
import { NEXT, SMALL, stateOf } from './states.ts';

const MAX_LIFE_MS = 400;

/** Throws when a promise is broken. */
export async function killServer(context: Cleanup, seed: number, kind: DatabaseKind): Promise<string[]> {
  const draw = makeDraw(seed, 'kill');
  const { databaseUrl, token } = await filledDatabase(context, stateOf(SMALL), kind);
  const store = await openStore(databaseUrl, { missing: 'fail' });
  context.after(() => store.close());
  const workers = draw.pick([1, 2]);
  const args = ['--workers', String(workers)];
  const server = await startServer(context, args, { databaseUrl });
  const reader = startReader(context, server.url, token, seed, { mayFail: true });
  const importing = importInTurn(store);
  await delay(draw.integer(0, MAX_LIFE_MS));
  const [worker] = workers > 1 && draw.chance(0.5) ? draw.shuffle(childrenOf(server.child.pid)) : [];
  if (worker !== undefined) process.kill(worker, 'SIGKILL');
  else {
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
  }
  await delay(draw.integer(0, 50));
  const last = await importing.end();
  const pages = await reader.end();
  const again = worker === undefined ? await startServer(context, args, { databaseUrl }) : server;
  const check = startReader(context, again.url, token, seed, { mayFail: worker !== undefined });
  const seen = await check.look();
  await check.end();
  if (seen !== last) throw new Error(`After a kill, state ${seen} is listed, and ${last} was imported last.`);
  await checkWhole(databaseUrl);
  for (const { child } of new Set([server, again])) child.kill('SIGTERM');
  return [
    `${worker === undefined ? 'servers' : 'workers'} on ${kind} killed`,
    ...Array<string>(pages).fill('pages read, each of one state'),
  ];
}

/** Imports one state after the other, until it is ended. */
function importInTurn(store: Store): { end(): Promise<number> } {
  let last = SMALL;
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      const number = last === SMALL ? NEXT : SMALL;
      await importDocument(store, stateOf(number), { replace: true, dryRun: false });
      last = number;
      // SQLite writes without ever waiting, and would leave no turn to anybody else.
      await delay(5);
    }
  })();
  work.catch(() => undefined);
  return {
    async end() {
      isOver = true;
      await work;
      return last;
    },
  };
}
