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
import { type Section, worst } from '../report/section.ts';
import { inTurns, seconds } from '../rounds.ts';
import { type Sample, sampleOf } from '../sample.ts';
import { cacheMbFor, LARGE, SMALL } from '../settings.ts';

interface FirstAnswer {
  /** From the start of the process to the answer. */
  readonly startMs: Record<Contestant, Sample>;
  /** From the request to the answer, of a process that has nothing left to do of its start. */
  readonly answerMs: Record<Contestant, Sample>;
}

/** Each start gives one, and chance has a large part in it. */
const LEAST_ANSWERS = 9;

const CONTESTANTS = ['ours', 'typical'] as const;
type Contestant = (typeof CONTESTANTS)[number];

/** A database that both have, each with its own tables. */
interface Pair {
  readonly name: string;
  readonly ours: string;
  readonly typical: string;
  readonly sizes: readonly number[];
}

export async function measureCold(field: Field): Promise<Section> {
  const { sizes, postgresSizes } = field.settings;
  // Makes the database of the typical service.
  await field.typical();
  const pairs: Pair[] = [
    { name: 'SQLite', ours: (await field.sqlite()).url, typical: field.typicalUrl, sizes },
    {
      name: 'PostgreSQL',
      ours: (await field.postgres()).url,
      typical: await field.typicalPostgresUrl(),
      sizes: postgresSizes,
    },
  ];
  const nodeMs = sampleOf(Array.from({ length: 5 }, startOfNode)).median;
  const rows: string[][] = [];
  const answers: { value: number; of: string }[] = [];
  const starts: number[] = [];
  for (const pair of pairs)
    for (const size of pair.sizes) {
      note(`First answer of ${whole(size)} shifts a year, ${pair.name}`);
      const { startMs, answerMs } = await answerFirst(field, size, {
        ours: () => serveShiftfeed(pair.ours, { cacheMb: cacheMbFor(size) }),
        typical: () => startServer('./peers/typical/main.ts', [pair.typical]),
      });
      const toTypical = ratio(answerMs.ours, answerMs.typical);
      rows.push([
        pair.name,
        whole(size),
        milliseconds(answerMs.ours.median),
        milliseconds(answerMs.typical.median),
        brief(toTypical),
        milliseconds(startMs.ours.median),
        milliseconds(startMs.typical.median),
      ]);
      if (size === LARGE) answers.push({ value: toTypical, of: pair.name });
      if (size === SMALL) starts.push((startMs.ours.median - nodeMs) / 1000);
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
          ...['database', 'shifts a year', 'first answer, Shiftfeed', 'typical service', 'ratio'],
          ...['from the start of the process, Shiftfeed', 'typical service'],
        ],
        rows,
      },
    ],
    findings: [worst('coldAnswer', answers, 'highest'), { aim: 'start', value: starts[0] ?? Number.NaN }],
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

  const answerMs = await inTurns(CONTESTANTS, Math.max(rounds, LEAST_ANSWERS), async (name) => {
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
