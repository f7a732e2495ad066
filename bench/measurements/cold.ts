/** The first answer after a start, when nothing is in memory yet. */

import { spawnSync } from 'node:child_process';
import { onCores } from '../cores.ts';
import type { Field } from '../field.ts';
import { readListing } from '../listing.ts';
import { type Server, serveShiftfeed, startServer } from '../processes.ts';
import { note } from '../progress.ts';
import { brief, milliseconds, ratio, whole } from '../report/format.ts';
import type { Finding, Section } from '../report/section.ts';
import { inTurns, type Sample, sampleOf, seconds } from '../rounds.ts';
import { cacheMbFor, LARGE, SMALL } from '../settings.ts';

interface ColdStart {
  /** From the start of the process. */
  readonly startMs: Record<'ours' | 'typical', Sample>;
  /** From the request. */
  readonly answerMs: Record<'ours' | 'typical', Sample>;
}

export async function measureCold(field: Field): Promise<Section> {
  // Makes the database of the typical service.
  await field.typical();
  const { url: databaseUrl } = await field.sqlite();
  const nodeMs = sampleOf(Array.from({ length: 5 }, startOfNode)).median;
  const rows: string[][] = [];
  const findings: Finding[] = [];
  for (const size of field.settings.sizes) {
    note(`First answer of ${whole(size)} shifts a year`);
    const { startMs, answerMs } = await startCold(field, size, {
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
      'The first page, asked of a process as soon as it listens; medians. Both count, and read what the page needs; Shiftfeed reads the rest of the window afterwards, behind the scenes. ' +
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

async function startCold(
  field: Field,
  size: number,
  start: Readonly<Record<'ours' | 'typical', () => Promise<Server>>>,
): Promise<ColdStart> {
  const { path, headers } = field.account(size);
  const answers = { ours: [] as number[], typical: [] as number[] };
  const startMs = await inTurns(['ours', 'typical'], field.settings.fewRounds, async (name) => {
    const started = performance.now();
    const server = await start[name]();
    const answer = await seconds(() => readListing({ url: server.url + path, headers }));
    const total = performance.now() - started;
    answers[name].push(answer * 1000);
    await server.stop();
    return total;
  });
  return { startMs, answerMs: { ours: sampleOf(answers.ours), typical: sampleOf(answers.typical) } };
}

function startOfNode(): number {
  const [file, ...args] = onCores('server', [process.execPath, '-e', '0']);
  const started = performance.now();
  spawnSync(file, args);
  return performance.now() - started;
}
