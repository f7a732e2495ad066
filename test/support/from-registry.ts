/** Packages of others, which only long tests need: npm fetches them from the registry that it knows. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const LIMIT_MS = 5 * 60_000;
const UNREACHABLE = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED)\b/;

/** Installs packages into a folder. Without a registry, returns the reason for which tests have to be skipped. */
export async function installFromRegistry(
  folder: string,
  packages: readonly string[],
): Promise<string | undefined> {
  return fetchInto(folder, ['install', '--ignore-scripts', '--no-audit', '--no-fund'], packages);
}

/** Puts the archive of a package into a folder, for a test that needs little of a large one. Returns the same. */
export async function downloadFromRegistry(folder: string, name: string): Promise<string | undefined> {
  return fetchInto(folder, ['pack', '--silent'], [name]);
}

async function fetchInto(
  folder: string,
  command: readonly string[],
  packages: readonly string[],
): Promise<string | undefined> {
  const words = [...command, '--fetch-retries=1', ...packages];
  try {
    await promisify(execFile)('npm', words, { cwd: folder, env: withoutNpm(process.env), timeout: LIMIT_MS });
    return undefined;
  } catch (error) {
    const [code] = UNREACHABLE.exec(String(error)) ?? [];
    if (code === undefined) throw error;
    return `npm cannot reach its registry (${code}), from which this test installs ${packages.join(', ')}.`;
  }
}

/** Tests are started by npm, which tells its settings to what it starts. */
export function withoutNpm(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('npm_')));
}
