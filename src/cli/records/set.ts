import { Command, type Option } from 'commander';
import { fold } from '../../import/sheet/fold.ts';
import type { Changes, ListedTable } from '../../store/admin/records.ts';
import type { RecordOf } from '../../store/records.ts';
import { databaseFileOption } from '../database-file.ts';
import { examples } from '../help.ts';
import { databaseOption, jsonOption, withStore } from '../options.ts';
import { print, printJson } from '../print.ts';
import { findRecord, ID_OR_NAME, unknownRecord } from './find.ts';
import type { Kind } from './kind.ts';

interface Setting<T extends ListedTable> {
  readonly description: string;
  /** One for each field that can be changed, of the same name. */
  readonly options: readonly Option[];
  readonly example: string;
  /** What the record is like, as the end of a sentence. */
  describe(record: RecordOf<T>): string;
}

export function setCommand<T extends ListedTable>(kind: Kind<T>, setting: Setting<T>): Command {
  const { noun } = kind;
  const command = new Command('set')
    .description(setting.description)
    .argument('<slug>', 'the account')
    .argument(`<${ID_OR_NAME}>`, `the id of the ${noun} in the list, or its name`);
  for (const option of setting.options) command.addOption(option);
  return command
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText('after', examples(setting.example))
    .action(
      async (
        slug: string,
        idOrName: string,
        { database, json, ...given }: Changes<T> & { database: string; json?: boolean },
      ) => {
        const names = setting.options.map((option) => option.attributeName());
        const changes = Object.fromEntries(
          Object.entries(given).filter(([name]) => names.includes(name)),
        ) as Changes<T>;
        if (Object.keys(changes).length === 0) {
          const flags = setting.options.map(({ long }) => String(long));
          command.error(`error: nothing to set: give ${listed(flags)}`);
        }
        const { before, record } = await withStore(database, { missing: 'fail' }, async (store) => {
          const { accountId, record: before } = await findRecord(store, kind, slug, idOrName);
          return { before, record: await store.change(kind.table, accountId, before.id, changes) };
        });
        // Somebody else may have removed it meanwhile.
        if (record === undefined) throw unknownRecord(kind, slug, idOrName);
        if (json) return printJson(record);
        print(`${slug}: ${noun} ${record.id} is ${setting.describe(record)}.`);
        if (fold(record.name) !== fold(before.name)) {
          print(
            `A sheet that still says ${before.name} would make a new ${noun}: change that before the next import.`,
          );
        }
      },
    );
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction', style: 'long' })
    .format(words)
    .replace(', or', ' or');
}
