/** `account history` and `undo`: what was imported into an account, and taking the last import back. */

import { Command } from 'commander';
import { timeOf, whyNotUndone } from '../import/refusal.ts';
import { type UndoSummary, undoImport } from '../import/undo.ts';
import type { HistoryEntry } from '../store/admin/history.ts';
import { TABLES } from '../store/records.ts';

import {
  addCommonOptions,
  COMMAND_LINE,
  type CommonOptions,
  needAccount,
  unknownAccount,
  withStore,
} from './options.ts';
import { print, printJson, table } from './print.ts';

export function historyCommand(): Command {
  const command = new Command('history')
    .description(
      'List the imports into an account, the newest first, with their shifts, and whether the last one can be undone.',
    )
    .argument('<slug>', 'the name of the account in URLs');
  return addCommonOptions(command, 'shiftfeed account history acme').action(history);
}

async function history(slug: string, { database, json }: CommonOptions): Promise<void> {
  await withStore(database, { missing: 'fail', readOnly: true }, async (store) => {
    const account = await needAccount(store, slug);
    const entries = await store.history(account.id);
    if (json) return printJson(entries.map(describeEntry));
    const why = whyNotUndone(slug, await store.lastChange(account.id));
    if (entries.length > 0) print(`${table([HEADINGS, ...entries.map(rowOf)])}\n`);
    print(why ?? `"shiftfeed undo ${slug}" takes the last import back.`);
  });
}

const HEADINGS = ['AT', 'WHAT', 'FILE', 'BY', 'ADDED', 'CHANGED', 'REMOVED', 'UNCHANGED'];

function rowOf(entry: HistoryEntry): (string | number)[] {
  const { action, file, who, counts } = entry;
  const { added, changed, removed, unchanged } = counts.tables.shifts;
  return [timeOf(entry), action, file, who, added, changed, removed, unchanged];
}

function describeEntry({ atMs, action, file, who, counts, revision }: HistoryEntry): object {
  return { at: new Date(atMs).toISOString(), action, file, who, ...counts, revision };
}

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
  } else print(describeUndo(summary));
}

const TALLIES = ['added', 'changed', 'removed'] as const;

function describeUndo({ slug, undone, counts }: UndoSummary): string {
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
