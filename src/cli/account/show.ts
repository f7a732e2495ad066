import { Command } from 'commander';
import { todayIn } from '../../feed/pages/today.ts';
import { timeZoneName } from '../../import/time-zone.ts';
import { formatDate } from '../../listing/calendar.ts';
import { quote } from '../../quote.ts';
import type { Account } from '../../store/account.ts';
import type { AccountContents, MonthContents } from '../../store/admin/accounts.ts';
import { databaseFileOption } from '../database-file.ts';
import { examples } from '../help.ts';
import { databaseOption, jsonOption, needAccount, withStore } from '../options.ts';
import { print, printJson, table, timeSince } from '../print.ts';
import { describeSettings, yesOrNo } from './settings.ts';

export function showCommand(): Command {
  return new Command('show')
    .description('Show the settings of an account and what it has, month by month.')
    .argument('<slug>', 'the name of the account in URLs')
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText('after', examples('shiftfeed account show acme'))
    .action(show);
}

async function show(slug: string, { database, json }: { database: string; json?: boolean }): Promise<void> {
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
    ['slug', account.slug],
    ['name', account.name],
    ['premium', yesOrNo(account.premium)],
    ['time zone', account.timeZone],
    ['sort', account.sort],
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

function describeImport(atMs: number | null, nowMs: number): string {
  if (atMs === null) return 'never';
  return `${new Date(atMs).toISOString().slice(0, 16)}Z, ${timeSince(atMs, nowMs)}`;
}

function totalsOf(
  months: readonly MonthContents[],
): Pick<MonthContents, 'open' | 'unpublished' | 'unlisted'> {
  const total = (count: (month: MonthContents) => number) =>
    months.reduce((sum, month) => sum + count(month), 0);
  return {
    open: total(({ open }) => open),
    unpublished: months.some(({ unpublished }) => unpublished === null)
      ? null
      : total(({ unpublished }) => unpublished ?? 0),
    unlisted: total(({ unlisted }) => unlisted),
  };
}

function monthLines(months: readonly MonthContents[]): (string | number)[][] {
  return [
    ['MONTH', 'SHIFTS', 'OPEN', 'UNPUBLISHED', 'NOT LISTED'],
    ...months.map(({ month, shifts, open, unpublished, unlisted }) => [
      month,
      shifts,
      open,
      unpublished ?? '?',
      unlisted,
    ]),
  ];
}
