import { Command } from 'commander';
import { databaseFileOption } from '../database-file.ts';
import { examples } from '../help.ts';
import { databaseOption, jsonOption, needAccount, withStore } from '../options.ts';
import { print, printJson } from '../print.ts';
import { describeSettings, parseSlug, taken } from './settings.ts';

export function renameCommand(): Command {
  return new Command('rename')
    .description('Give an account another name in URLs. Its shifts and tokens stay.')
    .argument('<slug>', 'its name until now')
    .argument('<new-slug>', 'its name from now on', parseSlug)
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText('after', examples('shiftfeed account rename acme acme-north'))
    .action(rename);
}

async function rename(
  slug: string,
  newSlug: string,
  { database, json }: { database: string; json?: boolean },
): Promise<void> {
  await withStore(database, { missing: 'fail' }, async (store) => {
    const account = await needAccount(store, slug);
    if ((await store.findAccount(newSlug)) !== undefined) throw taken(newSlug);
    await store.renameAccount(account.id, newSlug);
    if (json) return printJson(describeSettings({ ...account, slug: newSlug }));
    print(`The account ${slug} is now ${newSlug}, and its shifts are at /${newSlug}/api/v1/shifts.`);
    print(`A document that still says ${slug} would make a new account: change that before the next import.`);
  });
}
