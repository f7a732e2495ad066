/** What an attacker with a laptop may try. Each goes on until its thread is ended, and sends to 127.0.0.1 alone. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Target {
  readonly url: string;
  /** A page that honest clients ask for, too. */
  readonly path: string;
  readonly token: string;
  /** Of the same account, for those who attack it. */
  readonly attackerToken: string;
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
/** As many as a service takes, and some more. */
const IDLE = 10_100;
/** So many are opened at a time: the system lets no more wait to be accepted. */
const OPENED_AT_ONCE = 100;

export const ATTACKS: readonly Attack[] = [
  {
    name: 'one connection that sends requests without a token ahead',
    isHttp: true,
    run: ({ url }) => crowd(url, 1, () => requestFor('/acme/api/v1/shifts'), 2_000),
  },
  {
    name: 'ten connections that send wrong tokens ahead',
    isHttp: true,
    run: ({ url }) => crowd(url, 10, () => requestFor('/acme/api/v1/shifts', 'wrong'), 2_000),
  },
  {
    name: 'queries that take long to read',
    isHttp: false,
    run: ({ url, attackerToken: token }) => {
      const ids = Array.from({ length: 2_700 }, (_, i) => 1000 + i).join(',');
      const names = Array.from({ length: 1_500 }, (_, i) => `grop_id${i}=1`).join('&');
      const queries = [`group_ids=${ids}`, names, 'group_ids=1&'.repeat(1_200)];
      return crowd(
        url,
        1,
        counted((i) => requestFor(`/acme/api/v1/shifts?per_page=1&${queries[i % 3]}`, token)),
      );
    },
  },
  {
    name: 'queries that all differ',
    isHttp: false,
    run: ({ url, attackerToken: token }) =>
      crowd(
        url,
        50,
        counted((i) => requestFor(differing(i), token)),
      ),
  },
  {
    name: '2,000 connections that ask as often as they are answered',
    isHttp: true,
    run: ({ url, path, attackerToken: token }) => crowd(url, 2_000, () => requestFor(path, token)),
  },
  {
    name: '500 connections that ask for /healthz 32 times ahead each',
    isHttp: true,
    run: ({ url }) => crowd(url, 500, () => requestFor('/healthz'), 32),
  },
  {
    // With as many requests on each as a server works on at a time.
    name: '800 connections that send 32 requests ahead each',
    isHttp: true,
    run: ({ url, path, attackerToken: token }) => crowd(url, 800, () => requestFor(path, token), 32),
  },
  {
    name: '500 connections whose headers come byte by byte',
    isHttp: true,
    async run({ url, path, attackerToken: token }) {
      const request = requestFor(path, token);
      for (;;) {
        const sockets = await openMany(url, 500);
        for (let i = 0; i < 20; i++) {
          for (const socket of sockets) if (socket.writable) socket.write(request[i] ?? '');
          await delay(500);
        }
        for (const socket of sockets) socket.destroy();
      }
    },
  },
  {
    name: '3,000 connections that send 12 requests ahead each and read nothing',
    isHttp: true,
    settles: true,
    async run({ url, path, attackerToken: token }) {
      for (const socket of await openMany(url, 3_000)) socket.write(requestFor(path, token).repeat(12));
    },
  },
  {
    name: '3,000 connections that ask for streams and read nothing',
    isHttp: false,
    settles: true,
    async run({ url, path, attackerToken: token }) {
      for (const socket of await openMany(url, 3_000)) socket.write(requestFor(path, token, STREAM));
    },
  },
  {
    name: '200 connections that open streams and leave, again and again',
    isHttp: false,
    async run({ url, path, attackerToken: token }) {
      for (;;) {
        const sockets = await openMany(url, 200);
        for (const socket of sockets) socket.write(requestFor(path, token, STREAM));
        await delay(50);
        for (const socket of sockets) socket.resetAndDestroy();
      }
    },
  },
  {
    name: '10,000 connections that send nothing',
    isHttp: true,
    settles: true,
    run: async ({ url }) => void (await openMany(url, IDLE)),
  },
];

const STREAM = 'Accept: text/event-stream\r\n';

function requestFor(path: string, token = '', headers = ''): string {
  const authorization = token && `Authorization: Bearer ${token}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization}${headers}\r\n`;
}

const differing = (i: number) =>
  `/acme/api/v1/shifts?per_page=${1 + (i % 500)}&group_ids=${1 + (i % 50)},${100 + i}`;

function counted(request: (i: number) => string): () => string {
  let i = 0;
  return () => request(i++);
}

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
    const length = Math.min(OPENED_AT_ONCE, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length }, () => open(url)))));
  }
  return sockets;
}

/**
 * Sends so many requests ahead on each connection, and again when as many answers have come, and on a new connection
 * when the old one was closed.
 */
async function crowd(url: string, connections: number, next: () => string, ahead = 1): Promise<void> {
  const askWithoutEnd = async (first: Socket) => {
    for (let socket = first; ; socket = await open(url)) {
      let missing = 0;
      const ask = () => {
        missing = ahead;
        if (socket.writable) socket.write(Array.from({ length: ahead }, next).join(''));
      };
      socket.setEncoding('latin1').on('data', (text: string) => {
        missing -= text.split('HTTP/1.1 ').length - 1;
        if (missing <= 0) ask();
      });
      ask();
      if (!socket.destroyed) await once(socket, 'close').catch(() => undefined);
    }
  };
  await Promise.all((await openMany(url, connections)).map(askWithoutEnd));
}
