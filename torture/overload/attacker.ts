/** The thread that an attack runs in. It keeps its connections until it is ended. */

import { parentPort, workerData } from 'node:worker_threads';
import { ATTACKS, type Target } from './attacks.ts';

const { name, target } = workerData as { name: string; target: Target };
await ATTACKS.find((attack) => attack.name === name)?.run(target);
parentPort?.postMessage('it only stays from now on');
setInterval(() => undefined, 1_000);
