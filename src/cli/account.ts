import { Command, InvalidArgumentError, Option } from 'commander';
import { isName, MAX_NAME_CHARACTERS } from '../import/fields.ts';
import { timeZoneName } from '../import/time-zone.ts';
import { SORT_ORDERS, type SortOrder } from '../listing/shift.ts';
import type { Account } from '../store/account.ts';
import { databaseFileOption } from './database-file.ts';
import { examples } from './help.ts';
import {
  databaseOption,
  jsonOption,
  needAccount,
  parseBoolean,
  unknownAccount,
  withStore,
} from './options.ts';
import { print, printJson, table } from './print.ts';

interface Options {
  readonly database: string;
  readonly json?: boolean;
}

interface Settings extends Options {
  readonly name?: string;
  readonly timeZone?: string;
  readonly sort?: SortOrder;
  readonly premium?: boolean;
}

export function accountCommand(): Command {
  return new Command('account')
    .summary('List, show or change accounts.')
    .description('Lists, shows or changes accounts. A change holds from the next request on.')
    .addCommand(
      new Command('list')
        .description('List all accounts.')
        .addOption(jsonOption())
        .addOption(databaseOption())
        .addOption(databaseFileOption())
        .addHelpText('after', examples('shiftfeed account list'))
        .action(list),
    )
    .addCommand(
      new Command('show')
        .description('Show the settings of an account and what it has.')
        .argument('<slug>', 'the name of the account in URLs')
        .addOption(jsonOption())
        .addOption(databaseOption())
        .addOption(databaseFileOption())
        .addHelpText('after', examples('shiftfeed account show acme'))
        .action(show),
    )
    .addCommand(
      new Command('set')
        .description('Change settings of an account; what is left out stays.')
        .argument('<slug>', 'the name of the account in URLs')
        .option('--name <text>', 'its name for people', parseName)
        .option('--time-zone <zone>', 'the IANA time zone in which "today" is meant', parseTimeZone)
        .addOption(new Option('--sort <order>', 'how its shifts are ordered').choices(SORT_ORDERS))
        .option('--premium <true|false>', 'whether its tokens are live', parseBoolean)
        .addOption(databaseOption())
        .addOption(databaseFileOption())
        .addHelpText(
          'after',
          examples('shiftfeed account set acme --time-zone Europe/Amsterdam --sort group'),
        )
        .action(set),
    )
    .addHelpText('after', examples('shiftfeed account show acme'));
}

async function list({ database, json }: Options): Promise<void> {
  const accounts = await withStore(database, { missing: 'fail', readOnly: true }, (store) =>
    store.accounts(),
  );
  if (json) return printJson(accounts.map(describe));
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

async function show(slug: string, { database, json }: Options): Promise<void> {
  await withStore(database, { missing: 'fail', readOnly: true }, async (store) => {
    const account = await needAccount(store, slug);
    const contents = await store.describeAccount(account.id);
    if (json) {
      const { firstDate, lastDate, ...counts } = contents;
      return printJson({ ...describe(account), ...counts, first_date: firstDate, last_date: lastDate });
    }
    const dates = contents.firstDate === null ? '' : `, from ${contents.firstDate} to ${contents.lastDate}`;
    print(
      table([
        ['slug', account.slug],
        ['name', account.name],
        ['premium', yesOrNo(account.premium)],
        ['time zone', account.timeZone],
        ['sort', account.sort],
        ['groups', String(contents.groups)],
        ['locations', String(contents.locations)],
        ['people', String(contents.people)],
        ['shifts', `${contents.shifts}${dates}`],
        ['revision', String(contents.revision)],
      ]),
    );
  });
}

async function set(
  slug: string,
  { database, name, timeZone, sort, premium }: Settings,
  command: Command,
): Promise<void> {
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
      const settings = [`name ${after.name}`, `time zone ${after.timeZone}`, `sort ${after.sort}`];
      print(`${slug}: ${settings.join(', ')}, premium ${yesOrNo(after.premium)}`);
      return true;
    }),
  );
}

function describe({ slug, name, premium, timeZone, sort }: Account): object {
  return { slug, name, premium, time_zone: timeZone, sort };
}

function parseName(text: string): string {
  if (!isName(text)) {
    throw new InvalidArgumentError(
      `Expected 1 to ${MAX_NAME_CHARACTERS} characters without control characters.`,
    );
  }
  return text;
}

function parseTimeZone(text: string): string {
  const name = timeZoneName(text);
  if (name === undefined)
    throw new InvalidArgumentError('Expected an IANA time zone such as Europe/Amsterdam.');
  return name;
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
