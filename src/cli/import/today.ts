/** Options that take a date or `today`, which is the date of the import in the account's time zone. */

import { InvalidArgumentError } from 'commander';
import { todayIn } from '../../feed/pages/today.ts';
import { timeZoneName } from '../../import/time-zone.ts';
import { formatDate, parseDate } from '../../listing/calendar.ts';
import { quote } from '../../quote.ts';
import { Failure } from '../failure.ts';
import { withStore } from '../options.ts';
import { checkRange, type ImportCommandOptions } from './options.ts';

const TODAY = 'today';
const DAYS = ['publishedFrom', 'from', 'to'] as const;

export function parseDayOrToday(text: string): string {
  if (text !== TODAY && parseDate(text) === undefined) {
    throw new InvalidArgumentError('Expected a date YYYY-MM-DD, or today.');
  }
  return text;
}

/** Replaces `today` by the date, in the time zone that the account will have after the import. */
export async function withToday(options: ImportCommandOptions): Promise<ImportCommandOptions> {
  const days = DAYS.filter((name) => options[name] === TODAY);
  if (days.length === 0) return options;
  const today = formatDate(todayIn(options.timeZone ?? (await timeZoneOf(options)), Date.now()));
  const dated = { ...options, ...Object.fromEntries(days.map((name) => [name, today])) };
  checkRange(dated);
  return dated;
}

async function timeZoneOf({ database, account: slug = '' }: ImportCommandOptions): Promise<string> {
  const account = await withStore(database, { missing: 'pretend' }, (store) => store.findAccount(slug));
  if (account === undefined) return 'UTC';
  const name = timeZoneName(account.timeZone);
  if (name !== undefined) return name;
  throw new Failure(
    `The account ${slug} has the time zone ${quote(account.timeZone)}, which does not exist, so nobody knows ` +
      'what today is there: give another one with --time-zone.',
  );
}

/** Another program may have given the account a zone that does not exist. */
export function todayAt(timeZone: string): string {
  return formatDate(todayIn(timeZoneName(timeZone) ?? 'UTC', Date.now()));
}
