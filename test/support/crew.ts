/** A server with two workers, as the command line starts it, and clients that look at what becomes of them. */

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Server, startServer } from './cli.ts';
import { type Cleanup, newDatabaseUrl } from './database.ts';
import { childrenOf, isAlive } from './processes.ts';
import { until } from './until.ts';

export const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
export const LAST_HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

export interface Crew {
  readonly server: Server;
  readonly workers: readonly number[];
}

export async function startCrew(context: Cleanup): Promise<Crew> {
  const server = await startServer(context, ['--workers', '2'], {
    databaseUrl: await newDatabaseUrl(context),
  });
  const workers = childrenOf(server.child.pid);
  context.after(() => signal(workers.filter(isAlive), 'SIGKILL'));
  return { server, workers };
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) process.kill(pid, name);
}

/** Connects and sends something. The answer is left to be read. */
export function ask(context: Cleanup, { url }: Pick<Server, 'url'>, request: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  context.after(() => {
    socket.destroy();
  });
  socket.write(request);
  // A reset is how a connection may end here.
  socket.on('error', () => undefined);
  return socket;
}

/** While no worker listens, connections are refused: then it asks again. */
export async function assertServes(context: Cleanup, server: Server): Promise<void> {
  await until('a worker answers', async () => {
    const answer = await text(ask(context, server, LAST_HEALTH)).catch(() => '');
    if (answer !== '') assert.match(answer, /^HTTP\/1\.1 200 /);
    return answer !== '';
  });
}
