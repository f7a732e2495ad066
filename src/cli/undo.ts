import { Command } from 'commander';
import { timeOf } from '../import/refusal.ts';
import { type UndoSummary, undoImport } from '../import/undo.ts';
import { TABLES } from '../store/records.ts';
import { describeEntry } from './history.ts';
import { COMMAND_LINE } from './import/recognise.ts';
import { addCommonOptions, type CommonOptions, unknownAccount, withStore } from './options.ts';
import { print, printJson, table } from './print.ts';

export function undoCommand(): Command {
  const command = new Command('undo')
    .summary('Take the last import into an account back.')
    .description(
      'Takes the last import into an account back: what it added is removed, what it changed or removed is as before. ' +
        'It is one transaction. If anything else was written to the account since, nothing is changed.',
    )
    .argument('<slug>', 'the name of the account in URLs');
  return addCommonOptions(command, 'shiftfeed undo acme').action(undo);
}

async function undo(slug: string, { database, json }: CommonOptions): Promise<void> {
  const summary = await withStore(database, { missing: 'fail' }, (store) =>
    undoImport(store, slug, COMMAND_LINE),
  );
  if (summary === undefined) throw unknownAccount(slug);
  if (json) {
    const { account, tables } = summary.counts;
    printJson({ slug, undone: describeEntry(summary.undone), account, tables });
  } else print(describe(summary));
}

const TALLIES = ['added', 'changed', 'removed'] as const;

function describe({ slug, undone, counts }: UndoSummary): string {
  const file = undone.file === '' ? '' : ` of ${undone.file}`;
  const rows = TABLES.map((name) => [name, ...TALLIES.map((verb) => counts.tables[name][verb])]);
  return [
    `The import${file} into ${slug} at ${timeOf(undone)} is taken back.`,
    ...(counts.account === 'changed' ? [`The account ${slug} has its settings of before.`] : []),
    ...(undone.counts.account === 'added'
      ? [`The account itself stays, empty: "shiftfeed account remove ${slug}" removes it.`]
      : []),
    table([['', ...TALLIES], ...rows]),
  ].join('\n');
}
