import { fstatSync } from 'node:fs';
import { Command, Option } from 'commander';
import { EXPORT_FORMATS, type ExportFormat, exportAccount } from '../export/export.ts';
import { Failure } from './failure.ts';
import { examples } from './help.ts';
import { databaseFileOption, databaseOption, unknownAccount, withStore } from './options.ts';
import { printPieces, warn } from './print.ts';

interface Options {
  readonly database: string;
  readonly format: ExportFormat;
  readonly withTokens?: boolean;
}

export function exportCommand(): Command {
  return new Command('export')
    .summary('Write an account and its shifts to standard output.')
    .description(
      'Writes an account to standard output, as it is at one moment: as the JSON document that "import" reads, or its ' +
        'shifts as CSV, which has no settings of the account and no ids but those of shifts.',
    )
    .argument('<slug>', 'the account')
    .addOption(new Option('--format <format>', 'how to write it').choices(EXPORT_FORMATS).default('json'))
    .option('--with-tokens', 'JSON: also write the hashes of its tokens, to move or restore the account')
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText(
      'after',
      examples(
        'shiftfeed export acme',
        'shiftfeed export acme --format csv',
        'shiftfeed export acme --with-tokens',
      ),
    )
    .action(run);
}

async function run(slug: string, { database, format, withTokens = false }: Options): Promise<void> {
  if (withTokens && format === 'csv')
    throw new Failure('A CSV has no tokens: leave out --with-tokens or --format csv.', { exitCode: 2 });
  await withStore(database, { missing: 'fail', readOnly: true }, async (store) => {
    const isFound = await store.readAccount(slug, async (reading) => {
      if (withTokens && mayOthersSee()) warn(KEEP_PRIVATE);
      await printPieces(exportAccount(reading, format, warn, { withTokens }));
      return true;
    });
    if (isFound === undefined) throw unknownAccount(slug);
  });
}

const KEEP_PRIVATE =
  'Others may see this document, or change it before it is imported, and its tokens decide who may read the account: ' +
  'send it to "shiftfeed import", or to a file that only you can read (umask 077).';

/** Whether this is written to a terminal, or to a file that is open to other users. */
function mayOthersSee(): boolean {
  if (process.stdout.isTTY) return true;
  // Windows does not say who may read a file.
  if (process.platform === 'win32') return false;
  const found = fstatSync(process.stdout.fd);
  return found.isFile() && (found.mode & 0o077) !== 0;
}
