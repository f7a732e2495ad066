import type { Cleanup } from '../../test/support/database.ts';
import { startService } from '../../test/support/service.ts';
import { makeClient } from '../client.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { MAX_FAILURES, makeTally, withCleanup } from '../trial.ts';
import { growthOf, plotOf, QUANTITIES, startSampler } from './samples.ts';
import { soakWorld } from './world.ts';

const SAMPLES = 60;
const CONNECTIONS = 8;
/** Fewer samples say nothing of growth. */
const MIN_SAMPLES = 12;
const MAX_GROWTH = 1.25;

export const soak: Part = {
  name: 'soak',
  promises: [
    'However long the service runs, every answer is right: through imports, renames, revocations, midnights, changes of the clock, leap days and the end of week 53.',
    'What it takes stays the same: memory, open files and connections, and the time for which one request keeps others waiting.',
  ],
  trial:
    'A service with a clock that can be moved serves three accounts in different time zones. Each step imports, renames, revokes, ' +
    'or moves the clock by seconds or hours, beginning shortly before a special midnight; then twelve requests are asked at once. ' +
    'Each must be what the oracle says for the day that it is in the account. The figures are of the whole process, so they hold ' +
    'what clients and the oracle take as well.',
  unit: 'seconds of traffic',
  amounts: { quick: 20, whole: 3_600 },
  run: (order) => withCleanup((context) => run(context, order)),
};

async function run(context: Cleanup, { seed, amount, signal, report }: Order): Promise<Outcome> {
  const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
  const get = makeClient(context, service.url, CONNECTIONS);
  const tally = makeTally();
  const sampler = startSampler();
  const startMs = performance.now();
  const passed = () => (performance.now() - startMs) / 1000;
  for (let world = 0; (world === 0 || passed() < amount) && !signal.aborted; world++) {
    await tally.tryOne(seed + world, () => soakWorld(seed + world, service, get, tally));
    if (tally.failures.length >= MAX_FAILURES) break;
    if (sampler.samples.length >= (passed() / amount) * SAMPLES) continue;
    sampler.take();
    if (sampler.samples.length % 10 === 0) report(`${Math.round(passed())} seconds`);
  }
  const figures: Record<string, string | number> = { ...tally.figures };
  for (const quantity of QUANTITIES) {
    const { middle, end } = growthOf(sampler.samples, quantity);
    figures[quantity] = `${middle.toFixed(1)} in the second third, ${end.toFixed(1)} in the last`;
    const isJudged =
      quantity !== 'slowest turn of the event loop (ms)' && sampler.samples.length >= MIN_SAMPLES;
    if (isJudged && end > middle * MAX_GROWTH) tally.fail(seed, `It grows: ${quantity} ${figures[quantity]}`);
  }
  return { figures, failures: tally.failures, plots: { 'reliability-soak.svg': plotOf(sampler.samples) } };
}
