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
import { compare, listInTurns } from '../rounds.ts';
import { percentile, sampleOf } from '../sample.ts';
import { LARGE } from '../settings.ts';

const CONTESTANTS = ['ours', 'fixed'] as const;
type Contestant = (typeof CONTESTANTS)[number];

/**
 * V8 compiles what is hot in threads that, on one core, take turns with the requests: for some milliseconds at a time,
 * and longer the more code there is. These rounds are asked and not counted.
 */
const ROUNDS_TO_COMPILE = 15;
/** As often as elsewhere times this: a hundredth is easily disturbed. */
const MORE_ROUNDS = 2;

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
  const ask = (name: Contestant) =>
    askOnSchedule(targets[name], {
      connections: CONNECTIONS,
      perSecond,
      until: delay(rounds.seconds * 1000),
    });
  const unmeasured = field.settings.isQuick ? 3 : ROUNDS_TO_COMPILE;
  for (let round = 0; round < unmeasured; round++) {
    for (const name of CONTESTANTS) await ask(name);
  }
  const latencies = await listInTurns(CONTESTANTS, MORE_ROUNDS * rounds.rounds, ask);
  const inRounds = (name: Contestant, share: number) =>
    sampleOf(latencies[name].map((sorted) => percentile(sorted, share)));
  const p99 = { ours: inRounds('ours', 0.99), fixed: inRounds('fixed', 0.99) };
  const toFixed = ratio(p99.ours, p99.fixed);
  return {
    title: 'Latency',
    text:
      `The first page of 128,000 shifts a year. Both are asked ${whole(perSecond)} times a second, half of what Shiftfeed can answer, on a ` +
      `fixed schedule from Node; an answer is timed from when its request was due. ${unmeasured} rounds go before that are not counted, because as ` +
      'long as V8 compiles, it takes the core away from requests for some milliseconds at a time.',
    tables: [
      {
        columns: ['who', 'median', 'p99', 'p99 of the best and the worst round', 'p99 to the fixed buffer'],
        rows: CONTESTANTS.map((name) => [
          name === 'ours' ? 'Shiftfeed' : 'Fastify, a fixed buffer',
          milliseconds(inRounds(name, 0.5).median),
          milliseconds(p99[name].median),
          `${milliseconds(p99[name].lowest)}–${milliseconds(p99[name].highest)}`,
          name === 'ours' ? brief(toFixed) : '',
        ]),
      },
    ],
    findings: [{ aim: 'latency', value: toFixed }],
  };
}
