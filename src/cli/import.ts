import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { type ImportDocument, parseDocument } from '../import/document.ts';
import { type ImportSummary, importDocument } from '../import/import.ts';
import { ImportProblems } from '../import/problems.ts';
import { quote } from '../quote.ts';
import { TABLES } from '../store/records.ts';
import { databaseFileOption } from './database-file.ts';
import { Failure } from './failure.ts';
import { databaseOption, withStore } from './options.ts';
import { print, table } from './print.ts';

interface Options {
  readonly database: string;
  readonly account?: string;
  readonly replace?: boolean;
  readonly dryRun?: boolean;
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
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText(
      'after',
      `
Examples:
  shiftfeed import plan.json
  shiftfeed import plan.json --replace --dry-run`,
    )
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  const document = await readDocument(file);
  const { slug } = document.account;
  if (options.account !== undefined && options.account !== slug) {
    throw new Failure(
      `Nothing was imported: the document is for the account ${quote(slug)}, not ${quote(options.account)}.`,
    );
  }
  const dryRun = options.dryRun ?? false;
  const summary = await withStore(options.database, { missing: dryRun ? 'pretend' : 'create' }, (store) =>
    importDocument(store, document, {
      replace: options.replace ?? false,
      dryRun,
      onProgress: process.stderr.isTTY ? showProgress : undefined,
    }),
  );
  print(describe(slug, summary, dryRun));
}

async function readDocument(file: string): Promise<ImportDocument> {
  if (!file.endsWith('.json')) throw new Failure(`${file} is not a .json file.`);
  try {
    return parseDocument(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)));
  } catch (error) {
    if (error instanceof ImportProblems) throw error;
    throw new Failure(`${file} could not be read: ${reasonOf(error)}.`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
    ERR_STRING_TOO_LONG: 'it is larger than 512 MB',
    ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
  };
  return reasons[code ?? ''] ?? message;
}

function showProgress(done: number, total: number): void {
  process.stderr.write(`\r${done} of ${total} shifts${done === total ? '\n' : ''}`);
}

function describe(slug: string, { account, tables }: ImportSummary, dryRun: boolean): string {
  const outcome = { added: 'is new', changed: 'has new settings', unchanged: 'keeps its settings' }[account];
  const tallies = TABLES.map((name) => {
    const { added, changed, removed, unchanged } = tables[name];
    return [name, added, changed, removed, unchanged];
  });
  return [
    dryRun ? 'Nothing was written: this is what an import would do.' : 'Imported.',
    `The account ${slug} ${outcome}.`,
    table([['', 'added', 'changed', 'removed', 'unchanged'], ...tallies]),
  ].join('\n');
}
