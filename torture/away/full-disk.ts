/** An import for which there is no room: it says so, and nothing changes. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { environment, LAUNCHER } from '../../test/support/cli.ts';
import { type Cleanup, newFolder } from '../../test/support/database.ts';
import { acme, shift } from '../../test/support/document.ts';
import { checkFile } from '../crash/database.ts';
import type { Draw } from '../draw.ts';
import type { Scene } from './scene.ts';

const SHIFTS = 20_000;
/** The largest file that it may write; the import needs more. */
const MAX_ROOM_KIB = 1_500;

/** Throws when a promise is broken. */
export async function tryFullDisk(
  context: Cleanup,
  scene: Scene,
  path: string,
  draw: Draw,
): Promise<string[]> {
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
