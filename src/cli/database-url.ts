/** Checks the database URLs of a command before it runs, when errors can still name the setting. */

import { homedir } from 'node:os';
import type { Command } from 'commander';
import { parseDatabaseUrl } from '../store/open.ts';
import { Failure } from './failure.ts';
import { givenAs } from './variables.ts';

export const EXPECTED_URL = 'expected sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE';

/** Only URLs of these forms are quoted in errors: they cannot contain a password. */
const FILE = /^[\w ./~-]{1,200}\.(?:db|sqlite3?)$/;
const SQLITE_URL = /^sqlite:[\w ./:~-]{0,200}$/;

export function checkDatabaseUrls(command: Command): void {
  for (const name of ['database', 'readDatabase']) {
    const url: string | undefined = command.getOptionValue(name);
    if (url === undefined) continue;
    check(url, givenAs(command, name));
    command.setOptionValueWithSource(name, withHome(url), command.getOptionValueSource(name));
  }
}

function check(url: string, source: string): void {
  try {
    parseDatabaseUrl(url);
  } catch {
    throw new Failure(flawOf(url, source), { exitCode: 2 });
  }
}

function flawOf(url: string, source: string): string {
  if (url === '') return `${source} is empty: ${EXPECTED_URL}, or leave it out.`;
  if (FILE.test(url)) return `${source} ${url} is not a database URL: did you mean sqlite:${url}?`;
  const shown = SQLITE_URL.test(url) ? ` ${url}` : '';
  return `${source}${shown} is not a database URL: ${EXPECTED_URL}.`;
}

/** A shell expands ~ only at the start of a word, so not in sqlite:~/… */
function withHome(url: string): string {
  return url.replace(/^sqlite:~\//, () => `sqlite:${homedir()}/`);
}
