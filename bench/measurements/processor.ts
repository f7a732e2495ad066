/** What a request costs: the processor time of Shiftfeed, beside that of Fastify sending the same bytes. */

import assert from 'node:assert/strict';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { MAX_UNCERTAINTY } from '../aims.ts';
import type { Field } from '../field.ts';
import { assertSameBytes } from '../listing.ts';
import { askOnce } from '../load/once.ts';
import { CONNECTIONS } from '../load/throughput.ts';
import type { Server } from '../processes.ts';
import { compareProcessorTime, type ProcessorRatio } from '../processor/compare.ts';
import { note } from '../progress.ts';
import { FIRST_PAGE, pathOf, QUERIES, type Query, TEN } from '../queries.ts';
import { brief } from '../report/format.ts';
import { type Finding, type Section, worst } from '../report/section.ts';
import { LARGE } from '../settings.ts';
import { GATEWAY_PATHS, startGateway } from './gateway.ts';

interface Row {
  readonly name: string;
  readonly found: ProcessorRatio;
}

export async function measureProcessor(field: Field): Promise<Section> {
  const pages = await comparePages(field);
  const others = { notModified: await compareNotModified(field), compressed: await compareCompressed(field) };
  const gateway = await compareGateway(field);
  const databases = await compareDatabases(field);
  const toFixed = [...pages, ...Object.values(others), ...gateway];
  return {
    title: 'Processor time of a request',
    text:
      `What a server needs for one request, in its own code and in the kernel, with ${CONNECTIONS} connections that ask again as soon as they are answered. Both sides take ` +
      'turns of as many requests, and the ratio is the median of neighbours: the lower the time of Shiftfeed, the higher it is. In 19 of 20 runs the true one lies within what follows ±. ' +
      `What cannot be told to ±${MAX_UNCERTAINTY} is marked: others were too busy on this machine. Account: 128,000 shifts a year.`,
    tables: [
      { columns: ['answer', 'Shiftfeed, µs', 'fixed buffer, µs', 'ratio', ''], rows: toFixed.map(cellsOf) },
      {
        columns: ['page in memory', 'on PostgreSQL, µs', 'on SQLite, µs', 'ratio', ''],
        rows: databases.map(cellsOf),
      },
    ],
    findings: findingsOf(pages, others, gateway, databases),
  };
}

function cellsOf({ name, found: { ratio, uncertainty, microseconds } }: Row): string[] {
  return [
    name,
    brief(microseconds.ours.median),
    brief(microseconds.other.median),
    `${ratio.toFixed(2)} ±${uncertainty.toFixed(3)}`,
    uncertainty > MAX_UNCERTAINTY ? 'cannot be told' : '',
  ];
}

function findingsOf(
  pages: readonly Row[],
  { notModified, compressed }: Readonly<Record<'notModified' | 'compressed', Row>>,
  gateway: readonly Row[],
  databases: readonly Row[],
): Finding[] {
  const worthOf = ({ found: { ratio, uncertainty } }: Row) => ({ value: ratio, uncertainty });
  const named = (row: Row) => ({ ...worthOf(row), of: row.name });
  const pagesOf500 = pages.filter(({ name }) => name !== TEN.name);
  const ten = pages.find(({ name }) => name === TEN.name) as Row;
  const [at16, at64] = databases as [Row, Row];
  return [
    worst('pageToFixed', pagesOf500.map(named), 'lowest'),
    { aim: 'tenToFixed', ...worthOf(ten) },
    { aim: 'notModified', ...worthOf(notModified) },
    { aim: 'compressedToFixed', ...worthOf(compressed) },
    worst('gateway', gateway.map(named), 'lowest'),
    { aim: 'postgres16', ...worthOf(at16) },
    { aim: 'postgres64', ...worthOf(at64) },
  ];
}

async function comparePages(field: Field): Promise<Row[]> {
  const fileOf = ({ name }: Query) => `${name.replaceAll(/\W+/g, '-')}.json`;
  const bodies: Record<string, Buffer> = {};
  for (const query of QUERIES) bodies[fileOf(query)] = (await field.page(LARGE, query)).body;
  const { server } = await field.fixed(bodies);
  const ours = await field.ours(LARGE);
  const account = field.account(LARGE);
  const rows: Row[] = [];
  for (const query of QUERIES) {
    note(`Processor time: ${query.name}`);
    const url = ours.url + pathOf(query, account, await field.facts(LARGE));
    const limit = { url: `${server.url}/${fileOf(query)}`, headers: account.headers };
    await assertSameBytes(limit, bodies[fileOf(query)] as Buffer);
    const found = await compareProcessorTime({
      ours: { url, headers: account.headers, processes: [ours] },
      other: { ...limit, processes: [server] },
    });
    rows.push({ name: query.name, found });
  }
  return rows;
}

async function compareNotModified(field: Field): Promise<Row> {
  note('Processor time: 304');
  const { path, headers } = field.account(LARGE);
  const ours = await field.ours(LARGE);
  const { server } = await field.fixed({});
  const etag = (await askOnce({ url: ours.url + path, headers })).headers.get('etag') ?? '';
  const sent = { ...headers, 'if-none-match': etag };
  const targets = {
    ours: { url: ours.url + path, headers: sent, processes: [ours] },
    other: { url: `${server.url}/not-modified`, headers: sent, processes: [server] },
  };
  for (const target of Object.values(targets)) assert.equal((await askOnce(target)).status, 304);
  return { name: '304, to one with the same headers', found: await compareProcessorTime(targets) };
}

async function compareCompressed(field: Field): Promise<Row> {
  note('Processor time: a compressed page');
  const { path, headers } = field.account(LARGE);
  const ours = await field.ours(LARGE);
  const { body } = await field.page(LARGE, FIRST_PAGE);
  const { server } = await field.fixed({ 'page.json.gz': await promisify(gzip)(body) });
  const sent = { ...headers, 'accept-encoding': 'gzip' };
  const targets = {
    ours: { url: ours.url + path, headers: sent, processes: [ours] },
    other: { url: `${server.url}/page.json.gz`, headers: sent, processes: [server] },
  };
  for (const target of Object.values(targets)) await assertSameBytes(target, body);
  return { name: 'first page, gzip', found: await compareProcessorTime(targets) };
}

async function compareGateway(field: Field): Promise<Row[]> {
  const gateway = await startGateway(field);
  const rows: Row[] = [];
  for (const [name, path] of Object.entries(GATEWAY_PATHS)) {
    note(`Processor time: gateway, ${name}`);
    const { body } = await askOnce({ url: gateway.url + path, headers: {} });
    const { server } = await field.fixed({ [name]: body });
    const found = await compareProcessorTime({
      ours: { url: gateway.url + path, headers: {}, processes: [gateway] },
      other: { url: `${server.url}/${name}`, headers: {}, processes: [server] },
    });
    rows.push({ name: `gateway, ${name}`, found });
  }
  await gateway.stop();
  return rows;
}

/** The time of the database itself does not count: it has processors of its own, or is another machine. */
async function compareDatabases(field: Field): Promise<Row[]> {
  const size = Math.max(...field.settings.postgresSizes);
  const { path, headers } = field.account(size);
  const contender = (server: Server) => ({ url: server.url + path, headers, processes: [server] });
  const rows: Row[] = [];
  for (const connections of [16, 64]) {
    note(`Processor time: PostgreSQL, ${connections} connections`);
    const targets = {
      ours: contender(await field.oursOnPostgres()),
      other: contender(await field.ours(size)),
    };
    rows.push({
      name: `first page, ${connections} connections`,
      found: await compareProcessorTime(targets, connections),
    });
  }
  return rows;
}
