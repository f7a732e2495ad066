/** `account copy`: an account goes to another database as a whole, or comes back from a backup. */

import { Command } from 'commander';
import { exportAccount } from '../export/export.ts';
import { describeChange } from '../import/describe.ts';
import { type ImportSummary, importParts } from '../import/import.ts';
import { readDocument } from '../import/json/read.ts';
import { ImportProblems, listProblems } from '../import/problems.ts';
import type { AccountReading } from '../store/admin/export.ts';
import { describeDatabase } from '../store/open.ts';
import { Failure, wrongUse } from './failure.ts';
import { examples } from './help.ts';
import { describeOutcome, describeTokenChange } from './import/describe.ts';
import { written } from './import/once.ts';
import { COMMAND_LINE, databaseFileOption, databaseOption, unknownAccount, withStore } from './options.ts';
import { print, warn } from './print.ts';

interface Options {
  readonly database: string;
  readonly to?: string;
  readonly replace?: boolean;
  readonly dryRun?: boolean;
  readonly show?: boolean;
}

export function copyCommand(): Command {
  return new Command('copy')
    .description(
      'Copy an account to another database, or out of a backup: settings, records and the hashes of its tokens, which stay ' +
        'valid. Keys of the desk are not copied.',
    )
    .argument('<slug>', 'the account')
    .option('--to <url>', 'the database that it is copied to')
    .option('--to-file <path>', 'a file with that URL, for one that holds a password')
    .option('--replace', 'make an account that is there already the same; its other tokens are revoked')
    .option('--dry-run', 'write nothing, and say what would be written')
    .option('--show', 'with --dry-run: list what would be added (+), changed (~) and removed (-)')
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText(
      'after',
      examples(
        'shiftfeed account copy acme --to sqlite:other.db',
        'shiftfeed account copy acme --database sqlite:backup.db --to sqlite:shiftfeed.db --replace',
      ),
    )
    .action(copy);
}

async function copy(slug: string, options: Options): Promise<void> {
  const { database, to, dryRun = false, show } = options;
  if (to === undefined) throw wrongUse('Say with --to or --to-file which database it is copied to.');
  if (show && !dryRun) throw wrongUse('--show is for --dry-run: give both.');
  let copied: ImportSummary | undefined;
  const summary = await withStore(database, { missing: 'fail', readOnly: true }, (store) =>
    store.readAccount(slug, async (reading) => {
      copied = await copyTo(to, reading, options);
      return copied;
    }),
  ).catch((error: unknown) => {
    // Everything was read and written by then, so it does not matter how the reading ends.
    if (copied === undefined) throw error;
    return copied;
  });
  if (summary === undefined) throw unknownAccount(slug);
  print(describeOutcome(summary, dryRun, describeDatabase(to)));
}

/** What is read is checked, compared and written like a document. */
async function copyTo(
  url: string,
  reading: AccountReading,
  { replace = false, dryRun = false, show }: Options,
): Promise<ImportSummary> {
  const tokens = (await Array.fromAsync(reading.tokens())).flat();
  try {
    return await withStore(url, { missing: dryRun ? 'pretend' : 'create' }, (store) =>
      importParts(store, readDocument(bytesOf(exportAccount(reading, 'json', warn))), {
        replace,
        dryRun,
        tokens,
        origin: { who: COMMAND_LINE, file: 'account copy' },
        onChanges: show
          ? (changes, nameOf) => printed(changes.map((one) => describeChange(one, nameOf)))
          : undefined,
        onTokenChanges: show ? (changes) => printed(changes.map(describeTokenChange)) : undefined,
      }),
    );
  } catch (error) {
    if (!(error instanceof ImportProblems)) throw error;
    const { problems, count } = error;
    const headline = `Nothing was copied: there ${count === 1 ? 'is a problem' : `are ${count} problems`}.`;
    throw new Failure([headline, ...listProblems(problems, count, 'operator')].join('\n'));
  }
}

const printed = (lines: readonly string[]) => written(process.stdout, lines);

async function* bytesOf(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
