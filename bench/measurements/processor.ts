/** What a request costs: the processor time of Shiftfeed, beside that of Fastify sending the same bytes. */

import assert from 'node:assert/strict';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { MAX_UNCERTAINTY } from '../aims.ts';
import { type Field, movePostgres } from '../field.ts';
import { readListing } from '../listing.ts';
import { askOnce } from '../load/once.ts';
import { CONNECTIONS } from '../load/throughput.ts';
import { type Server, serveShiftfeed, untilIdle } from '../processes.ts';
import { compareProcessorTime, isKnown, type ProcessorRatio, type Questions } from '../processor/compare.ts';
import type { Question } from '../processor/turns.ts';
import { note } from '../progress.ts';
import { pathOf, QUERIES, TEN } from '../queries.ts';
import { brief, plusMinus } from '../report/format.ts';
import { type Finding, type Section, worst } from '../report/section.ts';
import { cacheMbFor, LARGE } from '../settings.ts';
import { GATEWAY_PATHS, startGateway } from './gateway.ts';

const NOT_MODIFIED = '304, to one with the same headers';
const COMPRESSED = 'first page, gzip';

export async function measureProcessor(field: Field): Promise<Section> {
  const { starts } = field.settings;
  const pages = await compareProcessorTime(() => startPages(field), starts);
  const gateway = await compareProcessorTime(() => startFeeds(field), starts);
  const postgres = await field.postgres();
  await movePostgres('load', postgres.url);
  const databases = await compareProcessorTime(() => startDatabases(field), starts);
  await movePostgres('server', postgres.url);
  return {
    title: 'Processor time of a request',
    text:
      `What a server needs for one request, in its own code and in the kernel, with ${CONNECTIONS} connections that ask again as soon as they are answered. Both sides are started ` +
      `${starts.least} times, or up to ${starts.most} while a ratio is not known to ±${MAX_UNCERTAINTY}, because two starts of the same code differ. After each start they are warmed up with all questions, and then take ` +
      'short turns of as many requests. Turns in which others kept a server waiting for the processor are repeated; a start that they disturbed all the time does not count. ' +
      'The ratio of a start is the median of neighbours, and the one told is the mean of the starts: the lower the time of Shiftfeed, the higher it is. ' +
      'What follows ± comes from how far the starts lie apart: in 19 of 20 runs under the same load of the machine, the true ratio lies within it. ' +
      `What cannot be told to ±${MAX_UNCERTAINTY} is marked. Account: 128,000 shifts a year. ` +
      'In the second table, PostgreSQL runs beside the load, and only the time of the service counts.',
    tables: [
      {
        columns: ['answer', 'Shiftfeed, µs', 'fixed buffer, µs', 'ratio', 'starts', ''],
        rows: [...pages, ...gateway].map(cellsOf),
      },
      {
        columns: ['page in memory', 'on PostgreSQL, µs', 'on SQLite, µs', 'ratio', 'starts', ''],
        rows: databases.map(cellsOf),
      },
    ],
    findings: findingsOf(pages, gateway, databases),
  };
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

function findingsOf(
  pages: readonly ProcessorRatio[],
  gateway: readonly ProcessorRatio[],
  databases: readonly ProcessorRatio[],
): Finding[] {
  const worthOf = ({ ratio, uncertainty }: ProcessorRatio) => ({ value: ratio, uncertainty });
  const named = (found: ProcessorRatio) => ({ ...worthOf(found), of: found.name });
  const page = (name: string) => worthOf(pages.find((found) => found.name === name) as ProcessorRatio);
  const smaller = [TEN.name, NOT_MODIFIED, COMPRESSED];
  const pagesOf500 = pages.filter(({ name }) => !smaller.includes(name));
  const [at16, at64] = databases as [ProcessorRatio, ProcessorRatio];
  return [
    worst('pageToFixed', pagesOf500.map(named), 'lowest'),
    { aim: 'tenToFixed', ...page(TEN.name) },
    { aim: 'notModified', ...page(NOT_MODIFIED) },
    { aim: 'compressedToFixed', ...page(COMPRESSED) },
    worst('gateway', gateway.map(named), 'lowest'),
    { aim: 'postgres16', ...worthOf(at16) },
    { aim: 'postgres64', ...worthOf(at64) },
  ];
}

async function startPages(field: Field): Promise<Questions> {
  note('Processor time: pages');
  const account = field.account(LARGE);
  const { path, headers } = account;
  const facts = await field.facts(LARGE);
  const server = await serveShiftfeed((await field.sqlite()).url, { cacheMb: cacheMbFor(LARGE) });
  const etag = (await askOnce({ url: server.url + path, headers })).headers.get('etag') ?? '';
  return startBesideFixed(field, server, {
    ...Object.fromEntries(
      QUERIES.map((query) => [query.name, { path: pathOf(query, account, facts), headers }]),
    ),
    [NOT_MODIFIED]: { path, headers: { ...headers, 'if-none-match': etag }, status: 304 },
    [COMPRESSED]: { path, headers: { ...headers, 'accept-encoding': 'gzip' } },
  });
}

async function startFeeds(field: Field): Promise<Questions> {
  note('Processor time: gateway');
  const requests = Object.entries(GATEWAY_PATHS).map(([name, path]) => [
    `gateway, ${name}`,
    { path, headers: {} },
  ]);
  return startBesideFixed(field, await startGateway(field), Object.fromEntries(requests));
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
): Promise<Questions> {
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
  const { server: fixed } = await field.fixed(
    Object.fromEntries(asked.map(({ file, sent }) => [file, sent])),
  );
  const questions: Record<string, Question> = {};
  for (const { name, target, status, body, file } of asked) {
    const limit = {
      url: `${fixed.url}/${status === 304 ? 'not-modified' : file}`,
      headers: target.headers,
    };
    const answer = await askOnce(limit);
    assert.equal(answer.status, status, name);
    assert.ok(answer.body.equals(body), `${name}: other bytes`);
    questions[name] = {
      ours: { ...target, processes: [server] },
      other: { ...limit, processes: [fixed] },
    };
  }
  return questions;
}

async function startDatabases(field: Field): Promise<Questions> {
  note('Processor time: PostgreSQL');
  const size = Math.max(...field.settings.postgresSizes);
  const { path, headers } = field.account(size);
  const start = async (databaseUrl: string) => {
    const server = await serveShiftfeed(databaseUrl);
    await readListing({ url: server.url + path, headers });
    await untilIdle(server);
    return { url: server.url + path, headers, processes: [server] };
  };
  const ours = await start((await field.postgres()).url);
  const other = await start((await field.sqlite()).url);
  return Object.fromEntries(
    [16, 64].map((connections) => [`first page, ${connections} connections`, { ours, other, connections }]),
  );
}
