/** What an attacker with a laptop may try. Each goes on until its thread is ended, and sends to 127.0.0.1 alone. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

export interface Target {
  readonly url: string;
  /** A page that honest clients ask for, too. */
  readonly path: string;
  readonly token: string;
  /** Of the same account, for those who attack it. */
  readonly attackerToken: string;
  /** Of an account with shifts in very many months. */
  readonly wideToken: string;
  /** The SQLite file of the service. */
  readonly database: string;
}

export interface Attack {
  readonly name: string;
  /** Whether any HTTP server can be attacked in this way, the gateway as well. */
  readonly isHttp: boolean;
  /** Whether it comes to its end, and then only stays. */
  readonly settles?: boolean;
  run(target: Target): Promise<void>;
}

/** Honest clients come from 127.0.0.1. */
const ATTACKER_ADDRESS = '127.0.0.2';
const CROWD = 2_000;
const PROBES = 500;
/** With as many requests on each as a server works on at a time. */
const AHEAD = 800;
const REQUESTS_AHEAD = 32;
/** As many as a service takes; then some more. */
const IDLE = 10_000;
const BEYOND = 100;
const SLOW = 500;
const UNREAD = 3_000;
const UNREAD_AHEAD = 12;
/** So many are opened at a time: the system lets no more wait to be accepted. */
const OPENED_AT_ONCE = 100;

export const ATTACKS: readonly Attack[] = [
  {
    name: 'tunnel requests that are reset',
    isHttp: false,
    async run({ url }) {
      for (;;) {
        const socket = await open(url);
        socket.write('CONNECT a:1 HTTP/1.1\r\n\r\n');
        await delay(1);
        socket.resetAndDestroy();
      }
    },
  },
  {
    name: 'one connection that sends requests without a token ahead',
    isHttp: true,
    run: ({ url }) => flood(url, 'GET /acme/api/v1/shifts HTTP/1.1\r\nHost: x\r\n\r\n', 1),
  },
  {
    name: 'ten connections that send wrong tokens ahead',
    isHttp: true,
    run: ({ url }) =>
      flood(url, 'GET /acme/api/v1/shifts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n\r\n', 10),
  },
  {
    name: 'ten connections that ask for 700 different compressed pages each',
    isHttp: false,
    async run({ url, attackerToken: token }) {
      const requests = Array.from(
        { length: 700 },
        (_, i) =>
          `GET /acme/api/v1/shifts?group_ids=${1 + (i % 50)},${51 + i} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: zstd\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          for (;;) {
            const socket = await open(url);
            socket.resume();
            socket.write(requests.join(''));
            await Promise.race([once(socket, 'close').catch(() => undefined), delay(1_000)]);
            socket.destroy();
          }
        }),
      );
    },
  },
  {
    name: 'sixty readers that do not read, while the plan changes',
    isHttp: false,
    async run({ url, attackerToken: token, database }) {
      const planner = new DatabaseSync(database);
      for (let i = 0; i < 60; i++) {
        planner.exec(`UPDATE shifts SET remarks = 'change ${i}' WHERE id IN (1, 2)`);
        const socket = await open(url);
        const request = `GET /acme/api/v1/shifts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
        socket.write(request.repeat(30));
        await delay(20);
      }
    },
  },
  {
    name: 'an account with shifts in very many months',
    isHttp: false,
    async run({ url, wideToken }) {
      for (let i = 0; ; i++) {
        const query = i % 2 === 0 ? 'date_from=1000-01-01' : 'weeks=1,2,3&months=1';
        await fetch(`${url}/wide/api/v1/shifts?${query}`, {
          headers: { authorization: `Bearer ${wideToken}` },
        }).catch(() => undefined);
      }
    },
  },
  {
    name: 'queries that take long to read',
    isHttp: false,
    async run({ url, attackerToken: token }) {
      const ids = Array.from({ length: 2_700 }, (_, i) => 1000 + i).join(',');
      const names = Array.from({ length: 1_500 }, (_, i) => `grop_id${i}=1`).join('&');
      const repeats = 'group_ids=1&'.repeat(1_200);
      for (let i = 0; ; i++) {
        const query = [`group_ids=${ids}`, names, repeats][i % 3];
        await fetch(`${url}/acme/api/v1/shifts?per_page=1&${query}`, {
          headers: { authorization: `Bearer ${token}` },
        })
          .then((response) => response.arrayBuffer())
          .catch(() => undefined);
      }
    },
  },
  {
    name: 'queries that all differ',
    isHttp: false,
    async run({ url, attackerToken: token }) {
      let i = 0;
      const next = () =>
        requestFor(
          `/acme/api/v1/shifts?per_page=${1 + (i % 500)}&group_ids=${1 + (i++ % 50)},${100 + i}`,
          token,
        );
      await Promise.all((await openMany(url, 50)).map((socket) => askWithoutEnd(socket, next)));
    },
  },
  {
    name: `${CROWD.toLocaleString('en')} connections that ask as often as they are answered`,
    isHttp: true,
    async run({ url, path, attackerToken: token }) {
      const request = requestFor(path, token);
      await Promise.all((await openMany(url, CROWD)).map((socket) => askWithoutEnd(socket, () => request)));
    },
  },
  {
    name: `${PROBES} connections that ask for /healthz ${REQUESTS_AHEAD} times ahead each`,
    isHttp: true,
    async run({ url }) {
      const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
      await Promise.all(Array.from({ length: PROBES }, () => sendAheadWithoutEnd(url, request)));
    },
  },
  {
    name: `${AHEAD} connections that send ${REQUESTS_AHEAD} requests ahead each`,
    isHttp: true,
    async run({ url, path, attackerToken: token }) {
      const request = requestFor(path, token);
      await Promise.all(Array.from({ length: AHEAD }, () => sendAheadWithoutEnd(url, request)));
    },
  },
  {
    name: `${SLOW} connections whose headers come byte by byte`,
    isHttp: true,
    async run({ url, path, attackerToken: token }) {
      const request = requestFor(path, token);
      for (;;) {
        const sockets = await openMany(url, SLOW);
        for (let i = 0; i < 20; i++) {
          for (const socket of sockets) if (socket.writable) socket.write(request[i] ?? '');
          await delay(500);
        }
        for (const socket of sockets) socket.destroy();
      }
    },
  },
  {
    name: `${UNREAD.toLocaleString('en')} connections that send ${UNREAD_AHEAD} requests ahead each and read nothing`,
    isHttp: true,
    settles: true,
    async run({ url, path, attackerToken: token }) {
      const requests = requestFor(path, token).repeat(UNREAD_AHEAD);
      for (const socket of await openMany(url, UNREAD)) socket.write(requests);
    },
  },
  {
    name: `${IDLE.toLocaleString('en')} connections that send nothing`,
    isHttp: true,
    settles: true,
    async run({ url }) {
      await openMany(url, IDLE + BEYOND);
    },
  },
];

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress: ATTACKER_ADDRESS });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect').catch(() => undefined), delay(2_000)]);
  return socket;
}

async function openMany(url: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(...(await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => open(url)))));
  }
  return sockets;
}

function requestFor(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

/** Sends the next request whenever something of an answer has come. */
async function askWithoutEnd(socket: Socket, next: () => string): Promise<void> {
  const ask = () => {
    if (socket.writable) socket.write(next());
  };
  socket.on('data', ask);
  ask();
  await once(socket, 'close').catch(() => undefined);
}

/** Sends many requests, and again when as many answers have come, and on a new connection when the old one was closed. */
async function sendAheadWithoutEnd(url: string, request: string): Promise<void> {
  const requests = request.repeat(REQUESTS_AHEAD);
  for (;;) {
    const socket = await open(url);
    let answers = 0;
    socket.setEncoding('latin1').on('data', (text: string) => {
      answers += text.split('HTTP/1.1 ').length - 1;
      if (answers < REQUESTS_AHEAD || !socket.writable) return;
      answers = 0;
      socket.write(requests);
    });
    if (socket.writable) socket.write(requests);
    await once(socket, 'close').catch(() => undefined);
  }
}

/** Sends a request over and over, as fast as it is taken, and reads the answers. */
async function flood(url: string, request: string, connections: number): Promise<void> {
  const bytes = request.repeat(2_000);
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (;;) {
        const socket = await open(url);
        socket.resume();
        while (socket.writable) {
          if (!socket.write(bytes))
            await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
        }
        socket.destroy();
      }
    }),
  );
}
