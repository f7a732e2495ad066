import { Command, Option } from 'commander';
import { EXPORT_FORMATS, type ExportFormat, exportAccount } from '../export/export.ts';
import { examples } from './help.ts';
import { databaseFileOption, databaseOption, unknownAccount, withStore } from './options.ts';
import { printPieces, warn } from './print.ts';

interface Options {
  readonly database: string;
  readonly format: ExportFormat;
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
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText('after', examples('shiftfeed export acme', 'shiftfeed export acme --format csv'))
    .action(run);
}

async function run(slug: string, { database, format }: Options): Promise<void> {
  await withStore(database, { missing: 'fail', readOnly: true }, async (store) => {
    const isFound = await store.readAccount(slug, async (reading) => {
      await printPieces(exportAccount(reading, format, warn));
      return true;
    });
    if (isFound === undefined) throw unknownAccount(slug);
  });
}
