/**
 * The process that an attack runs in. It tells when the attack is under way, and keeps its connections until it is ended.
 * It runs at a lower priority, so that the honest client, which shares its cores, does not wait for the attacker itself.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { ATTACKS, type Target } from './attacks.ts';

const LOOK_EVERY_MS = 20;

setPriority(Math.min(getPriority() + 10, constants.priority.PRIORITY_LOW));
process.once('message', async ({ name, target }: { name: string; target: Target }) => {
  const attack = ATTACKS.find((one) => one.name === name);
  if (attack === undefined) return process.exit(1);
  const connected = watchConnections();
  const running = attack.run(target);
  if (attack.settles) await running;
  while (!connected.sockets.some(({ bytesWritten }) => attack.settles || bytesWritten > 0))
    await delay(LOOK_EVERY_MS);
  connected.end();
  process.send?.('it is under way');
  setInterval(() => undefined, 1_000);
});
// Nobody else ends it when the torture has ended.
process.once('disconnect', () => process.exit());

/** Notes the connections that servers take, whoever opens them here. */
function watchConnections(): { readonly sockets: readonly Socket[]; end(): void } {
  const sockets: Socket[] = [];
  const note = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    socket.once('connect', () => sockets.push(socket));
  };
  subscribe('net.client.socket', note);
  return { sockets, end: () => void unsubscribe('net.client.socket', note) };
}
