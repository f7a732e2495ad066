/** The files that personal links are made from: the secret, and the numbers of people who were given another link. */

import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type GatewayConfig, type LinkOptions, LinksProblem, readLinks } from '@shiftfeed/gateway';
import { Failure } from '../failure.ts';
import { readBytes, readJsonFile } from '../json-file.ts';

export interface LinkFiles extends LinkOptions {
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
