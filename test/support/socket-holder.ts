/**
 * Run as a process: listens as systemd does for a .socket unit, and starts the service with that socket, again whenever
 * it has ended. Everything after listening is synchronous, so that this process never takes a connection itself.
 *
 *   node socket-holder.ts SOCKETS STARTS NODE_AND_ARGUMENTS…
 */

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

const [sockets, starts, ...command] = process.argv.slice(2);
const servers = Array.from({ length: Number(sockets) }, () => createServer());
await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
const ports = servers.map((server) => (server.address() as AddressInfo).port);
process.stdout.write(`Held are http://127.0.0.1:${ports.join(' http://127.0.0.1:')}\n`);

for (let i = 0; i < Number(starts); i++) {
  // The variable names the process that reads it, which is the shell until it becomes the service.
  spawnSync('sh', ['-c', 'LISTEN_PID=$$ exec "$@"', 'sh', ...command], {
    env: { ...process.env, LISTEN_FDS: sockets, LISTEN_FDNAMES: 'a:b' },
    stdio: ['ignore', 'inherit', 'inherit', ...servers.map(descriptorOf)],
  });
}
process.exit();

function descriptorOf(server: Server): number {
  return (server as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}
