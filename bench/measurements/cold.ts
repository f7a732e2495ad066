/**
 * The first answer of an account, of which nothing is in memory yet: right after a start, and of a server that has
 * settled.
 */

import { spawnSync } from 'node:child_process';
import { onCores } from '../cores.ts';
import type { Field } from '../field.ts';
import { readListing } from '../listing.ts';
import { type Server, serveShiftfeed, startServer, untilIdle } from '../processes.ts';
import { note } from '../progress.ts';
import { brief, milliseconds, ratio, whole } from '../report/format.ts';
import type { Finding, Section } from '../report/section.ts';
import { inTurns, seconds } from '../rounds.ts';
import { type Sample, sampleOf } from '../sample.ts';
import { cacheMbFor, LARGE, SMALL } from '../settings.ts';

interface FirstAnswer {
  /** From the start of the process to the answer. */
  readonly startMs: Record<Contestant, Sample>;
  /** From the request to the answer, of a process that has nothing left to do of its start. */
  readonly answerMs: Record<Contestant, Sample>;
}

const CONTESTANTS = ['ours', 'typical'] as const;
type Contestant = (typeof CONTESTANTS)[number];

export async function measureCold(field: Field): Promise<Section> {
  // Makes the database of the typical service.
  await field.typical();
  const { url: databaseUrl } = await field.sqlite();
  const nodeMs = sampleOf(Array.from({ length: 5 }, startOfNode)).median;
  const rows: string[][] = [];
  const findings: Finding[] = [];
  for (const size of field.settings.sizes) {
    note(`First answer of ${whole(size)} shifts a year`);
    const { startMs, answerMs } = await answerFirst(field, size, {
      ours: () => serveShiftfeed(databaseUrl, { cacheMb: cacheMbFor(size) }),
      typical: () => startServer('./peers/typical/main.ts', [field.typicalUrl]),
    });
    rows.push([
      whole(size),
      milliseconds(answerMs.ours.median),
      milliseconds(answerMs.typical.median),
      brief(ratio(answerMs.ours, answerMs.typical)),
      milliseconds(startMs.ours.median),
      milliseconds(startMs.typical.median),
    ]);
    if (size === LARGE) findings.push({ aim: 'coldAnswer', value: ratio(answerMs.ours, answerMs.typical) });
    if (size === SMALL) findings.push({ aim: 'start', value: (startMs.ours.median - nodeMs) / 1000 });
  }
  return {
    title: 'Cold starts',
    text:
      'The first page, asked of a process that has settled after its start, and of one as soon as it listens; medians. Both count, and read ' +
      'what the page needs; Shiftfeed reads the rest of the window afterwards, behind the scenes. ' +
      `Node by itself starts and ends in ${milliseconds(nodeMs)}. Files are in the cache of the system.`,
    tables: [
      {
        columns: [
          ...['shifts a year', 'first answer, Shiftfeed', 'typical service', 'ratio'],
          ...['from the start of the process, Shiftfeed', 'typical service'],
        ],
        rows,
      },
    ],
    findings,
  };
}

async function answerFirst(
  field: Field,
  size: number,
  start: Readonly<Record<Contestant, () => Promise<Server>>>,
): Promise<FirstAnswer> {
  const { path, headers } = field.account(size);
  const { rounds } = field.settings.rounds;
  const ask = ({ url }: Server) => readListing({ url: url + path, headers });

  const startMs = await inTurns(CONTESTANTS, rounds, async (name) => {
    const started = performance.now();
    const server = await start[name]();
    await ask(server);
    const total = performance.now() - started;
    await server.stop();
    return total;
  });

  const answerMs = await inTurns(CONTESTANTS, rounds, async (name) => {
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
