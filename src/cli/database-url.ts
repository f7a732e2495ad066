/** Settles the database URLs of a command before it runs, when errors can still name the setting that is wrong. */

import { homedir } from 'node:os';
import type { Command } from 'commander';
import { parseDatabaseUrl } from '../store/open.ts';
import { Failure, wrongUse } from './failure.ts';
import { FileRefused, readWhole, reasonOf } from './files.ts';
import { givenAs } from './variables.ts';

const EXPECTED_URL = 'expected sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE';

/** Only URLs of these forms are quoted in errors: they cannot contain a password. */
const FILE = /^[\w ./~-]{1,200}\.(?:db|sqlite3?)$/;
const SQLITE_URL = /^sqlite:[\w ./:~-]{0,200}$/;

/** Takes the URLs of databases from their files, if these are given, and checks them. */
export async function settleDatabaseUrls(action: Command): Promise<void> {
  // What both `desk` and `desk invite` take, Commander assigns to `desk`, wherever it stands.
  const command = action.parent?.getOptionValue('database') === undefined ? action : action.parent;
  for (const name of ['database', 'readDatabase', 'to']) {
    // `import --to` is a date.
    if (name === 'to' && !command.options.some((option) => option.attributeName() === 'toFile')) continue;
    await readDatabaseFile(command, name);
    const url: string | undefined = command.getOptionValue(name);
    if (url === undefined) continue;
    if (!isDatabaseUrl(url, givenAs(command, name))) throw wrongUse(flawOf(url, givenAs(command, name)));
    const settled = name !== 'readDatabase' ? withHome(url) : ofAnyRole(withHome(url));
    command.setOptionValueWithSource(name, settled, command.getOptionValueSource(name));
  }
}

/** A word of a command line, for showing it: the URL of a database may hold a password. */
export function withoutPassword(word: string): string {
  return word.replace(/(postgres(?:ql)?:\/\/).*/s, '$1…');
}

async function readDatabaseFile(command: Command, name: string): Promise<void> {
  const urlRank = rankOf(command, name);
  const fileRank = rankOf(command, `${name}File`);
  if (fileRank === 0 || urlRank > fileRank) return;
  const source = givenAs(command, `${name}File`);
  if (urlRank === fileRank) {
    command.error(`error: ${givenAs(command, name)} and ${source} cannot be used together: give one of them`);
  }
  const path: string = command.getOptionValue(`${name}File`);
  const { workers = 1 } = command.opts<{ readonly workers?: number }>();
  command.setOptionValueWithSource(name, await readUrl(path, source, workers > 1), 'config');
}

/** Units and images preset DATABASE_URL, so its file wins over it. */
const CONVENTIONAL_RANKS: ReadonlyMap<string, number> = new Map([
  ['DATABASE_URL', 1],
  ['DATABASE_URL_FILE', 2],
]);

/** 4 for the command line, 3 for variables of Shiftfeed, 0 for a default. The higher rank wins. */
function rankOf(command: Command, attribute: string): number {
  const source = command.getOptionValueSource(attribute);
  if (source === 'cli') return 4;
  return source === 'env' ? (CONVENTIONAL_RANKS.get(givenAs(command, attribute)) ?? 3) : 0;
}

/** Errors name the file but never quote it, because it may hold a password. A pipe can be read once. */
async function readUrl(path: string, source: string, isReadAgain: boolean): Promise<string> {
  const bytes = await readWhole(path, { orPipe: !isReadAgain }).catch((error: unknown) => {
    const again = isReadAgain && error instanceof FileRefused ? ', and each worker reads it again' : '';
    throw new Failure(`${source} names ${path}, which cannot be read: ${reasonOf(error)}${again}.`, {
      cause: error,
    });
  });
  const [firstLine = ''] = new TextDecoder().decode(bytes).split('\n', 1);
  const url = firstLine.trim();
  const line = `${source} names ${path}, whose first line`;
  if (isDatabaseUrl(url, line)) return url;
  throw wrongUse(`${line} is not a database URL: ${EXPECTED_URL}.`);
}

/** Throws when it is meant for PostgreSQL but not valid: only that error says what is wrong. */
function isDatabaseUrl(url: string, source: string): boolean {
  try {
    parseDatabaseUrl(url, source);
    return true;
  } catch (error) {
    if (/^postgres(ql)?:\/\/./.test(url)) throw error;
    return false;
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

/** Several hosts to read from are replicas, or any server, unless the URL says more. Elsewhere the primary is meant. */
function ofAnyRole(url: string): string {
  const database = parseDatabaseUrl(url);
  if (database.kind === 'sqlite' || database.hosts === 1 || /[?&]target_session_attrs=/.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}target_session_attrs=any`;
}
