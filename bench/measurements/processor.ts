/** What a request costs: the processor time of Shiftfeed, beside that of Fastify sending the same bytes. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type AimName, MAX_UNCERTAINTY } from '../aims.ts';
import { type DatabaseKind, type Field, QUERIES, TEN } from '../field.ts';
import { askOnce, CONNECTIONS, readListing } from '../load.ts';
import { brief, plusMinus } from '../numbers.ts';
import { note, type Server, SHIFTFEED, serveShiftfeed, startServer, untilIdle } from '../processes.ts';
import { compareProcessorTime, isKnown, type ProcessorRatio, type Question } from '../processor-time.ts';
import type { Report } from '../report.ts';
import { cacheMbFor, LARGE, SMALL } from '../settings.ts';

const NOT_MODIFIED = '304, to one with the same headers';
const COMPRESSED = 'first page, gzip';

/** The aims of what is no page of 500. */
const AIMS_OF: Readonly<Record<string, AimName>> = {
  [TEN.name]: 'tenToFixed',
  [NOT_MODIFIED]: 'notModified',
  [COMPRESSED]: 'compressedToFixed',
  'gateway, JSON': 'gateway',
  'gateway, calendar': 'gateway',
  'first page, 16 connections': 'postgres16',
  'first page, 64 connections': 'postgres64',
};

export async function measureProcessor(field: Field, report: Report): Promise<void> {
  const { starts } = field.settings;
  report.text(
    `What a server needs for one request, in its own code and in the kernel, with ${CONNECTIONS} connections that ask again as soon as they are answered. Both sides are started ` +
      `${starts.least} times, or up to ${starts.most} while a ratio is not known to ±${MAX_UNCERTAINTY}, because two starts of the same code differ. After each start they are warmed up with all questions, and then take ` +
      'short turns of as many requests. Turns in which others kept a server waiting for the processor are repeated; a start that they disturbed all the time does not count. ' +
      'The ratio of a start is the median of neighbours, and the one told is the mean of the starts: the lower the time of Shiftfeed, the higher it is. ' +
      'What follows ± comes from how far the starts lie apart: in 19 of 20 runs under the same load of the machine, the true ratio lies within it. ' +
      `What cannot be told to ±${MAX_UNCERTAINTY} is marked. Account: 128,000 shifts a year. ` +
      'In the second table, PostgreSQL runs beside the load, and only the time of the service counts.',
  );
  const addPage = report.table('answer | Shiftfeed, µs | fixed buffer, µs | ratio | starts | ');
  const pages = await compareProcessorTime(() => startPages(field), starts);
  for (const page of pages) addPage(...cellsOf(page));
  const visits = await compareProcessorTime(() => startVisits(field), starts);
  for (const visit of visits) addPage(...cellsOf(visit));
  const addDatabase = report.table('page in memory | on PostgreSQL, µs | on SQLite, µs | ratio | starts | ');
  await field.movePostgres('load');
  const databases = await compareProcessorTime(() => startDatabases(field), starts);
  await field.movePostgres('server');
  for (const database of databases) addDatabase(...cellsOf(database));
  const byAim = Map.groupBy(
    [...pages, ...visits, ...databases],
    ({ name }) => AIMS_OF[name] ?? 'pageToFixed',
  );
  for (const [aim, found] of byAim) {
    const values = found.map(({ name, ratio, uncertainty }) => ({ value: ratio, uncertainty, of: name }));
    report.worst(aim, values);
  }
}

function cellsOf(found: ProcessorRatio): string[] {
  const { name, ratio, uncertainty, microseconds, starts } = found;
  return [
    name,
    brief(microseconds.ours),
    brief(microseconds.other),
    `${ratio.toFixed(2)} ${plusMinus(uncertainty)}`,
    String(starts),
    isKnown(found) ? '' : 'cannot be told',
  ];
}

async function startPages(field: Field): Promise<Record<string, Question>> {
  note('Processor time: pages');
  const { databaseUrl, path, headers } = await field.account('SQLite', LARGE);
  const requests: Record<string, Request> = {};
  for (const query of QUERIES) requests[query.name] = { path: await field.pathOf(LARGE, query), headers };
  const server = await serveShiftfeed(databaseUrl, { cacheMb: cacheMbFor(LARGE) });
  const etag = (await askOnce({ url: server.url + path, headers })).headers.get('etag') ?? '';
  return startBesideFixed(field, server, {
    ...requests,
    [NOT_MODIFIED]: { path, headers: { ...headers, 'if-none-match': etag }, status: 304 },
    [COMPRESSED]: { path, headers: { ...headers, 'accept-encoding': 'gzip' } },
  });
}

const DAYS_AHEAD = 30;
const GATEWAY_PATHS = { JSON: '/kitchen/shifts', calendar: '/kitchen/shifts.ics' } as const;

async function startVisits(field: Field): Promise<Record<string, Question>> {
  note('Processor time: gateway');
  const requests = Object.entries(GATEWAY_PATHS).map(([name, path]) => [
    `gateway, ${name}`,
    { path, headers: {} },
  ]);
  return startBesideFixed(field, await startGateway(field), Object.fromEntries(requests));
}

async function startGateway(field: Field) {
  const { slug, token } = await field.account('SQLite', SMALL);
  const upstream = await field.ours('SQLite', SMALL);
  const config = join(field.folder, 'gateway.json');
  await writeFile(join(field.folder, 'gateway.token'), token, { mode: 0o600 });
  await writeFile(
    config,
    JSON.stringify({
      upstream: `${upstream.url}/${slug}`,
      token_file: 'gateway.token',
      feeds: { kitchen: { group_ids: 'all', days_ahead: DAYS_AHEAD } },
    }),
  );
  return startServer(SHIFTFEED, ['gateway', config, '--port', '0']);
}

interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** 200 when left out. */
  readonly status?: number;
}

/** Starts Fastify with what the server answers, and checks that it gives the same answers. */
async function startBesideFixed(
  field: Field,
  server: Server,
  requests: Readonly<Record<string, Request>>,
): Promise<Record<string, Question>> {
  const asked = await Promise.all(
    Object.entries(requests).map(async ([name, { path, headers, status = 200 }], i) => {
      const target = { url: server.url + path, headers };
      const { status: answered, body } = await askOnce(target);
      assert.equal(answered, status, name);
      const isCompressed = headers['accept-encoding'] === 'gzip';
      const file = `${i}.json${isCompressed ? '.gz' : ''}`;
      return { name, target, status, body, file, sent: isCompressed ? await promisify(gzip)(body) : body };
    }),
  );
  await untilIdle(server);
  const files = Object.fromEntries(asked.map(({ file, sent }) => [file, sent]));
  const { server: fixed } = await field.fixed(files);
  const questions: Record<string, Question> = {};
  for (const { name, target, status, body, file } of asked) {
    const url = `${fixed.url}/${status === 304 ? 'not-modified' : file}`;
    const limit = { url, headers: target.headers };
    const answer = await askOnce(limit);
    assert.equal(answer.status, status, name);
    assert.ok(answer.body.equals(body), `${name}: other bytes`);
    questions[name] = { ours: { ...target, process: server }, other: { ...limit, process: fixed } };
  }
  return questions;
}

async function startDatabases(field: Field): Promise<Record<string, Question>> {
  note('Processor time: PostgreSQL');
  const size = Math.max(...field.settings.postgresSizes);
  const start = async (kind: DatabaseKind) => {
    const { databaseUrl, path, headers } = await field.account(kind, size);
    const server = await serveShiftfeed(databaseUrl);
    await readListing({ url: server.url + path, headers });
    await untilIdle(server);
    return { url: server.url + path, headers, process: server };
  };
  const ours = await start('PostgreSQL');
  const other = await start('SQLite');
  return Object.fromEntries(
    [16, 64].map((connections) => [`first page, ${connections} connections`, { ours, other, connections }]),
  );
}
