/** `account create` and `account set`: they take the same settings. */

import { Command, InvalidArgumentError, Option } from 'commander';
import { SORT_ORDERS, type SortOrder } from '../../listing/shift.ts';
import { quote } from '../../quote.ts';
import type { AccountSettings } from '../../store/account.ts';
import { SLUG, SLUG_RULE } from '../../store/slug.ts';
import { databaseFileOption } from '../database-file.ts';
import { Failure } from '../failure.ts';
import { examples } from '../help.ts';
import {
  databaseOption,
  jsonOption,
  parseBoolean,
  parseName,
  parseTimeZone,
  unknownAccount,
  withStore,
} from '../options.ts';
import { print, printJson } from '../print.ts';

interface Options {
  readonly database: string;
  readonly json?: boolean;
  readonly name?: string;
  readonly timeZone?: string;
  readonly sort?: SortOrder;
  readonly premium?: boolean;
}

export function createCommand(): Command {
  const command = new Command('create')
    .description('Make an account without shifts. "import" makes those of its documents itself.')
    .argument('<slug>', 'the name of the account in URLs', parseSlug);
  return withSettings(command)
    .addHelpText(
      'after',
      examples('shiftfeed account create acme --time-zone Europe/Amsterdam --premium true'),
    )
    .action(create);
}

export function setCommand(): Command {
  const command = new Command('set')
    .description('Change settings of an account; what is left out stays.')
    .argument('<slug>', 'the name of the account in URLs');
  return withSettings(command)
    .addHelpText('after', examples('shiftfeed account set acme --time-zone Europe/Amsterdam --sort group'))
    .action(set);
}

function withSettings(command: Command): Command {
  return command
    .option('--name <text>', 'its name for people', parseName)
    .option('--time-zone <zone>', 'the IANA time zone in which "today" is meant', parseTimeZone)
    .addOption(new Option('--sort <order>', 'how its shifts are ordered').choices(SORT_ORDERS))
    .option('--premium <true|false>', 'whether its tokens are live', parseBoolean)
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(databaseFileOption());
}

async function create(slug: string, { database, json, ...given }: Options): Promise<void> {
  const { name = slug, timeZone = 'UTC', sort = 'time', premium = false } = given;
  const settings = { slug, name, timeZone, sort, premium };
  await withStore(database, { missing: 'create' }, (store) =>
    store.write(async (transaction) => {
      if ((await transaction.lockAccount(slug)) !== undefined) throw taken(slug);
      await transaction.saveAccount(settings);
      return true;
    }),
  );
  printSettings(settings, json);
}

async function set(slug: string, { database, json, ...given }: Options, command: Command): Promise<void> {
  const { name, timeZone, sort, premium } = given;
  if ([name, timeZone, sort, premium].every((value) => value === undefined)) {
    command.error('error: nothing to set: give --name, --time-zone, --sort or --premium');
  }
  await withStore(database, { missing: 'fail' }, (store) =>
    store.write(async (transaction) => {
      const before = await transaction.lockAccount(slug);
      if (before === undefined) throw unknownAccount(slug);
      const after = {
        slug,
        name: name ?? before.name,
        timeZone: timeZone ?? before.timeZone,
        sort: sort ?? before.sort,
        premium: premium ?? before.premium,
      };
      await transaction.saveAccount(after);
      printSettings(after, json);
      return true;
    }),
  );
}

export function taken(slug: string): Failure {
  return new Failure(
    `There is an account ${quote(slug)} already: "shiftfeed account show ${slug}" tells of it.`,
  );
}

/** As in the import document. */
export function describeSettings({ slug, name, premium, timeZone, sort }: AccountSettings): object {
  return { slug, name, premium, time_zone: timeZone, sort };
}

export function printSettings(account: AccountSettings, json: boolean | undefined): void {
  const { slug, name, timeZone, sort, premium } = account;
  if (json) printJson(describeSettings(account));
  else print(`${slug}: name ${name}, time zone ${timeZone}, sort ${sort}, premium ${yesOrNo(premium)}`);
}

export function parseSlug(text: string): string {
  if (!SLUG.test(text)) throw new InvalidArgumentError(`Expected ${SLUG_RULE}.`);
  return text;
}

export function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
