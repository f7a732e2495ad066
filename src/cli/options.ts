/** What several commands share: options, parsers, and opening the database. */

import { quote } from '@shiftfeed/common/quote';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  InvalidValue,
  readAddress,
  readFlag,
  readInteger,
  readName,
  readTimeZone,
} from '../import/fields.ts';
import type { Account } from '../store/account.ts';
import { DEFAULT_DATABASE_URL, describeDatabase, type OpenOptions, openStore } from '../store/open.ts';
import type { SchemaChange } from '../store/schema-version.ts';
import type { Store } from '../store/store.ts';
import { withoutPassword } from './database-url.ts';
import { Failure } from './failure.ts';
import { examples } from './help.ts';
import { warn } from './print.ts';
import { fromEnvironment } from './variables.ts';

/** What the history says of imports by commands. */
export const COMMAND_LINE = 'command line';

export function databaseOption(): Option {
  return fromEnvironment(
    new Option('--database <url>', 'sqlite:PATH or postgres://…').default(DEFAULT_DATABASE_URL),
  );
}

/** All users of a machine can see its command lines, so a URL with a password belongs in a file. */
export function databaseFileOption(): Option {
  return fromEnvironment(
    new Option('--database-file <path>', 'a file with the URL, for one that holds a password'),
  );
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON, for scripts');
}

export interface CommonOptions {
  readonly database: string;
  readonly json?: boolean;
}

/** Ends the definition of a command: with the options that come last in its help, and with examples. */
export function addCommonOptions(command: Command, ...exampleLines: string[]): Command {
  return command
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText('after', examples(...exampleLines));
}

/** Opens the database, runs `work` and closes the database. Says so if the schema was changed for that. */
export async function withStore<T>(
  url: string,
  options: OpenOptions,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const onMigrated = ({ from, to }: SchemaChange) => {
    if (from > 0)
      warn(`The database ${describeDatabase(url)} was brought up to date: schema ${from} → ${to}.`);
  };
  const store = await openStore(url, { onWaiting: warn, onMigrated, ...options });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export async function needAccount(store: Store, slug: string): Promise<Account> {
  const account = await store.findAccount(slug);
  if (account === undefined) throw unknownAccount(slug);
  return account;
}

export function unknownAccount(slug: string): Failure {
  return new Failure(
    `There is no account ${quote(withoutPassword(slug))}: "shiftfeed import" creates accounts.`,
  );
}

/** Lets Commander say what is wrong with a value. */
export function parserOf<Value>(
  read: (text: string, before?: Value) => Value,
): (text: string, before?: Value) => Value {
  return (text, before) => {
    try {
      return read(text, before);
    } catch (error) {
      throw error instanceof InvalidValue ? new InvalidArgumentError(error.message) : error;
    }
  };
}

export function integerBetween(min: number, max: number): (text: string) => number {
  return parserOf((text) => readInteger(text, min, max));
}

export const parseName = parserOf(readName);
export const parseAddress = parserOf(readAddress);
export const parseBoolean = parserOf(readFlag);
export const parseTimeZone = parserOf(readTimeZone);

/** Takes any text that is as expected. */
export function textThat(isRight: (text: string) => boolean, expected: string): (text: string) => string {
  return (text) => {
    if (isRight(text)) return text;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}
