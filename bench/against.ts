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
import { pathOf, runToEnd, type Server, startServer } from './processes.ts';
import { type Contender, compareProcessorTime, ratioOf } from './processor/compare.ts';
import { endedProcessorSeconds, processorSeconds } from './processor/time.ts';
import { note } from './progress.ts';
import { brief } from './report/format.ts';
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

export async function compareAgainst(commit: string, folder: string): Promise<string> {
  const file = join(folder, 'against.json');
  const plan = { slug: SLUG, shiftsPerYear: SHIFTS_PER_YEAR, number: 1 };
  await writeImportFile(file, 'json', plan, todayIn('UTC', Date.now()));
  const ours = fill({ script: pathOf('../bin/shiftfeed.js'), folder, name: 'ours', file });
  const other = fill({ script: install(commit, folder), folder, name: 'other', file });
  const rows = [
    ...(await compareRequests(ours, other)),
    await compareRuns('start, until it listens', ours, other, startOnce),
    await compareRuns('import of the same 100,000 shifts', ours, other, (version) =>
      importAgain(version, file),
    ),
  ];
  const columns = ['what', 'this checkout', commit, 'other to this', '±'];
  return `Processor time, in turns. A ratio above 1 says that this checkout needs less.\n\n${markdownTable({ columns, rows })}\n`;
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

async function compareRequests(ours: Version, other: Version): Promise<string[][]> {
  const servers = { ours: await serve(ours), other: await serve(other) };
  const rows: string[][] = [];
  for (const [name, { query = '', headers = {} }] of Object.entries(QUESTIONS)) {
    note(`Against: ${name}`);
    const contender = async (server: Server, { token }: Version): Promise<Contender> => {
      const target = {
        url: `${server.url}/${SLUG}/api/v1/shifts${query}`,
        headers: { ...headers, authorization: `Bearer ${token}` },
      };
      const { status, headers: answered } = await askOnce(target);
      assert.equal(status, 200);
      const condition: Headers = name === 'a 304' ? { 'if-none-match': answered.get('etag') ?? '' } : {};
      return { url: target.url, headers: { ...target.headers, ...condition }, processes: [server] };
    };
    const found = await compareProcessorTime({
      ours: await contender(servers.ours, ours),
      other: await contender(servers.other, other),
    });
    const { ours: here, other: there } = found.microseconds;
    rows.push([name, `${brief(here.median)} µs`, `${brief(there.median)} µs`, ...told(found)]);
  }
  for (const server of Object.values(servers)) await server.stop();
  return rows;
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
  return [name, median('ours'), median('other'), ...told(ratioOf(times))];
}

function told({ ratio, uncertainty }: ReturnType<typeof ratioOf>): string[] {
  return [ratio.toFixed(2), uncertainty.toFixed(3)];
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
