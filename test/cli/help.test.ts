import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { makeProgram } from '../../src/cli/main.ts';
import { shiftfeed } from '../support/cli.ts';

describe('the help of every command', () => {
  for (const path of pathsOf(makeProgram())) {
    test(`${path.join(' ')} says what it does and has an example that can be typed`, () => {
      const help = helpOf(commandAt(path));
      assert.ok(help.startsWith(`Usage: ${path.join(' ')} `), help);
      const examples = examplesIn(help);
      assert.notDeepEqual(examples, []);
      for (const example of examples) assertIsUnderstood(example.split(' '));
      assert.ok(examples.every((example) => example.startsWith(path.join(' '))));
    });

    test(`${path.join(' ')} describes each argument and option`, () => {
      const { registeredArguments, options } = commandAt(path);
      for (const part of [...registeredArguments, ...options])
        assert.notEqual(part.description, '', part.name());
    });
  }
});

describe('help', () => {
  for (const args of [['--help'], ['help', 'token'], ['token', 'create', '-h']]) {
    test(`shiftfeed ${args.join(' ')} goes to standard output with exit code 0`, async () => {
      const { code, stdout, stderr } = await shiftfeed(args);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.match(stdout, /^Usage: shiftfeed /);
      assert.match(stdout, /\nExamples?:\n {2}shiftfeed /);
    });
  }

  test('shiftfeed --version prints the version alone', async () => {
    const { code, stdout, stderr } = await shiftfeed(['--version']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });
});

/** The words that lead to each command, the program itself first. */
function pathsOf(command: Command): string[][] {
  return [[command.name()], ...command.commands.flatMap(pathsOf).map((path) => [command.name(), ...path])];
}

function commandAt([, ...names]: readonly string[]): Command {
  return names.reduce((command, name) => {
    const child = command.commands.find((candidate) => candidate.name() === name);
    assert.ok(child, `there is no command ${name}`);
    return child;
  }, makeProgram());
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  return help;
}

function examplesIn(help: string): string[] {
  const [, after = ''] = help.split(/\nExamples?:\n/);
  return after.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** The words name a command, its options take their values, and its arguments are all there. */
function assertIsUnderstood(words: readonly string[]): void {
  const path = pathsOf(makeProgram())
    .filter((candidate) => candidate.every((name, i) => words[i] === name))
    .reduce((longest, candidate) => (candidate.length > longest.length ? candidate : longest));
  const command = commandAt(path);
  const { operands, unknown } = command.parseOptions(words.slice(path.length));
  assert.deepEqual(unknown, [], words.join(' '));
  assert.equal(operands.length, command.registeredArguments.length, words.join(' '));
}
