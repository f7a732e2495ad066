/** Kills an import in a phase that is drawn, while pages are read. */

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { start } from '../../test/support/cli.ts';
import { shiftfeed } from '../../test/support/cli-in-process.ts';
import { type Cleanup, type DatabaseKind, newFolder } from '../../test/support/database.ts';
import { startService } from '../../test/support/service.ts';
import { type Draw, makeDraw } from '../draw.ts';
import { checkWhole } from './database.ts';
import { PHASE_MARK, PHASES, type Phase } from './phase.ts';
import { startReader } from './reader.ts';
import { EMPTY, LARGE, NEXT, SMALL, stateOf } from './states.ts';

const PRELOAD = fileURLToPath(new URL('./phases.ts', import.meta.url));
/** About as long as each phase takes on a slow machine. */
const LENGTHS_MS: Readonly<Record<Phase, number>> = { reading: 400, merging: 200, committing: 12 };
const NOW = '2026-11-15T12:00:00Z';

/** Throws when a promise is broken. Says what became of the import. */
export async function killImport(context: Cleanup, seed: number, kind: DatabaseKind): Promise<string[]> {
  const draw = makeDraw(seed, 'kill');
  const before = draw.pick([EMPTY, SMALL]);
  const service = await startService(context, { now: NOW, database: kind });
  await service.import(stateOf(before));
  const reader = startReader(context, service.url, await service.token('acme'), seed);
  const folder = await newFolder(context);
  const largeFile = join(folder, 'large.json');
  await writeFile(largeFile, JSON.stringify(stateOf(LARGE)));

  const { phase, wasKilled } = await importAndKill(context, draw, largeFile, service.databaseUrl);
  const after = await reader.look();
  const isAllowed = after === before ? wasKilled : after === LARGE && phase === 'committing';
  if (!isAllowed) {
    throw new Error(
      `An import that ended while ${phase} left state ${after}, and ${before} was there before.`,
    );
  }
  await checkWhole(service.databaseUrl);

  const nextFile = join(folder, 'next.json');
  await writeFile(nextFile, JSON.stringify(stateOf(NEXT)));
  const next = await shiftfeed(['import', nextFile, '--replace'], { databaseUrl: service.databaseUrl });
  if (next.code !== 0) throw new Error(`The next import failed: ${next.stderr}`);
  if ((await reader.look()) !== NEXT) throw new Error('The next import is not listed.');
  await checkWhole(service.databaseUrl);
  const pages = await reader.end();
  if (pages === 0) throw new Error('No page was read meanwhile.');
  return [
    wasKilled ? `imports on ${kind} killed while ${phase}` : 'imports that ended before they were killed',
    ...Array<string>(pages).fill('pages read, each of one state'),
  ];
}

async function importAndKill(
  context: Cleanup,
  draw: Draw,
  file: string,
  databaseUrl: string,
): Promise<{ phase: Phase | 'starting'; wasKilled: boolean }> {
  const wanted = draw.pick(PHASES);
  const waitMs = draw.integer(0, LENGTHS_MS[wanted]);
  const env = { NODE_OPTIONS: `--import ${PRELOAD}` };
  const child = start(['import', file, '--replace', '--quiet'], { databaseUrl, env });
  context.after(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  let phase: Phase | 'starting' = 'starting';
  let complaints = '';
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', async (line) => {
    if (!line.startsWith(PHASE_MARK)) {
      complaints += `${line}\n`;
      return;
    }
    phase = line.slice(PHASE_MARK.length) as Phase;
    if (phase !== wanted) return;
    if (waitMs > 0) await delay(waitMs);
    child.kill('SIGKILL');
  });
  const [code, signal] = await exit;
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`The import failed by itself: ${complaints}`);
  return { phase, wasKilled: signal === 'SIGKILL' };
}
