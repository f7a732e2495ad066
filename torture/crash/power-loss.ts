/**
 * Power losses on SQLite: a writer is suspended at random moments, and its file and log are copied as they are. What
 * the log has behind its last commit was not asked to be on the disk yet, so pieces of that are lost or torn.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { environment } from '../../test/support/cli.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { filledDatabase } from '../../test/support/filled-database.ts';
import { generation, sizeOfGeneration } from '../../test/support/generation.ts';
import { until } from '../../test/support/until.ts';
import { type Draw, makeDraw } from '../draw.ts';
import type { Tally } from '../trial.ts';
import { checkFile } from './database.ts';

const WRITER = fileURLToPath(new URL('../../test/support/replacing-writer.ts', import.meta.url));
const SECTOR_BYTES = 512;

export async function losePower(
  context: Cleanup,
  seed: number,
  losses: number,
  signal: AbortSignal,
  tally: Tally,
): Promise<void> {
  const { databaseUrl } = await filledDatabase(context, generation(0));
  const path = databaseUrl.slice('sqlite:'.length);
  let writer = await startWriter(context, databaseUrl);
  for (let i = 0; i < losses && !signal.aborted; i++) {
    const draw = makeDraw(seed + i, 'power');
    await delay(draw.integer(1, 40));
    // On a busy machine, it ends by itself before all is tried.
    if (writer.child.exitCode !== null) writer = await startWriter(context, databaseUrl);
    await tally.tryOne(seed + i, async () => {
      const committed = writer.announced();
      const copy = await copyWhileSuspended(writer.child, path, draw);
      checkFile(copy.path);
      const number = generationIn(copy.path);
      // What was committed in the meantime may be there as well.
      if (number < committed || number > writer.announced() + 1) {
        throw new Error(`After a power loss, generation ${number} is there, and ${committed} was committed.`);
      }
      return ['power losses', ...(copy.isTorn ? ['of them, with a torn log'] : [])];
    });
  }
  writer.child.kill('SIGKILL');
  await writer.exit;
}

async function startWriter(context: Cleanup, databaseUrl: string) {
  const child = fork(WRITER, [databaseUrl], { env: environment(), execArgv: [], silent: true });
  const exit = once(child, 'exit');
  context.after(() => void child.kill('SIGKILL'));
  let announced = 0;
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    announced = Number(line);
  });
  await until('it writes', () => announced > 0);
  return { child, exit, announced: () => announced };
}

async function copyWhileSuspended(
  writer: ChildProcess,
  path: string,
  draw: Draw,
): Promise<{ path: string; isTorn: boolean }> {
  const copy = join(dirname(path), 'copy.db');
  writer.kill('SIGSTOP');
  try {
    await until('it is suspended', () => / T /.test(readFileSync(`/proc/${writer.pid}/stat`, 'utf8')));
    await copyFile(path, copy);
    await copyFile(`${path}-wal`, `${copy}-wal`);
  } finally {
    writer.kill('SIGCONT');
  }
  const log = await readFile(`${copy}-wal`);
  const end = endOfLastCommit(log);
  const rest = tear(draw, log.subarray(end));
  await writeFile(`${copy}-wal`, Buffer.concat([log.subarray(0, end), rest]));
  await writeFile(`${copy}-shm`, '');
  return { path: copy, isTorn: log.length > end };
}

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** As SQLite describes the format of its log: frames of this round have the salt of the header. */
function endOfLastCommit(log: Buffer): number {
  if (log.length < LOG_HEADER_BYTES) return 0;
  const salt = log.subarray(16, 24);
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  let end = LOG_HEADER_BYTES;
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    const isCommit = log.readUInt32BE(at + 4) !== 0;
    if (isCommit) end = at + frameBytes;
  }
  return end;
}

function tear(draw: Draw, bytes: Buffer): Buffer {
  const torn = Buffer.from(bytes.subarray(0, draw.integer(0, bytes.length)));
  for (let at = 0; at < torn.length; at += SECTOR_BYTES) {
    if (draw.chance(0.3)) torn.subarray(at, at + SECTOR_BYTES).fill(draw.integer(0, 255));
  }
  return torn;
}

/** Throws unless all shifts are of one generation, and all of them are there. */
function generationIn(path: string): number {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare('SELECT remarks, count(*) AS count FROM shifts GROUP BY remarks').all();
    const [row] = rows;
    const number = Number(row?.remarks);
    if (rows.length !== 1 || row?.count !== sizeOfGeneration(number)) {
      throw new Error(`After a power loss, the database holds ${JSON.stringify(rows)}.`);
    }
    return number;
  } finally {
    database.close();
  }
}
