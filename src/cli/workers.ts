/**
 * Several server processes on one port, each with its own memory: this process only starts them, starts
 * another one when one dies, and passes on the wish to stop.
 */

import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from './failure.ts';
import { listenFailure, type RunningServer, urlOf } from './server.ts';

/** A worker that cannot live is not started over and over without a breath. */
const RESTART_PAUSE_MS = 500;

/** What a worker that fails tells this process instead of printing it. */
export interface WorkerFailure {
  readonly failure: string;
}

export async function startWorkers(count: number, host: string, port: number): Promise<RunningServer> {
  let stopping = false;
  // Port 0 would be another port whenever all workers have died: all take the one that is found now.
  const chosenPort = port === 0 ? await freePort(host) : port;
  cluster.setupPrimary({ args: [...process.argv.slice(2), '--port', String(chosenPort)] });

  async function start(): Promise<Address> {
    const worker = cluster.fork();
    const address = await listening(worker);
    worker.on('exit', async (code, signal) => {
      if (stopping) return;
      process.stderr.write(
        `shiftfeed: Worker ${worker.process.pid} ended (${signal ?? code}); starting another one.\n`,
      );
      await restart();
    });
    return address;
  }

  async function restart(): Promise<void> {
    await pause(RESTART_PAUSE_MS);
    if (!stopping) await startUntilItWorks();
  }

  async function startUntilItWorks(): Promise<void> {
    try {
      await start();
    } catch (error) {
      if (stopping) return;
      process.stderr.write(`shiftfeed: ${(error as Error).message}\n`);
      await restart();
    }
  }

  // One first: if it cannot listen, the others cannot either, and there is one sentence to print.
  const { address } = await start();
  await Promise.all(Array.from({ length: count - 1 }, startUntilItWorks));

  return {
    url: urlOf({ address: address ?? host, port: chosenPort }),
    async stop() {
      stopping = true;
      const workers = Object.values(cluster.workers ?? {}).filter(
        (worker) => worker && !worker.isDead(),
      ) as Worker[];
      const ended = workers.map((worker) => once(worker, 'exit'));
      for (const worker of workers) worker.process.kill('SIGTERM');
      await Promise.all(ended);
    },
  };
}

/** Resolves when the worker listens, rejects when it ends before. */
async function listening(worker: Worker): Promise<Address> {
  let failure = 'A worker process ended before it could listen.';
  worker.on('message', (message: Partial<WorkerFailure>) => {
    failure = message.failure ?? failure;
  });
  const { promise, resolve, reject } = Promise.withResolvers<Address>();
  worker.once('listening', resolve);
  worker.once('exit', () => reject(new Failure(failure)));
  return promise;
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenFailure(error, { host, port: 0, option: '--port' });
  });
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
