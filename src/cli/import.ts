import { createReadStream } from 'node:fs';
import { Command } from 'commander';
import type { DocumentPart } from '../import/document.ts';
import type { ImportSummary, Progress } from '../import/import.ts';
import { describeProblem, type ImportProblem, ImportProblems } from '../import/problems.ts';
import { quote } from '../quote.ts';
import { describeDatabase } from '../store/open.ts';
import { TABLES } from '../store/records.ts';
import { databaseFileOption } from './database-file.ts';
import { Failure } from './failure.ts';
import { examples } from './help.ts';
import { databaseOption, withStore } from './options.ts';
import { print, table } from './print.ts';
import { countProblems } from './problems.ts';

interface Options {
  readonly database: string;
  readonly account?: string;
  readonly replace?: boolean;
  readonly dryRun?: boolean;
  readonly allProblems?: boolean;
}

export function importCommand(): Command {
  return new Command('import')
    .summary('Read an account and its shifts from a JSON document.')
    .description(
      'Reads an account and its groups, locations, people and shifts from a JSON document. Records are added, ' +
        'or changed where the id is known. It is one transaction: with any problem, nothing is imported at all.',
    )
    .argument('<file>', 'the document, a .json file')
    .option('--account <slug>', 'refuse the document unless it is for this account')
    .option('--replace', 'also remove what the document does not have')
    .option('--dry-run', 'check everything and say what would change, but change nothing')
    .option('--all-problems', 'show every problem of the document, not just the first 20')
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText(
      'after',
      examples('shiftfeed import plan.json', 'shiftfeed import plan.json --replace --dry-run'),
    )
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  if (!file.endsWith('.json')) throw new Failure(`${file} is not a .json file.`);
  const { importParts } = await import('../import/import.ts');
  const { parts, hasProblem } = await beginReading(partsOfFile(file, options.account));
  const dryRun = options.dryRun ?? false;
  // If the beginning has a problem, nothing will be written.
  const isPretended = dryRun || hasProblem;
  try {
    const summary = await withStore(
      options.database,
      { missing: isPretended ? 'pretend' : 'create' },
      (store) =>
        importParts(store, parts, {
          replace: options.replace ?? false,
          dryRun: isPretended,
          onProgress: process.stderr.isTTY ? showProgress : undefined,
          onProblems: options.allProblems ? showProblems : undefined,
        }),
    );
    clearProgress();
    print(describe(summary, dryRun, describeDatabase(options.database)));
  } catch (error) {
    clearProgress();
    if (!options.allProblems || !(error instanceof ImportProblems)) throw error;
    throw new Failure(countProblems(error.count), { cause: error });
  }
}

async function* partsOfFile(file: string, account: string | undefined): AsyncGenerator<DocumentPart> {
  const { readDocument } = await import('../import/read-document.ts');
  try {
    for await (const part of readDocument(createReadStream(file))) {
      if ('account' in part && account !== undefined && part.account.slug !== account) {
        throw new Failure(
          `Nothing was imported: the document is for the account ${quote(part.account.slug)}, not ${quote(account)}.`,
        );
      }
      yield part;
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${file} could not be read: ${reasonOf(error)}.`, { cause: error });
  }
}

/** The database is opened after this many records, or at the end of a smaller document. */
const RECORDS_READ_FIRST = 1_000;

/** Reads the first parts, so that an unreadable file, or one that begins with a problem, creates no database. */
async function beginReading(
  parts: AsyncGenerator<DocumentPart>,
): Promise<{ parts: AsyncIterable<DocumentPart>; hasProblem: boolean }> {
  const first: DocumentPart[] = [];
  for (let records = 0; records < RECORDS_READ_FIRST; ) {
    const { done, value: part } = await parts.next();
    if (done) break;
    first.push(part);
    records += 'table' in part ? part.records.length : 1;
  }
  async function* allParts() {
    yield* first;
    yield* parts;
  }
  return { parts: allParts(), hasProblem: first.some(isFlawed) };
}

function isFlawed(part: DocumentPart): boolean {
  return 'problem' in part || ('table' in part && part.records.some(({ flawed }) => flawed !== undefined));
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
  };
  return reasons[code ?? ''] ?? message;
}

const CLEAR_LINE = '\r\x1b[K';

function showProgress({ step, done }: Progress): void {
  process.stderr.write(`${CLEAR_LINE}${done} shifts ${step}`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
}

/** Waits until they are written, so that any number of problems fits into memory. */
function showProblems(problems: readonly ImportProblem[]): Promise<void> {
  clearProgress();
  const lines = problems.map((problem) => `  ${describeProblem(problem)}\n`);
  return new Promise((resolve) => {
    process.stderr.write(lines.join(''), () => resolve());
  });
}

function describe({ slug, account, tables }: ImportSummary, dryRun: boolean, database: string): string {
  const outcome = { added: 'is new', changed: 'has new settings', unchanged: 'keeps its settings' }[account];
  const tallies = TABLES.map((name) => {
    const { added, changed, removed, unchanged } = tables[name];
    return [name, added, changed, removed, unchanged];
  });
  return [
    dryRun
      ? `Nothing was written: this is what an import into ${database} would do.`
      : `Imported into ${database}.`,
    `The account ${slug} ${outcome}.`,
    table([['', 'added', 'changed', 'removed', 'unchanged'], ...tallies]),
  ].join('\n');
}
