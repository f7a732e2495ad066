/**
 * Database URLs from files. Every user of a machine can read the command lines of its processes, so a URL with a password
 * has no place there.
 */

import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { placeOf } from '../store/open.ts';
import { Failure } from './failure.ts';

export function databaseFileOption(): Option {
  return new Option('--database-file <path>', 'a file with the URL, for one that holds a password').env(
    'DATABASE_URL_FILE',
  );
}

export function readDatabaseFileOption(): Option {
  return new Option('--read-database-file <path>', 'a file with the URL of --read-database');
}

/** Before a command runs: puts the URLs that files hold in the place of --database and --read-database. */
export async function readDatabaseFiles(command: Command): Promise<void> {
  for (const name of ['database', 'readDatabase']) {
    const url = givenAs(command, name);
    const file = givenAs(command, `${name}File`);
    if (file === undefined || (url !== undefined && url.rank > file.rank)) continue;
    if (url?.rank === file.rank) {
      command.error(`error: ${url.name} and ${file.name} cannot be used together: give one of them`);
    }
    const path: string = command.getOptionValue(`${name}File`);
    command.setOptionValueWithSource(name, await readUrl(path, file.name), 'config');
  }
}

/** What an option was given as, and how that ranks: the command line wins over the environment. */
function givenAs(command: Command, attribute: string): { name: string; rank: number } | undefined {
  const option = command.options.find((candidate) => candidate.attributeName() === attribute);
  switch (command.getOptionValueSource(attribute)) {
    case 'cli':
      return { name: option?.long ?? attribute, rank: 2 };
    case 'env':
      return { name: option?.envVar ?? attribute, rank: 1 };
    default:
      return undefined;
  }
}

/** Sentences name the file and never what it holds. */
async function readUrl(path: string, source: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${source} names ${path}, which cannot be read: ${reasonOf(error)}.`, { cause: error });
  });
  const [firstLine = ''] = new TextDecoder().decode(bytes).split('\n', 1);
  const url = firstLine.trim();
  try {
    placeOf(url);
  } catch {
    throw new Failure(
      `${source} names ${path}, whose first line is not a database URL: expected sqlite:PATH or ` +
        'postgres://USER:PASSWORD@HOST/DATABASE.',
      { exitCode: 2 },
    );
  }
  return url;
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
  };
  return reasons[code ?? ''] ?? message;
}
