/** The files of the gateway: its configuration, the token, which is never in it, and what personal links are made from. */

import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type ConfigDocument,
  ConfigProblems,
  type GatewayConfig,
  type LinkOptions,
  LinksProblem,
  readConfig,
  readLinks,
} from '@shiftfeed/gateway';
import { Failure } from '../failure.ts';
import { createFile, readBytes, readJsonFile, reasonOf } from '../files.ts';

interface ConfigFile {
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
    checkToken(String(await readBytes(file, 'The token file')).trim(), `The token file ${file}`);
  await readToken();
  return readToken;
}

/** Checks the format of RFC 6750. The error does not quote the text, because it may be another secret. */
function checkToken(text: string, what: string): string {
  if (!/^[\w.~+/=-]+$/.test(text)) throw new Failure(`${what} must hold a token and nothing else.`);
  return text;
}

interface LinkFiles extends LinkOptions {
  /** A warning to the owner about the files, if there is one. */
  readonly warning: string | undefined;
  /** Describes an error as a sentence that reveals neither the secret nor a name. */
  describe(error: unknown): string;
}

/**
 * Undefined without a personal feed. The files are read again while the gateway runs; a first reading checks at once
 * that they are readable.
 */
export async function findLinks(config: GatewayConfig, configFile: string): Promise<LinkFiles | undefined> {
  const personal = config.feeds.find((feed) => feed.isPersonal);
  if (personal === undefined) return undefined;
  const { linksSecretFile, linksFile } = config;
  if (linksSecretFile === undefined) {
    throw new Failure(
      `The configuration ${configFile} has a problem.\n  feeds.${personal.name}.personal: personal links need a secret: ` +
        'make one with "shiftfeed gateway links --new-secret FILE", and name the file in "links_secret_file".',
    );
  }
  const secretFile = resolve(dirname(configFile), linksSecretFile);
  const numbersFile = linksFile === undefined ? undefined : resolve(dirname(configFile), linksFile);
  const options: LinkOptions = {
    linksSecret: () => readBytes(secretFile, 'The file with the secret of links'),
    linkNumbers:
      numbersFile === undefined
        ? {}
        : () =>
            readJsonFile(numbersFile, 'The links file', { nameOf: () => 'a name' }) as Promise<
              Record<string, number>
            >,
  };
  const describe = (error: unknown) => {
    if (!(error instanceof LinksProblem)) return error instanceof Error ? error.message : String(error);
    return `${error.message} The file is ${error.of === 'secret' ? secretFile : numbersFile}.`;
  };
  await readLinks(options, []).catch((error: unknown) => {
    throw error instanceof LinksProblem ? new Failure(describe(error)) : error;
  });
  return { ...options, describe, warning: await warningOf(secretFile) };
}

/** Windows has no such file modes. */
async function warningOf(secretFile: string): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  const { mode } = await stat(secretFile);
  const isForOthers = (mode & 0o004) !== 0;
  return isForOthers
    ? `Every user of this machine can read the secret of personal links: "chmod 600 ${secretFile}" ends that.`
    : undefined;
}

const SECRET_BYTES = 32;

/** Writes a new secret to a file that must not exist yet: to replace a secret would end all links. */
export async function writeNewSecret(file: string): Promise<void> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await createFile(file, `${secret}\n`, 0o600).catch((error: unknown) => {
    throw failureOf(error, file);
  });
}

function failureOf(error: unknown, file: string): Failure {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    EEXIST: 'is there already, and another secret would end all links that were made with it',
    ENOENT: 'cannot be made: its folder does not exist',
    EACCES: 'may not be written by this user',
  };
  return new Failure(`The file ${file} ${reasons[code ?? ''] ?? `cannot be written: ${reasonOf(error)}`}.`, {
    cause: error,
  });
}
