/** `account`: what accounts there are, and their settings. */

import { formatDate } from '@shiftfeed/common/days';
import { count, quote } from '@shiftfeed/common/quote';
import { todayIn } from '@shiftfeed/common/zone';
import { Command, Option } from 'commander';
import { timeZoneName } from '../import/fields.ts';
import { timeOf } from '../import/refusal.ts';
import { SORT_ORDERS, type SortOrder } from '../listing/shift.ts';
import { type Account, type AccountSettings, SLUG, SLUG_RULE } from '../store/account.ts';
import type { AccountContents, MonthContents } from '../store/admin/accounts.ts';
import { copyCommand } from './copy.ts';
import { Failure } from './failure.ts';
import { examples } from './help.ts';
import { historyCommand } from './history.ts';
import {
  addCommonOptions,
  type CommonOptions,
  needAccount,
  parseBoolean,
  parseName,
  parseTimeZone,
  textThat,
  unknownAccount,
  withStore,
} from './options.ts';
import { confirmRemoval, print, printJson, table, timeSince } from './print.ts';

const parseSlug = textThat((text) => SLUG.test(text), SLUG_RULE);

export function accountCommand(): Command {
  return new Command('account')
    .summary('List, show, create, change, copy or remove accounts.')
    .description(
      'Lists, shows, creates, changes, copies or removes accounts. A change holds from the next request on.',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(historyCommand())
    .addCommand(createCommand())
    .addCommand(setCommand())
    .addCommand(renameCommand())
    .addCommand(copyCommand())
    .addCommand(removeCommand())
    .addHelpText('after', examples('shiftfeed account show acme'));
}

function listCommand(): Command {
  const command = new Command('list').description('List all accounts.');
  return addCommonOptions(command, 'shiftfeed account list').action(list);
}

async function list({ database, json }: CommonOptions): Promise<void> {
  const accounts = await withStore(database, { missing: 'fail', readOnly: true }, (store) =>
    store.accounts(),
  );
  if (json) return printJson(accounts.map(describeSettings));
  if (accounts.length === 0) return print('There is no account yet: "shiftfeed import" creates one.');
  const rows = accounts.map((account) => Object.values(settingsOf(account)));
  print(table([['SLUG', 'NAME', 'PREMIUM', 'TIME ZONE', 'SORT'], ...rows]));
}

function showCommand(): Command {
  const command = new Command('show')
    .description('Show the settings of an account and what it has, month by month.')
    .argument('<slug>', 'the name of the account in URLs');
  return addCommonOptions(command, 'shiftfeed account show acme').action(show);
}

async function show(slug: string, { database, json }: CommonOptions): Promise<void> {
  await withStore(database, { missing: 'fail', readOnly: true }, async (store) => {
    const account = await needAccount(store, slug);
    const contents = await store.describeAccount(account.id, todayOf(account));
    if (json) return printJson({ ...describeSettings(account), ...describeContents(contents) });
    print(table(linesOf(account, contents, Date.now())));
    if (contents.months.length > 0) print(`\n${table(monthLines(contents.months))}`);
  });
}

/** A program that writes to the database may have given the account a zone that does not exist. */
function todayOf({ timeZone }: Account): string | undefined {
  return timeZoneName(timeZone) && formatDate(todayIn(timeZone, Date.now()));
}

function describeContents(contents: AccountContents): object {
  const { inactiveGroups, firstDate, lastDate, lastImportedAtMs, months, ...counts } = contents;
  return {
    ...counts,
    inactive_groups: inactiveGroups,
    first_date: firstDate,
    last_date: lastDate,
    last_imported_at: lastImportedAtMs === null ? null : new Date(lastImportedAtMs).toISOString(),
    ...totalsOf(months),
    months,
  };
}

function linesOf(account: Account, contents: AccountContents, nowMs: number): (string | number)[][] {
  const { groups, inactiveGroups, locations, people, tokens, shifts, firstDate, lastDate } = contents;
  const { open, unpublished, unlisted } = totalsOf(contents.months);
  return [
    ...Object.entries(settingsOf(account)),
    ['groups', inactiveGroups === 0 ? String(groups) : `${groups}, ${inactiveGroups} of them inactive`],
    ['locations', String(locations)],
    ['people', String(people)],
    ['tokens', String(tokens)],
    ['shifts', firstDate === null ? String(shifts) : `${shifts}, from ${firstDate} to ${lastDate}`],
    ['open', String(open)],
    ['unpublished', unpublished ?? `unknown: there is no time zone ${quote(account.timeZone)}`].map(String),
    ['not listed', unlisted === 0 ? '0' : `${unlisted}, of groups that are not active`],
    ['last import', describeImport(contents.lastImportedAtMs, nowMs)],
    ['revision', String(contents.revision)],
  ];
}

function settingsOf({ slug, name, premium, timeZone, sort }: AccountSettings): Record<string, string> {
  return { slug, name, premium: yesOrNo(premium), 'time zone': timeZone, sort };
}

function describeImport(atMs: number | null, nowMs: number): string {
  if (atMs === null) return 'never';
  return `${timeOf({ atMs })}, ${timeSince(atMs, nowMs)}`;
}

/** Without a time zone, nobody knows what is unpublished, in any month. */
function totalsOf(months: readonly MonthContents[]) {
  const total = (name: 'open' | 'unpublished' | 'unlisted') =>
    months.reduce((sum, month) => sum + (month[name] ?? 0), 0);
  const isUnknown = months.some(({ unpublished }) => unpublished === null);
  return {
    open: total('open'),
    unpublished: isUnknown ? null : total('unpublished'),
    unlisted: total('unlisted'),
  };
}

function monthLines(months: readonly MonthContents[]): (string | number)[][] {
  return [
    ['MONTH', 'SHIFTS', 'OPEN', 'UNPUBLISHED', 'NOT LISTED'],
    ...months.map((one) => [one.month, one.shifts, one.open, one.unpublished ?? '?', one.unlisted]),
  ];
}

interface SettingsOptions extends CommonOptions {
  readonly name?: string;
  readonly timeZone?: string;
  readonly sort?: SortOrder;
  readonly premium?: boolean;
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Make an account without shifts. "import" makes those of its documents itself.')
    .argument('<slug>', 'the name of the account in URLs', parseSlug);
  const example = 'shiftfeed account create acme --time-zone Europe/Amsterdam --premium true';
  return addSettings(command, example).action(create);
}

function setCommand(): Command {
  const command = new Command('set')
    .description('Change settings of an account; what is left out stays.')
    .argument('<slug>', 'the name of the account in URLs');
  const example = 'shiftfeed account set acme --time-zone Europe/Amsterdam --sort group';
  return addSettings(command, example).action(set);
}

function addSettings(command: Command, example: string): Command {
  return addCommonOptions(
    command
      .option('--name <text>', 'its name for people', parseName)
      .option('--time-zone <zone>', 'the IANA time zone in which "today" is meant', parseTimeZone)
      .addOption(new Option('--sort <order>', 'how its shifts are ordered').choices(SORT_ORDERS))
      .option('--premium <true|false>', 'whether its tokens are live', parseBoolean),
    example,
  );
}

async function create(slug: string, { database, json, ...given }: SettingsOptions): Promise<void> {
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

async function set(
  slug: string,
  { database, json, ...given }: SettingsOptions,
  command: Command,
): Promise<void> {
  if (['name', 'timeZone', 'sort', 'premium'].every((name) => !Object.hasOwn(given, name))) {
    command.error('error: nothing to set: give --name, --time-zone, --sort or --premium');
  }
  await withStore(database, { missing: 'fail' }, (store) =>
    store.write(async (transaction) => {
      const before = await transaction.lockAccount(slug);
      if (before === undefined) throw unknownAccount(slug);
      const { name, timeZone, sort, premium } = { ...before, ...given };
      const after = { slug, name, timeZone, sort, premium };
      await transaction.saveAccount(after);
      printSettings(after, json);
      return true;
    }),
  );
}

function renameCommand(): Command {
  const command = new Command('rename')
    .description('Give an account another name in URLs. Its shifts and tokens stay.')
    .argument('<slug>', 'its name until now')
    .argument('<new-slug>', 'its name from now on', parseSlug);
  return addCommonOptions(command, 'shiftfeed account rename acme acme-north').action(rename);
}

async function rename(slug: string, newSlug: string, { database, json }: CommonOptions): Promise<void> {
  await withStore(database, { missing: 'fail' }, async (store) => {
    const account = await needAccount(store, slug);
    if ((await store.findAccount(newSlug)) !== undefined) throw taken(newSlug);
    await store.renameAccount(account.id, newSlug);
    if (json) return printJson(describeSettings({ ...account, slug: newSlug }));
    print(`The account ${slug} is now ${newSlug}, and its shifts are at /${newSlug}/api/v1/shifts.`);
    print(`A document that still says ${slug} would make a new account: change that before the next import.`);
  });
}

function removeCommand(): Command {
  const command = new Command('remove')
    .description('Remove an account with everything that belongs to it, after asking.')
    .argument('<slug>', 'the name of the account in URLs')
    .option('--yes', 'remove it without asking');
  const example = 'shiftfeed account remove acme';
  return addCommonOptions(command, example, `${example} --yes`).action(remove);
}

async function remove(
  slug: string,
  { database, json, yes }: CommonOptions & { readonly yes?: boolean },
): Promise<void> {
  await withStore(database, { missing: 'fail' }, async (store) => {
    const account = await needAccount(store, slug);
    const contents = await store.describeAccount(account.id);
    const belongings = listBelongings(contents);
    if (!yes) {
      const state = `account ${slug} has ${belongings}`;
      await confirmRemoval('all of that', `the ${state}`, `The ${state}`);
    }
    await store.removeAccount(account.id);
    const { groups, locations, people, shifts, tokens } = contents;
    if (json) return printJson({ slug, groups, locations, people, shifts, tokens });
    print(`The account ${slug} is removed, and with it ${belongings}.`);
  });
}

function listBelongings({ groups, locations, people, shifts, tokens }: AccountContents): string {
  return [
    count(shifts, 'shift', 'shifts'),
    count(groups, 'group', 'groups'),
    count(locations, 'location', 'locations'),
    `${count(people, 'person', 'people')} and ${count(tokens, 'token', 'tokens')}`,
  ].join(', ');
}

function taken(slug: string): Failure {
  return new Failure(
    `There is an account ${quote(slug)} already: "shiftfeed account show ${slug}" tells of it.`,
  );
}

/** As in the import document. */
function describeSettings({ slug, name, premium, timeZone, sort }: AccountSettings): object {
  return { slug, name, premium, time_zone: timeZone, sort };
}

function printSettings(account: AccountSettings, json: boolean | undefined): void {
  const { slug, name, timeZone, sort, premium } = account;
  if (json) printJson(describeSettings(account));
  else print(`${slug}: name ${name}, time zone ${timeZone}, sort ${sort}, premium ${yesOrNo(premium)}`);
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
