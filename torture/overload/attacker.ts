/**
 * The process that an attack runs in. It keeps its connections until it is ended. It runs at a lower priority, so that
 * the honest client, which shares its cores, does not wait for the attacker itself.
 */

import { getPriority, setPriority } from 'node:os';
import { ATTACKS, type Target } from './attacks.ts';

setPriority(getPriority() + 10);
process.once('message', async ({ name, target }: { name: string; target: Target }) => {
  await ATTACKS.find((attack) => attack.name === name)?.run(target);
  process.send?.('it only stays from now on');
  setInterval(() => undefined, 1_000);
});
// Nobody else ends it when the torture has ended.
process.once('disconnect', () => process.exit());
