/** What an install brings along, and whether docs/decisions.md says why. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');
const AUDIT_LIMIT_MS = 60_000;

/** Packages of other people that the service needs, and of which the paragraph on dependencies says nothing. */
export async function unexplainedDependencies(): Promise<{ explained: number; unexplained: string[] }> {
  const { dependencies } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
  const decisions = await readFile(join(PROJECT, 'docs/decisions.md'), 'utf8');
  const [, paragraph = ''] = /\*\*Few dependencies\.\*\*(.*?)\n\n/s.exec(decisions) ?? [];
  const words = new Set(paragraph.split(/[\s,;()]+/));
  const names = Object.keys(dependencies).filter((name) => !name.startsWith('@shiftfeed/'));
  const unexplained = names.filter((name) => !words.has(name));
  return { explained: names.length - unexplained.length, unexplained };
}

/** How many known weaknesses the packages of an install have; undefined where the registry does not tell. */
export function audit(): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const options = { cwd: PROJECT, timeout: AUDIT_LIMIT_MS };
  // It ends with 1 when there are some, so only what it prints counts.
  execFile('npm', ['audit', '--omit=dev', '--json'], options, (_error, stdout) => {
    try {
      resolve(JSON.parse(stdout).metadata.vulnerabilities.total);
    } catch {
      resolve(undefined);
    }
  });
  return promise;
}
