/** The configuration file of the gateway, and the token, which is never in it. */

import { dirname, resolve } from 'node:path';
import { type ConfigDocument, ConfigProblems, type GatewayConfig, readConfig } from '@shiftfeed/gateway';
import { Failure } from '../failure.ts';
import { readJsonFile, readTextFile } from '../json-file.ts';

export interface ConfigFile {
  readonly document: ConfigDocument;
  readonly config: GatewayConfig;
}

export async function readConfigFile(file: string): Promise<ConfigFile> {
  const document = (await readJsonFile(file, 'The configuration', { orPipe: true })) as ConfigDocument;
  try {
    return { document, config: readConfig(document) };
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    throw new Failure(error.message.replace('The configuration', `The configuration ${file}`));
  }
}

/**
 * Where the token comes from. A file is read before every request to the upstream, so that the token can be replaced
 * without a restart. A first reading checks at once that the file is readable.
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
    checkToken((await readTextFile(file, 'The token file')).trim(), `The token file ${file}`);
  await readToken();
  return readToken;
}

/** Checks the format of RFC 6750. The error does not quote the text, because it may be another secret. */
function checkToken(text: string, what: string): string {
  if (!/^[\w.~+/=-]+$/.test(text)) throw new Failure(`${what} must hold a token and nothing else.`);
  return text;
}
