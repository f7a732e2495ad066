/** Run as a worker of node:cluster: serves a database, and gives running requests hardly any time when it stops. */

import { openLog } from '../../src/cli/serve/log.ts';
import { startServer } from '../../src/cli/serve/server.ts';
import { stopOnSignal } from '../../src/cli/serve/stop-on-signal.ts';
import { tellPrimary } from '../../src/cli/serve/worker-messages.ts';
import { serverOptions } from './server-options.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const stopWith = stopOnSignal(openLog('error', process.stderr));
const { stop } = await startServer(serverOptions(databaseUrl, { drainTimeoutMs: 50, isWorker: true }));
stopWith(stop);
tellPrimary({ kind: 'ready' });
