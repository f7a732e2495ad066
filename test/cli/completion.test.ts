/**
 * The scripts are run by the shells that they are for. Where zsh or fish is missing, a line says that it was not tried.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { makeProgram } from '../../src/cli/program.ts';
import { shiftfeed } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';
import { skipsWithout } from '../support/installed.ts';

describe('completion in bash', () => {
  const cases: [line: string, words: string[]][] = [
    ['shiftfeed exp', ['export']],
    ['shiftfeed token ', ['create', 'list', 'revoke', '--help']],
    ['shiftfeed token create acme --exp', ['--expires']],
    ['shiftfeed serve --database-', ['--database-file']],
    ['shiftfeed serve --log-level ', ['info', 'warn', 'error']],
    ['shiftfeed serve --port ', []],
    ['shiftfeed account set acme --premium t', ['true']],
    ['shiftfeed completion ', ['bash', 'zsh', 'fish', '--help']],
    ['shiftfeed --data', []],
  ];
  test('offers commands, options and values where they belong', async () => {
    const answers = await completeInBash(cases.map(([line]) => line));
    cases.forEach(([line, words], i) => {
      assert.deepEqual(answers[i], words, line);
    });
  });

  test('knows every command and every option that is not hidden', async () => {
    const commands = pathsOf(await makeProgram());
    const lines = commands.map(({ path }) => `${path.join(' ')} -`);
    const answers = await completeInBash(lines);
    commands.forEach(({ command }, i) => {
      assert.deepEqual(answers[i], [...command.options.map(({ long }) => long), '--help'], String(lines[i]));
    });
  });

  test('leaves names of files to bash, which knows how to write those with spaces', async () => {
    for (const line of ['shiftfeed import my', 'shiftfeed serve --database-file my', 'shiftfeed gateway ']) {
      assert.deepEqual(await completeInBash([line]), [['compopt', '-o', 'default']], line);
    }
  });
});

for (const [shell, check] of [
  ['zsh', 'autoload -U compinit; compinit -D; source ./script; print $_comps[shiftfeed]'],
  [
    'fish',
    'source ./script; complete -C "shiftfeed tok"; complete -C "shiftfeed token cr"; complete -C "shiftfeed serve --log-level e"',
  ],
] as const) {
  test(`${shell} understands its script`, async (t) => {
    if (skipsWithout(t, [shell, '--version'])) return;
    const folder = await newFolder(t);
    await writeFile(join(folder, 'script'), (await shiftfeed(['completion', shell])).stdout);
    const { stdout, stderr } = spawnSync(shell, ['-c', check], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, HOME: folder },
    });
    assert.equal(stderr, '');
    const words = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]]));
    assert.deepEqual(words, shell === 'zsh' ? ['_shiftfeed'] : ['token', 'create', 'error']);
  });
}

test('what the help says to type keeps each script, also where its folder is missing', async (t) => {
  const { stdout: help } = await shiftfeed(['completion', '--help']);
  const lines = [...help.matchAll(/^ {2}(?:\w+:)? +(mkdir -p .+|shiftfeed completion \w+ > .+)$/gm)];
  assert.equal(lines.length, 6);
  const home = await newFolder(t);
  const { stderr } = spawnSync('bash', ['--norc', '-e'], {
    input: ['shiftfeed() { echo "script $2"; }', ...lines.map(([, line]) => line)].join('\n'),
    encoding: 'utf8',
    env: { ...process.env, HOME: home },
  });
  assert.equal(stderr, '');
  for (const [file, shell] of [
    ['.local/share/bash-completion/completions/shiftfeed', 'bash'],
    ['.zfunc/_shiftfeed', 'zsh'],
    ['.config/fish/completions/shiftfeed.fish', 'fish'],
  ] as const)
    assert.equal(await readFile(join(home, file), 'utf8'), `script ${shell}\n`);
});

/** What bash would offer at the end of each line. */
async function completeInBash(lines: readonly string[]): Promise<string[][]> {
  const { stdout: script } = await shiftfeed(['completion', 'bash']);
  const asking = lines.map((line) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; told=; _shiftfeed; echo "$told" "\${COMPREPLY[@]}"`;
  });
  const { stdout, stderr } = spawnSync('bash', ['--norc'], {
    input: [script, 'compopt() { told="compopt $*"; }', ...asking].join('\n'),
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

function pathsOf(command: Command, path: readonly string[] = []): { command: Command; path: string[] }[] {
  const here = [...path, command.name()];
  return [{ command, path: here }, ...command.commands.flatMap((child) => pathsOf(child, here))];
}
