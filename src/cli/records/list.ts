import { Command } from 'commander';
import type { ListedTable } from '../../store/admin/records.ts';
import { databaseFileOption } from '../database-file.ts';
import { examples } from '../help.ts';
import { databaseOption, jsonOption, needAccount, withStore } from '../options.ts';
import { print, printJson, table } from '../print.ts';
import type { Kind } from './kind.ts';

export function listCommand<T extends ListedTable>(kind: Kind<T>): Command {
  const { noun, table: records, cellsOf } = kind;
  return new Command('list')
    .description(`List the ${records} of an account, with the number of shifts of each.`)
    .argument('<slug>', 'the account')
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText('after', examples(`shiftfeed ${noun} list acme`))
    .action(async (slug: string, { database, json }: { database: string; json?: boolean }) => {
      const found = await withStore(database, { missing: 'fail', readOnly: true }, async (store) =>
        store.list(records, (await needAccount(store, slug)).id),
      );
      if (json) return printJson(found);
      const [first] = found;
      if (first === undefined) return print(`${slug} has no ${records}.`);
      print(
        table([
          ['ID', ...Object.keys(cellsOf(first)), 'SHIFTS'],
          ...found.map((record) => [record.id, ...Object.values(cellsOf(record)), record.shifts]),
        ]),
      );
    });
}
