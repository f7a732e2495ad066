/**
 * Compares this checkout with another commit: what requests, a start and an import cost in processor time. For whoever
 * wants to know, or to show, what a change costs.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { todayIn } from '../src/feed/pages/today.ts';
import { writeImportFile } from './data/import-files.ts';
import { askOnce } from './load/once.ts';
import { pathOf, runToEnd, type Server, startServer, untilIdle } from './processes.ts';
import { compareProcessorTime, isKnown, type Questions, type Starts } from './processor/compare.ts';
import { type Ratio, ratioOf } from './processor/ratio.ts';
import { endedProcessorSeconds, processorSeconds } from './processor/time.ts';
import type { Contender, Question } from './processor/turns.ts';
import { note } from './progress.ts';
import { brief, plusMinus } from './report/format.ts';
import { markdownTable } from './report/markdown.ts';
import { sampleOf } from './sample.ts';

const SHIFTS_PER_YEAR = 33_000;
const SLUG = 'against';
/** Each takes a second or more. */
const RUNS = 9;

const QUESTIONS: Readonly<Record<string, { readonly query?: string; readonly headers?: Headers }>> = {
  'first page': {},
  'ten a page': { query: '?per_page=10' },
  'a weekday': { query: '?days=2' },
  'first page, gzip': { headers: { 'accept-encoding': 'gzip' } },
  'a 304': {},
};
type Headers = Readonly<Record<string, string>>;

/** A commit that is installed and has data. */
interface Version {
  readonly script: string;
  readonly database: string;
  readonly token: string;
}

export async function compareAgainst(commit: string, starts: Starts, folder: string): Promise<string> {
  const file = join(folder, 'against.json');
  const plan = { slug: SLUG, shiftsPerYear: SHIFTS_PER_YEAR, number: 1 };
  await writeImportFile(file, 'json', plan, todayIn('UTC', Date.now()));
  const ours = fill({ script: pathOf('../bin/shiftfeed.js'), folder, name: 'ours', file });
  const other = fill({ script: install(commit, folder), folder, name: 'other', file });
  const rows = [
    ...(await compareRequests(ours, other, starts)),
    await compareRuns('start, until it listens', ours, other, startOnce),
    await compareRuns('import of the same 100,000 shifts', ours, other, (version) =>
      importAgain(version, file),
    ),
  ];
  const columns = ['what', 'this checkout', commit, 'other to this', '', ''];
  return `Processor time, in turns, over several starts of both. A ratio above 1 says that this checkout needs less.\n\n${markdownTable({ columns, rows })}\n`;
}

/** A checkout of its own, with what its own lock file asks for. */
function install(commit: string, folder: string): string {
  note(`Installing ${commit}`);
  const checkout = join(folder, 'other-checkout');
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  git('clone', '--quiet', pathOf('..'), checkout);
  const hash = execFileSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: pathOf('..') });
  git('-C', checkout, 'checkout', '--quiet', hash.toString().trim());
  execFileSync('npm', ['ci', '--omit=dev', '--loglevel=error'], {
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return join(checkout, 'bin/shiftfeed.js');
}

function fill(from: { script: string; folder: string; name: string; file: string }): Version {
  const database = `sqlite:${join(from.folder, `against-${from.name}.db`)}`;
  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, [from.script, ...args, '--database', database]).toString();
  run('import', from.file, '--quiet');
  return { script: from.script, database, token: run('token', 'create', SLUG).trim() };
}

function serve({ script, database }: Version): Promise<Server> {
  return startServer(script, ['serve', '--port', '0', '--database', database]);
}

async function compareRequests(ours: Version, other: Version, starts: Starts): Promise<string[][]> {
  const found = await compareProcessorTime(() => startBoth(ours, other), starts);
  return found.map(({ name, microseconds, ...ratio }) => [
    name,
    `${brief(microseconds.ours)} µs`,
    `${brief(microseconds.other)} µs`,
    ...told(ratio),
  ]);
}

async function startBoth(ours: Version, other: Version): Promise<Questions> {
  note('Against: requests');
  const servers = { ours: await serve(ours), other: await serve(other) };
  const questions: Record<string, Question> = {};
  for (const name of Object.keys(QUESTIONS)) {
    questions[name] = {
      ours: await contenderOf(servers.ours, ours, name),
      other: await contenderOf(servers.other, other, name),
    };
  }
  for (const server of Object.values(servers)) await untilIdle(server);
  return questions;
}

async function contenderOf(server: Server, { token }: Version, name: string): Promise<Contender> {
  const { query = '', headers = {} } = QUESTIONS[name] ?? {};
  const target = {
    url: `${server.url}/${SLUG}/api/v1/shifts${query}`,
    headers: { ...headers, authorization: `Bearer ${token}` },
  };
  const { status, headers: answered } = await askOnce(target);
  assert.equal(status, 200);
  const condition: Headers = name === 'a 304' ? { 'if-none-match': answered.get('etag') ?? '' } : {};
  return { url: target.url, headers: { ...target.headers, ...condition }, processes: [server] };
}

async function compareRuns(
  name: string,
  ours: Version,
  other: Version,
  run: (version: Version) => Promise<number>,
): Promise<string[]> {
  note(`Against: ${name}`);
  const times: { ours: number; other: number }[] = [];
  for (let i = 0; i < RUNS; i++) times.push({ ours: await run(ours), other: await run(other) });
  const median = (of: 'ours' | 'other') => `${brief(sampleOf(times.map((pair) => pair[of])).median)} s`;
  return [
    name,
    median('ours'),
    median('other'),
    ...told(ratioOf(times.map((pair) => pair.other / pair.ours))),
  ];
}

function told(found: Ratio): string[] {
  return [found.ratio.toFixed(2), plusMinus(found.uncertainty), isKnown(found) ? '' : 'cannot be told'];
}

async function startOnce(version: Version): Promise<number> {
  const server = await serve(version);
  const seconds = processorSeconds(server.pid);
  await server.stop();
  return seconds;
}

async function importAgain({ script, database }: Version, file: string): Promise<number> {
  const before = endedProcessorSeconds();
  await runToEnd(script, ['import', file, '--quiet', '--database', database]);
  return endedProcessorSeconds() - before;
}
