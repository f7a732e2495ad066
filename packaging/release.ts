/**
 * `npm run release`: checks that the version can be released, packs it into dist/ with the downloads for Linux, and tags
 * it. With --dry-run, nothing is tagged, and all problems are told at once. Publishing is left to those who may: the commands are
 * printed.
 */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { makeDownloads } from './downloads.ts';
import { PLATFORMS } from './executable.ts';
import { packAll } from './pack.ts';
import { allPackages, DESTINATION, ROOT } from './packages.ts';
import { problemsOf } from './release-problems.ts';

const run = promisify(execFile);

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  const dryRun = values['dry-run'];
  const manifests = (await allPackages()).map(({ manifest }) => manifest);
  const version = manifests.at(-1)?.version ?? '';
  const tag = `v${version}`;
  const problems = problemsOf({
    manifests,
    changelog: await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'),
    tags: await git('tag', '--list'),
    changes: await git('status', '--porcelain'),
    dryRun,
  });
  if (problems.length > 0) {
    for (const problem of problems) process.stderr.write(`release: ${problem}\n`);
    process.exitCode = 1;
    return;
  }
  const packed = await packAll(DESTINATION);
  const downloads = await makeDownloads(packed, PLATFORMS, DESTINATION);
  // What comes before a release must not become what "npm install shiftfeed" brings; npm refuses it without a tag.
  const words = ['publish', '--access', 'public', ...(version.includes('-') ? ['--tag', 'next'] : [])];
  const publishing = packed.map(({ tarball }) => [...words, `./${relative(ROOT, tarball)}`]);
  // The registry is asked whether it has the version already.
  for (const words of publishing) await run('npm', [...words, '--dry-run'], { cwd: ROOT });
  const commands = publishing.map((words) => `npm ${words.join(' ')}`);
  if (!dryRun) await git('tag', '--annotate', tag, '--message', `Shiftfeed ${version}`);
  const next = [...commands, `git push origin ${tag}`];
  const outcome = dryRun ? `Shiftfeed ${version} can be released. After that:` : `${tag} is tagged. Now:`;
  const offered = downloads.map((file) => `  ${relative(ROOT, file)}`);
  process.stdout.write(`To offer for download:\n${offered.join('\n')}\n`);
  process.stdout.write(`${[outcome, ...next.map((command) => `  ${command}`)].join('\n')}\n`);
}

async function git(...words: string[]): Promise<string[]> {
  const { stdout } = await run('git', words, { cwd: ROOT });
  return stdout.split('\n').filter((line) => line !== '');
}

await main();
