/** The thread that an attack runs in. It keeps its connections until it is ended. */

import { workerData } from 'node:worker_threads';
import { ATTACKS, type Target } from './attacks.ts';

const { name, target } = workerData as { name: string; target: Target };
await ATTACKS.find((attack) => attack.name === name)?.run(target);
setInterval(() => undefined, 1_000);
