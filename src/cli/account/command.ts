import { Command } from 'commander';
import { databaseFileOption } from '../database-file.ts';
import { examples } from '../help.ts';
import { databaseOption, jsonOption, withStore } from '../options.ts';
import { print, printJson, table } from '../print.ts';
import { removeCommand } from './remove.ts';
import { renameCommand } from './rename.ts';
import { createCommand, describeSettings, setCommand, yesOrNo } from './settings.ts';
import { showCommand } from './show.ts';

export function accountCommand(): Command {
  return new Command('account')
    .summary('List, show, create, change or remove accounts.')
    .description(
      'Lists, shows, creates, changes or removes accounts. A change holds from the next request on.',
    )
    .addCommand(
      new Command('list')
        .description('List all accounts.')
        .addOption(jsonOption())
        .addOption(databaseOption())
        .addOption(databaseFileOption())
        .addHelpText('after', examples('shiftfeed account list'))
        .action(list),
    )
    .addCommand(showCommand())
    .addCommand(createCommand())
    .addCommand(setCommand())
    .addCommand(renameCommand())
    .addCommand(removeCommand())
    .addHelpText('after', examples('shiftfeed account show acme'));
}

async function list({ database, json }: { database: string; json?: boolean }): Promise<void> {
  const accounts = await withStore(database, { missing: 'fail', readOnly: true }, (store) =>
    store.accounts(),
  );
  if (json) return printJson(accounts.map(describeSettings));
  if (accounts.length === 0) return print('There is no account yet: "shiftfeed import" creates one.');
  print(
    table([
      ['SLUG', 'NAME', 'PREMIUM', 'TIME ZONE', 'SORT'],
      ...accounts.map(({ slug, name, premium, timeZone, sort }) => [
        slug,
        name,
        yesOrNo(premium),
        timeZone,
        sort,
      ]),
    ]),
  );
}
