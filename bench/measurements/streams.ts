/** What streams cost: those of quiet accounts in processor time and memory, and those of a busy one beside pages. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { copyAccount } from '../accounts.ts';
import { type Account, type Field, fill } from '../field.ts';
import { askOnSchedule, keepBusy, type Target } from '../load.ts';
import { brief, milliseconds, percentile, whole } from '../numbers.ts';
import { megabytesOf, note, type Server, SHIFTFEED, serveShiftfeed } from '../processes.ts';
import { processorSeconds } from '../processor-time.ts';
import type { Report } from '../report.ts';
import { SMALL } from '../settings.ts';

const QUIET = 5_000;
const BUSY = 1_000;
const STREAMS_OF_TOKEN = 100;
const SHIFTS_A_YEAR_OF_MANY = 14;
const PAGES_A_SECOND = 200;
/** So many connections are opened at a time. */
const AT_A_TIME = 100;
/** After streams are opened, or pages asked for, V8 still collects what that took. */
const SETTLE_MS = 5_000;

interface Listener {
  readonly path: string;
  readonly headers: Target['headers'];
}

export async function measureStreams(field: Field, report: Report): Promise<void> {
  const seconds = field.settings.isQuick ? 5 : 30;
  report.text(
    `${whole(QUIET)} streams on one process, of accounts to which nobody writes, for ${seconds} s: on SQLite each of an account of its own, on ` +
      `PostgreSQL of one account with ${QUIET / STREAMS_OF_TOKEN} tokens. And ${whole(BUSY)} streams of an account on SQLite that is written to every second, ` +
      `while its first page is asked for ${PAGES_A_SECOND} times a second.`,
  );
  const addRow = report.table('streams | database | of a core | memory each');
  const quiet: { value: number; of: string }[] = [];
  const memory: { value: number; of: string }[] = [];
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    note(`Quiet streams on ${database}`);
    const { databaseUrl, listeners } =
      database === 'SQLite'
        ? await manyAccounts(field)
        : await manyTokens(await field.account(database, SMALL), QUIET);
    const server = await serveShiftfeed(databaseUrl);
    // V8's space for new objects grows in every process that is busy, with streams or without.
    const { path = '', headers = {} } = listeners[0] ?? {};
    await keepBusy({ url: server.url + path, headers }, delay(SETTLE_MS));
    await delay(SETTLE_MS);
    const before = megabytesOf(server.pid, 'VmRSS');
    const sockets = await listenAll(server, listeners);
    await delay(SETTLE_MS);
    const share = await shareOfCore(server, seconds);
    const kilobytes = ((megabytesOf(server.pid, 'VmRSS') - before) * 1_024) / QUIET;
    addRow(whole(QUIET), database, `${brief(100 * share)} %`, `${brief(kilobytes)} kB`);
    quiet.push({ value: 100 * share, of: database });
    memory.push({ value: kilobytes, of: database });
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
  report.worst('streamsQuiet', quiet);
  report.worst('streamsMemory', memory);
  await measureBusy(field, report, seconds);
}

async function measureBusy(field: Field, report: Report, seconds: number): Promise<void> {
  note('Streams of a busy account');
  const path = join(field.folder, 'busy.db');
  const account = await fill(`sqlite:${path}`, SMALL, field.folder);
  const { listeners } = await manyTokens(account, BUSY);
  const server = await serveShiftfeed(account.databaseUrl);
  const target = { url: server.url + account.path, headers: account.headers };
  const database = new DatabaseSync(path, { timeout: 5_000 });
  const writing = setInterval(() => {
    database.exec(
      `UPDATE shifts SET remarks = '${Date.now()}' WHERE id = (SELECT min(id) FROM shifts WHERE date > date('now', '+9 days'))`,
    );
  }, 1_000);
  const addRow = report.table(
    'streams of a busy account | median of a page | p99 of a page | events a second',
  );
  const measure = async (streams: number, events: () => number) => {
    await askOnSchedule(target, PAGES_A_SECOND, delay(SETTLE_MS));
    const eventsBefore = events();
    const latencies = await askOnSchedule(target, PAGES_A_SECOND, delay(seconds * 1_000));
    const sorted = [...latencies].sort((a, b) => a - b);
    const [median, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
    addRow(
      whole(streams),
      milliseconds(median),
      milliseconds(p99),
      whole((events() - eventsBefore) / seconds),
    );
    return p99;
  };
  const alone = await measure(0, () => 0);
  const sockets = await listenAll(server, listeners);
  let events = 0;
  for (const socket of sockets)
    socket.on('data', (bytes) => {
      if (bytes.includes('event: ')) events++;
    });
  const beside = await measure(BUSY, () => events);
  clearInterval(writing);
  database.close();
  for (const socket of sockets) socket.destroy();
  report.finding('streamsPages', beside / alone);
  await server.stop();
}

async function manyAccounts(field: Field) {
  const path = join(field.folder, 'streams.db');
  const { databaseUrl, slug } = await fill(`sqlite:${path}`, SHIFTS_A_YEAR_OF_MANY, field.folder);
  return { databaseUrl, listeners: copyAccount(path, slug, QUIET) };
}

async function manyTokens({ databaseUrl, slug, path }: Account, streams: number) {
  const tokens = Array.from({ length: streams / STREAMS_OF_TOKEN }, () =>
    execFileSync(process.execPath, [SHIFTFEED, 'token', 'create', slug, '--database', databaseUrl], {
      encoding: 'utf8',
    }).trim(),
  );
  const listeners = tokens.flatMap((token) =>
    Array.from({ length: STREAMS_OF_TOKEN }, () => ({ path, headers: { authorization: `Bearer ${token}` } })),
  );
  return { databaseUrl, listeners };
}

async function shareOfCore({ pid }: Server, seconds: number): Promise<number> {
  const [beganMs, before] = [performance.now(), processorSeconds(pid)];
  await delay(seconds * 1_000);
  return (processorSeconds(pid) - before) / ((performance.now() - beganMs) / 1_000);
}

/** Each has its first event. */
async function listenAll({ url }: Server, listeners: readonly Listener[]): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let i = 0; i < listeners.length; i += AT_A_TIME) {
    const some = listeners.slice(i, i + AT_A_TIME).map(async ({ path, headers }) => {
      const socket = connect(Number(port), hostname);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n${lines.join('')}\r\n`,
      );
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      if (!bytes.includes('200 OK')) throw new Error(`A stream was refused: ${bytes}`);
      sockets.push(socket.resume());
    });
    await Promise.all(some);
  }
  return sockets;
}
