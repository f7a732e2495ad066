/** `group`, `location` and `person`: what an account has besides shifts. */

import { Command } from 'commander';
import type { Listed, ListedTable } from '../store/account-store.ts';
import { databaseFileOption } from './database-file.ts';
import { Failure } from './failure.ts';
import { examples } from './help.ts';
import {
  databaseOption,
  integerBetween,
  jsonOption,
  needAccount,
  parseBoolean,
  parseName,
  withStore,
} from './options.ts';
import { print, printJson, table } from './print.ts';

interface Options {
  readonly database: string;
  readonly json?: boolean;
}

interface GroupOptions extends Options {
  readonly name?: string;
  readonly active?: boolean;
  readonly private?: boolean;
}

export function groupCommand(): Command {
  return new Command('group')
    .summary('List or change the groups of an account.')
    .description('Lists or changes the groups of an account. A change holds from the next request on.')
    .addCommand(listCommand('group', 'groups', groupCells))
    .addCommand(
      new Command('set')
        .description(
          'Change a group; what is left out stays. Shifts of a group that is not active are not listed.',
        )
        .argument('<slug>', 'the account')
        .argument('<id>', 'the id of the group in the list', integerBetween(1, Number.MAX_SAFE_INTEGER))
        .option('--name <text>', 'its name', parseName)
        .option('--active <true|false>', 'whether its shifts are listed', parseBoolean)
        .option(
          '--private <true|false>',
          'whether it is marked as private; it is listed all the same',
          parseBoolean,
        )
        .addOption(jsonOption())
        .addOption(databaseOption())
        .addOption(databaseFileOption())
        .addHelpText('after', examples('shiftfeed group set acme 3 --active false'))
        .action(setGroup),
    )
    .addHelpText('after', examples('shiftfeed group list acme'));
}

export function locationCommand(): Command {
  const cells = ({ name, address }: Listed<'locations'>) => ({ NAME: name, ADDRESS: address });
  return new Command('location')
    .description('List the locations of an account.')
    .addCommand(listCommand('location', 'locations', cells))
    .addHelpText('after', examples('shiftfeed location list acme'));
}

export function personCommand(): Command {
  return new Command('person')
    .description('List the people of an account.')
    .addCommand(listCommand('person', 'people', ({ name }) => ({ NAME: name })))
    .addHelpText('after', examples('shiftfeed person list acme'));
}

function groupCells({ name, active, private: isPrivate }: Listed<'groups'>): Record<string, string> {
  return { NAME: name, ACTIVE: active ? 'yes' : 'no', PRIVATE: isPrivate ? 'yes' : 'no' };
}

/** Between the id and the number of shifts stand the cells of a record, by their headings. */
function listCommand<T extends ListedTable>(
  noun: string,
  records: T,
  cellsOf: (record: Listed<T>) => Readonly<Record<string, string>>,
): Command {
  return new Command('list')
    .description(`List the ${records} of an account, with the number of shifts of each.`)
    .argument('<slug>', 'the account')
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText('after', examples(`shiftfeed ${noun} list acme`))
    .action(async (slug: string, { database, json }: Options) => {
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

async function setGroup(
  slug: string,
  id: number,
  { database, json, ...changes }: GroupOptions,
  command: Command,
): Promise<void> {
  const { name, active, private: isPrivate } = changes;
  if ([name, active, isPrivate].every((value) => value === undefined)) {
    command.error('error: nothing to set: give --name, --active or --private');
  }
  const group = await withStore(database, { missing: 'fail' }, async (store) => {
    const account = await needAccount(store, slug);
    return store.changeGroup(account.id, id, {
      ...(name !== undefined && { name }),
      ...(active !== undefined && { active }),
      ...(isPrivate !== undefined && { private: isPrivate }),
    });
  });
  if (group === undefined)
    throw new Failure(`${slug} has no group ${id}: "shiftfeed group list ${slug}" shows the ids.`);
  if (json) return printJson(group);
  const shown = group.active ? 'active' : 'not active, so its shifts are not listed';
  print(`${slug}: group ${id} is ${group.name}, ${group.private ? 'private' : 'not private'}, ${shown}.`);
}
