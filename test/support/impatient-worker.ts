/** Run as a worker of node:cluster: serves a database, and gives running requests hardly any time when it stops. */

import { stopOnSignal } from '../../src/server/lifecycle.ts';
import { openLog } from '../../src/server/log.ts';
import { startServer } from '../../src/server/server.ts';
import { tellPrimary } from '../../src/server/workers.ts';
import { serverOptions } from './server-options.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const stopWith = stopOnSignal(openLog('error', process.stderr));
const server = await startServer(serverOptions(databaseUrl, { drainTimeoutMs: 50 }));
stopWith(server);
tellPrimary({ kind: 'listening', url: server.url });
