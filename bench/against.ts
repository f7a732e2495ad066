/**
 * Compares this checkout with another commit: what requests and an import cost in processor time. For whoever
 * wants to know, or to show, what a change costs.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { writeImportFile } from './accounts.ts';
import { type Account, fill } from './field.ts';
import { askOnce } from './load.ts';
import { brief, plusMinus, sampleOf } from './numbers.ts';
import { note, runToEnd, SHIFTFEED, startServer, untilIdle } from './processes.ts';
import {
  compareProcessorTime,
  endedProcessorSeconds,
  isKnown,
  type Question,
  type Ratio,
  ratioOf,
  type Starts,
} from './processor-time.ts';
import { openReport } from './report.ts';

const SHIFTS_PER_YEAR = 33_000;
/** Each takes a second or more. */
const RUNS = 9;

/** Names, and what they ask. */
const QUESTIONS: readonly (readonly [name: string, query: string, headers: (etag: string) => Headers])[] = [
  ['first page', '', () => ({})],
  ['ten a page', '?per_page=10', () => ({})],
  ['a weekday', '?days=2', () => ({})],
  ['first page, gzip', '', () => ({ 'accept-encoding': 'gzip' })],
  ['a 304', '', (etag) => ({ 'if-none-match': etag })],
];
type Headers = Readonly<Record<string, string>>;

/** A commit that is installed and has data. */
interface Version {
  readonly script: string;
  readonly account: Account;
}

export async function compareAgainst(
  commit: string,
  starts: Starts,
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  const versionOf = async (script: string, name: string): Promise<Version> => {
    const url = `sqlite:${join(folder, `against-${name}.db`)}`;
    return { script, account: await fill(url, SHIFTS_PER_YEAR, folder, script) };
  };
  const ours = await versionOf(SHIFTFEED, 'ours');
  const other = await versionOf(install(commit, join(folder, 'checkout')), 'other');
  const file = join(folder, 'against.json');
  await writeImportFile(file, 'json', { slug: ours.account.slug, shiftsPerYear: SHIFTS_PER_YEAR });

  const report = openReport(`This checkout beside ${commit}`, print);
  report.text(
    'Processor time, in turns, over several starts of both. A ratio above 1 says that this checkout needs less.',
  );
  const addRow = report.table(`what | this checkout | ${commit} | other to this |  | `);
  for (const found of await compareProcessorTime(() => startBoth(ours, other), starts)) {
    const { name, microseconds } = found;
    addRow(name, `${brief(microseconds.ours)} µs`, `${brief(microseconds.other)} µs`, ...told(found));
  }

  note('Against: imports');
  const importOnce = async ({ script, account }: Version) => {
    const before = endedProcessorSeconds();
    await runToEnd(script, ['import', file, '--quiet', '--database', account.databaseUrl]);
    return endedProcessorSeconds() - before;
  };
  const times: { ours: number; other: number }[] = [];
  for (let i = 0; i < RUNS; i++) times.push({ ours: await importOnce(ours), other: await importOnce(other) });
  const median = (of: 'ours' | 'other') => `${brief(sampleOf(times.map((pair) => pair[of])).median)} s`;
  const ratio = ratioOf(times.map((pair) => pair.other / pair.ours));
  addRow('import of the same 100,000 shifts', median('ours'), median('other'), ...told(ratio));
}

/** A checkout of its own, with what its own lock file asks for. */
function install(commit: string, checkout: string): string {
  note(`Installing ${commit}`);
  const project = join(import.meta.dirname, '..');
  const run = (cwd: string, command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
      .toString()
      .trim();
  const hash = run(project, 'git', 'rev-parse', '--verify', `${commit}^{commit}`);
  run(project, 'git', 'clone', '--quiet', project, checkout);
  run(checkout, 'git', 'checkout', '--quiet', hash);
  run(checkout, 'npm', 'ci', '--omit=dev', '--loglevel=error');
  return join(checkout, 'bin/shiftfeed.js');
}

function serve({ script, account }: Version) {
  return startServer(script, ['serve', '--port', '0', '--database', account.databaseUrl]);
}

async function startBoth(ours: Version, other: Version): Promise<Record<string, Question>> {
  note('Against: requests');
  const contenders = async (version: Version) => {
    const server = await serve(version);
    const { path, headers } = version.account;
    const etag = (await askOnce({ url: server.url + path, headers })).headers.get('etag') ?? '';
    await untilIdle(server);
    return QUESTIONS.map(([, query, more]) => ({
      url: server.url + path + query,
      headers: { ...headers, ...more(etag) },
      process: server,
    }));
  };
  const [asOurs, asOther] = [await contenders(ours), await contenders(other)];
  const questions = QUESTIONS.map(([name], i) => [name, { ours: asOurs[i], other: asOther[i] }]);
  return Object.fromEntries(questions);
}

function told(found: Ratio): string[] {
  return [found.ratio.toFixed(2), plusMinus(found.uncertainty), isKnown(found) ? '' : 'cannot be told'];
}
