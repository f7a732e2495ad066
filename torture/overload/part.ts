import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { moveTo } from '../../bench/cores.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { megabytesOf } from '../../test/support/processes.ts';
import { rawClient } from '../../test/support/raw-client.ts';
import { type Get, makeClient } from '../client.ts';
import { makeDraw } from '../draw.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { makeTally, type Tally, withCleanup } from '../trial.ts';
import { ATTACKS, type Attack, type Target } from './attacks.ts';
import { type RunningTarget, startTargets } from './targets.ts';

/** What is promised of honest clients, against a time without attack. */
const MAX_RATIO = 5;
/** Below this, what is measured is chance: how the system shares its cores, and when memory is cleaned up. */
const LEAST_NORMAL_MS = 5;
const MAX_MEGABYTES = 600;
const ANSWERED_WITHIN_MS = 10_000;
/** So many come one after the other, each on a connection of its own. */
const NEWCOMERS = 20;
/** How long an attacker may take to begin, and how long it goes on before it is felt in full. */
const BEGUN_WITHIN_MS = 60_000;
const WARM_UP_MS = 1_500;
const ENDED_WITHIN_MS = 200;

export const overload: Part = {
  name: 'overload',
  promises: [
    'Whoever runs into a limit slows down or loses their own connection, and nobody else does: honest clients are answered all along.',
    `Those who overload a server wait for themselves: the slowest percent of what others ask takes less than ${MAX_RATIO} times as long as usual.`,
    'Newcomers are answered, however many connections others hold.',
    'Memory stays bounded, whatever clients do.',
  ],
  trial:
    'A service and a gateway in processes of their own are attacked from another process, one attack after the ' +
    'other: crowds, health checks, idle connections, slow headers, readers that do not read, requests that are sent ahead, ' +
    'streams that nobody reads or that are left at once, ' +
    'queries that all differ or take long. An honest client asks up to two hundred times a second, before, during and after. It must be answered, and its ' +
    `slowest percent must take less than ${MAX_RATIO} times as long as before, where less than ${LEAST_NORMAL_MS} ms before counts as ${LEAST_NORMAL_MS} ms. ` +
    `During an attack, ${NEWCOMERS} newcomers ask on new connections, and must be answered as well. ` +
    'Attackers differ from the honest client as they would elsewhere: they have a token of their own, and come from another address. ' +
    'All of this runs on one machine, so attackers have a lower priority and are kept to one core, where there are two: otherwise they ' +
    'would take the processor from the server without sending anything.',
  unit: 'seconds of each attack',
  amounts: { quick: 1, whole: 20 },
  run: (order) => withCleanup((context) => run(context, order)),
};

async function run(context: Cleanup, order: Order): Promise<Outcome> {
  const tally = makeTally();
  const figures: Record<string, string | number> = {};
  for (const target of await startTargets(context)) {
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
    const peak = megabytesOf(target.server.child.pid, 'VmHWM');
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
  const { before, during, after, newcomers } = await watchAttack(attack, target, seconds);
  tally.count('newcomers that were answered', newcomers);
  if (target.server.child.exitCode !== null) throw new Error(`The ${target.kind} ended.`);
  const failed = during.failed + after.failed;
  if (failed > 0) {
    throw new Error(
      `${failed} of ${during.answered + failed} honest requests were not answered: ${attack.name}.`,
    );
  }
  const ratio = during.p99Ms / Math.max(before.p99Ms, LEAST_NORMAL_MS);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const fared = `p99 ${ms(before.p99Ms)} → ${ms(during.p99Ms)} → ${ms(after.p99Ms)}; median ${ms(before.p50Ms)} → ${ms(during.p50Ms)}`;
  if (ratio >= MAX_RATIO) {
    throw new Error(`Honest requests took ${ratio.toFixed(1)} times as long: ${attack.name}, ${fared}.`);
  }
  return fared;
}

export async function watchAttack(attack: Attack, target: RunningTarget, seconds: number) {
  return withCleanup(async (context) => {
    const get = makeClient(context, target.url, 1);
    const before = await observe(get, target, seconds);
    const end = await startAttack(context, attack, target);
    const during = await observe(get, target, seconds);
    for (let i = 0; i < NEWCOMERS; i++) await comeAnew(target);
    await end();
    await delay(ENDED_WITHIN_MS);
    const after = await observe(get, target, Math.min(1, seconds));
    // All of them were answered.
    return { before, during, after, newcomers: NEWCOMERS };
  });
}

/**
 * In a process of its own, so that the honest client is not kept waiting by the attacker itself. Both this and the
 * function that ends the attack throw if there was none, because then nothing was tried.
 */
async function startAttack(
  context: Cleanup,
  { name, settles }: Attack,
  { server: _, ...target }: RunningTarget,
): Promise<() => Promise<void>> {
  const child = fork(new URL('./attacker.ts', import.meta.url));
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  context.after(kill);
  moveTo('load', child.pid as number);
  child.send({ name, target });
  const late = delay(BEGUN_WITHIN_MS, 'late', { ref: false });
  if ((await Promise.race([once(child, 'message'), ended, late])) === 'late')
    throw new Error(`The attacker reached nobody: ${name}.`);
  if (!settles) await delay(WARM_UP_MS);
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The attacker ended by itself: ${name}.`);
    await kill();
  };
}

/**
 * Throws when a newcomer is not answered. Without a limit, it could wait for a minute: when a server accepts no
 * connections for a while, the system tries ever more seldom to connect.
 */
async function comeAnew({ url, path, token }: Target): Promise<void> {
  const startMs = performance.now();
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const late = delay(ANSWERED_WITHIN_MS, '', { ref: false });
  const text = await Promise.race([rawClient(url, request).then(({ answer }) => answer), late]);
  if (text.startsWith('HTTP/1.1 200 ')) return;
  const ms = Math.round(performance.now() - startMs);
  throw new Error(`A newcomer got after ${ms} ms: ${text.slice(0, 300)}`);
}

const INTERVAL_MS = 5;

/** An honest client: it asks now and then, over a connection that it keeps, and notes how long answers take. */
async function observe(get: Get, { path, token }: Target, seconds: number) {
  const times: number[] = [];
  let failed = 0;
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const status = await get(path, { authorization: `Bearer ${token}` }).then(
      (reply) => reply.status,
      () => 0,
    );
    if (status === 200) times.push(performance.now() - startMs);
    else failed++;
    await delay(INTERVAL_MS);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.POSITIVE_INFINITY;
  return { p50Ms: at(0.5), p99Ms: at(0.99), answered: times.length, failed };
}
