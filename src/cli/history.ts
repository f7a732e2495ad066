/** `account history`: what was imported into an account, and taken back. */

import { Command } from 'commander';
import { timeOf, whyNotUndone } from '../import/refusal.ts';
import type { HistoryEntry } from '../store/admin/history.ts';
import { addCommonOptions, type CommonOptions, needAccount, withStore } from './options.ts';
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

export function describeEntry({ atMs, action, file, who, counts, revision }: HistoryEntry): object {
  return { at: new Date(atMs).toISOString(), action, file, who, ...counts, revision };
}
