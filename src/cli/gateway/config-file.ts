/** The configuration file of the gateway, and the token, which is never in it. */

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type ConfigDocument, ConfigProblems, type GatewayConfig, readConfig } from '@shiftfeed/gateway';
import { findFlaws } from '../../import/json/flaws.ts';
import { placeOf } from '../../import/place.ts';
import { Failure } from '../failure.ts';

export interface ConfigFile {
  readonly document: ConfigDocument;
  readonly config: GatewayConfig;
}

export async function readConfigFile(file: string): Promise<ConfigFile> {
  const text = (await read(file, 'The configuration')).replace(/^\ufeff/, '');
  const [flaw] = findFlaws(text);
  if (flaw !== undefined) {
    const { line, column } = positionOf(text, flaw.offset);
    const what =
      flaw.kind === 'syntax' ? 'this is not JSON' : `the key ${placeOf(...flaw.path)} is there twice`;
    throw new Failure(`The configuration ${file} has a problem in line ${line}, column ${column}: ${what}.`);
  }
  const document = JSON.parse(text);
  try {
    return { document, config: readConfig(document) };
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    throw new Failure(error.message.replace('The configuration', `The configuration ${file}`));
  }
}

/**
 * Where the token comes from. A file is read before every request to the upstream, so that a token can be replaced
 * without a restart; that it can be read is checked at once.
 */
export async function findToken(
  { tokenFile }: GatewayConfig,
  configFile: string,
  environment: string | undefined,
): Promise<() => Promise<string>> {
  if (environment !== undefined && environment !== '') {
    const token = checkToken(environment, 'The variable SHIFTFEED_TOKEN');
    return async () => token;
  }
  if (tokenFile === undefined) {
    throw new Failure('There is no token: set the variable SHIFTFEED_TOKEN, or name a file in "token_file".');
  }
  const file = resolve(dirname(configFile), tokenFile);
  const readToken = async () =>
    checkToken((await read(file, 'The token file')).trim(), `The token file ${file}`);
  await readToken();
  return readToken;
}

/** By RFC 6750. Says nothing of what is there instead: it may be a secret all the same. */
function checkToken(text: string, what: string): string {
  if (!/^[\w.~+/=-]+$/.test(text)) throw new Failure(`${what} must hold a token and nothing else.`);
  return text;
}

async function read(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'does not exist',
      EACCES: 'may not be read by this user',
      EISDIR: 'is a folder',
    };
    throw new Failure(`${what} ${file} ${reasons[code ?? ''] ?? `cannot be read (${code})`}.`, {
      cause: error,
    });
  }
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
