/**
 * Database URLs from files. All users of a machine can see its command lines, so a URL with a password belongs in a
 * file.
 */

import { type Command, Option } from 'commander';
import { parseDatabaseUrl } from '../store/open.ts';
import { EXPECTED_URL } from './database-url.ts';
import { Failure } from './failure.ts';
import { readWhole, reasonOf } from './files.ts';
import { fromEnvironment, givenAs } from './variables.ts';

export function databaseFileOption(): Option {
  return fromEnvironment(
    new Option('--database-file <path>', 'a file with the URL, for one that holds a password'),
  );
}

export function readDatabaseFileOption(): Option {
  return new Option('--read-database-file <path>', 'a file with the URL of --read-database');
}

/** Runs before each command, and sets --database and --read-database from their files. */
export async function readDatabaseFiles(command: Command): Promise<void> {
  for (const name of ['database', 'readDatabase']) {
    const urlRank = rankOf(command, name);
    const fileRank = rankOf(command, `${name}File`);
    if (fileRank === 0 || urlRank > fileRank) continue;
    const source = givenAs(command, `${name}File`);
    if (urlRank === fileRank) {
      command.error(
        `error: ${givenAs(command, name)} and ${source} cannot be used together: give one of them`,
      );
    }
    const path: string = command.getOptionValue(`${name}File`);
    command.setOptionValueWithSource(name, await readUrl(path, source), 'config');
  }
}

/** 2 for the command line, 1 for the environment, 0 for a default. The higher rank wins. */
function rankOf(command: Command, attribute: string): number {
  return ['env', 'cli'].indexOf(command.getOptionValueSource(attribute) ?? '') + 1;
}

/** Errors name the file but never quote it, because it may hold a password. */
async function readUrl(path: string, source: string): Promise<string> {
  const bytes = await readWhole(path, { orPipe: true }).catch((error: unknown) => {
    throw new Failure(`${source} names ${path}, which cannot be read: ${reasonOf(error)}.`, { cause: error });
  });
  const [firstLine = ''] = new TextDecoder().decode(bytes).split('\n', 1);
  const url = firstLine.trim();
  try {
    parseDatabaseUrl(url);
  } catch {
    throw new Failure(`${source} names ${path}, whose first line is not a database URL: ${EXPECTED_URL}.`, {
      exitCode: 2,
    });
  }
  return url;
}
