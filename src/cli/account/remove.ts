import { Command } from 'commander';
import type { AccountContents } from '../../store/admin/accounts.ts';
import { confirm } from '../confirm.ts';
import { databaseFileOption } from '../database-file.ts';
import { Failure } from '../failure.ts';
import { examples } from '../help.ts';
import { databaseOption, jsonOption, needAccount, withStore } from '../options.ts';
import { count, print, printJson } from '../print.ts';

interface Options {
  readonly database: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

export function removeCommand(): Command {
  return new Command('remove')
    .description('Remove an account with everything that belongs to it, after asking.')
    .argument('<slug>', 'the name of the account in URLs')
    .option('--yes', 'remove it without asking')
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText('after', examples('shiftfeed account remove acme', 'shiftfeed account remove acme --yes'))
    .action(remove);
}

async function remove(slug: string, { database, json, yes }: Options): Promise<void> {
  await withStore(database, { missing: 'fail' }, async (store) => {
    const account = await needAccount(store, slug);
    const contents = await store.describeAccount(account.id);
    if (!yes) await ask(slug, contents);
    await store.removeAccount(account.id);
    const { groups, locations, people, shifts, tokens } = contents;
    if (json) return printJson({ slug, groups, locations, people, shifts, tokens });
    print(`The account ${slug} is removed, and with it ${describe(contents)}.`);
  });
}

async function ask(slug: string, contents: AccountContents): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new Failure(
      `Nothing was removed: the account ${slug} has ${describe(contents)}. Give --yes to remove all of that without being asked.`,
      { exitCode: 2 },
    );
  }
  const question = `The account ${slug} has ${describe(contents)}. Remove all of that for good?`;
  if (!(await confirm(question, process.stdin, process.stderr))) throw new Failure('Nothing was removed.');
}

function describe({ groups, locations, people, shifts, tokens }: AccountContents): string {
  return [
    count(shifts, 'shift', 'shifts'),
    count(groups, 'group', 'groups'),
    count(locations, 'location', 'locations'),
    `${count(people, 'person', 'people')} and ${count(tokens, 'token', 'tokens')}`,
  ].join(', ');
}
