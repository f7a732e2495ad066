/** How long an answer takes at half of the maximal rate, beside the fixed buffer at the same rate. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Field } from '../field.ts';
import { assertSameBytes } from '../listing.ts';
import { askOnSchedule } from '../load/schedule.ts';
import { CONNECTIONS } from '../load/throughput.ts';
import { note } from '../progress.ts';
import { FIRST_PAGE } from '../queries.ts';
import { brief, milliseconds, ratio, whole } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import { compare, inTurns, percentile, sampleOf } from '../rounds.ts';
import { LARGE } from '../settings.ts';

export async function measureLatency(field: Field): Promise<Section> {
  note('Latency at half of the maximal rate');
  const { path, headers } = field.account(LARGE);
  const { body } = await field.page(LARGE, FIRST_PAGE);
  const targets = {
    ours: { url: (await field.ours(LARGE)).url + path, headers },
    fixed: { url: `${(await field.fixed({ page: body })).server.url}/page`, headers },
  };
  for (const target of Object.values(targets)) await assertSameBytes(target, body);

  const { rounds } = field.settings;
  const maximal = await compare(targets, { ...rounds, rounds: Math.min(rounds.rounds, 3) });
  const perSecond = maximal.ours.median / 2;
  const medians = { ours: [] as number[], fixed: [] as number[] };
  const p99 = await inTurns(['ours', 'fixed'], rounds.rounds, async (name) => {
    const until = delay(rounds.seconds * 1000);
    const latencies = await askOnSchedule(targets[name], { connections: CONNECTIONS, perSecond, until });
    medians[name].push(percentile(latencies, 0.5));
    return percentile(latencies, 0.99);
  });
  const toFixed = ratio(p99.ours, p99.fixed);
  return {
    title: 'Latency',
    text:
      `The first page of 128,000 shifts a year. Both are asked ${whole(perSecond)} times a second, half of what Shiftfeed can answer, on a ` +
      'fixed schedule from Node; an answer is timed from when its request was due.',
    tables: [
      {
        columns: ['who', 'median', 'p99', 'p99 of the best and the worst round', 'p99 to the fixed buffer'],
        rows: (['ours', 'fixed'] as const).map((name) => [
          name === 'ours' ? 'Shiftfeed' : 'Fastify, a fixed buffer',
          milliseconds(sampleOf(medians[name]).median),
          milliseconds(p99[name].median),
          `${milliseconds(p99[name].lowest)}–${milliseconds(p99[name].highest)}`,
          name === 'ours' ? brief(toFixed) : '',
        ]),
      },
    ],
    findings: [{ aim: 'latency', value: toFixed }],
  };
}
