import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { rawClient } from '../../test/support/raw-client.ts';
import { withCleanup } from '../cleanup.ts';
import { makeClient } from '../client.ts';
import { makeDraw } from '../draw.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { makeTally, type Tally } from '../tally.ts';
import { ATTACKS, type Attack, type Target } from './attacks.ts';
import { observe } from './honest.ts';
import { peakMegabytes, type RunningTarget, startTargets } from './targets.ts';

/** What is promised of honest clients, against a time without attack. */
const MAX_RATIO = 5;
const MAX_MEGABYTES = 600;
const REFUSED_WITHIN_MS = 2_000;
/** How long an attacker may take to begin. */
const WARM_UP_MS = 1_500;
const SETTLED_WITHIN_MS = 30_000;

export const overload: Part = {
  name: 'overload',
  promises: [
    'Whoever runs into a limit slows down or loses their own connection, and nobody else does: honest clients are answered all along.',
    'A connection beyond the limit gets a quick 503 with `Retry-After`.',
    'Memory stays bounded, whatever clients do.',
  ],
  trial:
    'A service and a gateway in processes of their own are attacked by one thread of another process, one attack after the ' +
    'other: crowds, idle connections, slow headers, readers that do not read, requests that are sent ahead, queries that all ' +
    'differ or take long. An honest client asks two hundred times a second, before, during and after. It must be answered; ' +
    `its slowest percent is told, and how often that is more than ${MAX_RATIO} times as slow as before. Attackers, honest client and ` +
    'servers share the processors, which makes that worse than it would be from elsewhere.',
  unit: 'seconds of each attack',
  amounts: { quick: 1, whole: 20 },
  run: (order) => withCleanup((context) => run(order, () => startTargets(context))),
};

async function run(order: Order, start: () => Promise<readonly RunningTarget[]>): Promise<Outcome> {
  const tally = makeTally();
  const figures: Record<string, string | number> = {};
  const targets = await start();
  for (const target of targets) {
    const attacks = target.kind === 'service' ? ATTACKS : ATTACKS.filter(({ isHttp }) => isHttp);
    for (const attack of makeDraw(order.seed, 'order').shuffle(attacks)) {
      if (order.signal.aborted) break;
      const name = `${target.kind}: ${attack.name}`;
      order.report(name);
      await tally.tryOne(order.seed, async () => {
        figures[name] = await attackOnce(attack, target, order.amount, tally);
        return ['attacks'];
      });
    }
    const peak = peakMegabytes(target.server);
    figures[`${target.kind}: most memory`] = `${peak} MB`;
    if (peak > MAX_MEGABYTES) tally.fail(order.seed, `The ${target.kind} took ${peak} MB.`);
  }
  return { figures: { ...tally.figures, ...figures }, failures: tally.failures };
}

/** Throws when a promise is broken. Says how the honest client fared. */
async function attackOnce(
  attack: Attack,
  target: RunningTarget,
  seconds: number,
  tally: Tally,
): Promise<string> {
  return withCleanup(async (context) => {
    const get = makeClient(context, target.url, 1);
    const before = await observe(get, target, seconds);
    const end = await startAttack(attack, target);
    const during = await observe(get, target, seconds);
    const refusal = await probe(target);
    if (refusal !== undefined) tally.count('connections beyond the limit that got 503 with Retry-After');
    await end();
    await delay(200);
    const after = await observe(get, target, Math.min(1, seconds));
    if (target.server.child.exitCode !== null) throw new Error(`The ${target.kind} ended.`);
    const failed = during.failed + after.failed;
    if (failed > 0) {
      throw new Error(
        `${failed} of ${during.answered + failed} honest requests were not answered: ${attack.name}.`,
      );
    }
    const ratio = during.p99Ms / before.p99Ms;
    if (ratio > MAX_RATIO)
      tally.count(`attacks that made honest requests more than ${MAX_RATIO} times slower`);
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    return `p99 ${ms(before.p99Ms)} → ${ms(during.p99Ms)} (× ${ratio.toFixed(1)}) → ${ms(after.p99Ms)}; median ${ms(during.p50Ms)}`;
  });
}

/** In a thread of its own, so that the honest client is not kept waiting by the attacker itself. */
async function startAttack(attack: Attack, target: RunningTarget): Promise<() => Promise<void>> {
  const { url, path, token, wideToken, database } = target;
  const plain: Target = { url, path, token, wideToken, database };
  const worker = new Worker(new URL('./attacker.ts', import.meta.url), {
    workerData: { name: attack.name, target: plain },
  });
  worker.on('error', () => undefined);
  await (attack.settles
    ? Promise.race([once(worker, 'message'), delay(SETTLED_WITHIN_MS)])
    : delay(WARM_UP_MS));
  return async () => {
    await worker.terminate();
  };
}

/** A newcomer: it is answered, or refused at once with a hint when to come again. */
async function probe({ url, path, token }: Target): Promise<'refused' | undefined> {
  const startMs = performance.now();
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const { answer } = await rawClient(url, request);
  const text = await answer;
  if (text.startsWith('HTTP/1.1 200 ')) return undefined;
  const ms = performance.now() - startMs;
  const isGood =
    text.startsWith('HTTP/1.1 503 ') && /^retry-after: \d+/im.test(text) && ms < REFUSED_WITHIN_MS;
  if (!isGood) throw new Error(`A newcomer got after ${Math.round(ms)} ms: ${text.slice(0, 300)}`);
  return 'refused';
}
