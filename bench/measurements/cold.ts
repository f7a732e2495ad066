/**
 * The first answer of an account, of which nothing is in memory yet: right after a start, and of a server that has
 * settled.
 */

import { spawnSync } from 'node:child_process';
import { onCores } from '../cores.ts';
import type { DatabaseKind, Field } from '../field.ts';
import { readListing } from '../load.ts';
import { brief, milliseconds, ratio, sampleOf, whole } from '../numbers.ts';
import { note, type Server, serveShiftfeed, startPeer, untilIdle } from '../processes.ts';
import type { Report } from '../report.ts';
import { inTurns, seconds } from '../rounds.ts';
import { cacheMbFor, LARGE, SMALL } from '../settings.ts';

/** Each start gives one, and chance has a large part in it. */
const LEAST_ANSWERS = 9;

const CONTESTANTS = ['ours', 'typical'] as const;

export async function measureCold(field: Field, report: Report): Promise<void> {
  const nodeMs = sampleOf(Array.from({ length: 5 }, startOfNode)).median;
  report.text(
    'The first page, asked of a process that has settled after its start, and of one as soon as it listens; medians. Both count, and read ' +
      'what the page needs; Shiftfeed reads the rest of the window afterwards, behind the scenes. ' +
      `Node by itself starts and ends in ${milliseconds(nodeMs)}. Files are in the cache of the system.`,
  );
  const addRow = report.table(
    'database | shifts a year | first answer, Shiftfeed | typical service | ratio | from the start of the process, Shiftfeed | typical service',
  );
  const answers: { value: number; of: string }[] = [];
  const { sizes, postgresSizes } = field.settings;
  for (const kind of ['SQLite', 'PostgreSQL'] as const) {
    for (const size of kind === 'SQLite' ? sizes : postgresSizes) {
      note(`First answer of ${whole(size)} shifts a year, ${kind}`);
      const { startMs, answerMs } = await answerFirst(field, kind, size);
      const toTypical = ratio(answerMs.ours, answerMs.typical);
      addRow(
        kind,
        whole(size),
        ...[milliseconds(answerMs.ours.median), milliseconds(answerMs.typical.median), brief(toTypical)],
        ...[milliseconds(startMs.ours.median), milliseconds(startMs.typical.median)],
      );
      if (size === LARGE) answers.push({ value: toTypical, of: kind });
      if (size === SMALL && kind === 'SQLite') {
        report.finding('start', (startMs.ours.median - nodeMs) / 1000);
      }
    }
  }
  report.worst('coldAnswer', answers);
}

/** From the start of the process, and from the request to a process that has nothing left to do of its start. */
async function answerFirst(field: Field, kind: DatabaseKind, size: number) {
  const { databaseUrl, path, headers } = await field.account(kind, size);
  const typicalUrl = await field.typicalUrl(kind, size);
  const start = {
    ours: () => serveShiftfeed(databaseUrl, { cacheMb: cacheMbFor(size) }),
    typical: () => startPeer('typical/main', [typicalUrl]),
  };
  const ask = ({ url }: Server) => readListing({ url: url + path, headers });
  const { rounds } = field.settings.rounds;

  const startMs = await inTurns(CONTESTANTS, rounds, async (name) => {
    const started = performance.now();
    const server = await start[name]();
    await ask(server);
    const total = performance.now() - started;
    await server.stop();
    return total;
  });

  const enough = field.settings.isQuick ? rounds : Math.max(rounds, LEAST_ANSWERS);
  const answerMs = await inTurns(CONTESTANTS, enough, async (name) => {
    const server = await start[name]();
    await untilIdle(server);
    const answer = await seconds(() => ask(server));
    await server.stop();
    return answer * 1000;
  });

  return { startMs, answerMs };
}

function startOfNode(): number {
  const [file, ...args] = onCores('server', [process.execPath, '-e', '0']);
  const started = performance.now();
  spawnSync(file, args);
  return performance.now() - started;
}
