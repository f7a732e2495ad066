import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import { makeProgram } from '../../src/cli/program.ts';
import { importer } from '../import/importer.ts';
import { shiftfeed } from '../support/cli-in-process.ts';

const ESCAPE = '\u001b';

const PATHS = pathsOf(await makeProgram());

describe('the help of every command', () => {
  for (const path of PATHS) {
    test(`${path.join(' ')} says what it does and has an example that can be typed`, async () => {
      const help = helpOf(await commandAt(path));
      assert.ok(help.startsWith(`Usage: ${path.join(' ')} `), help);
      assert.match(help, /\n\nExamples?:\n/);
      const examples = examplesIn(help);
      assert.notDeepEqual(examples, []);
      for (const example of examples) await assertIsUnderstood(example.split(' '));
      assert.ok(examples.every((example) => example.startsWith(path.join(' '))));
    });

    test(`${path.join(' ')} describes each argument and option`, async () => {
      const { registeredArguments, options } = await commandAt(path);
      for (const part of [...registeredArguments, ...options])
        assert.notEqual(part.description, '', part.name());
    });
  }
});

describe('help', () => {
  for (const args of [
    ['--help'],
    ['help'],
    ['help', 'token'],
    ['token', 'create', '-h'],
    ['desk', 'help'],
    ['gateway', 'help', 'links'],
    ['help', 'desk', 'acme'],
  ]) {
    test(`shiftfeed ${args.join(' ')} goes to standard output with exit code 0`, async () => {
      const { code, stdout, stderr } = await shiftfeed(args);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.match(stdout, /^Usage: shiftfeed /);
      assert.match(stdout, /\nExamples?:\n {2}shiftfeed /);
    });
  }

  for (const path of PATHS) {
    const [, ...words] = path;
    test(`shiftfeed help ${words.join(' ')} is ${path.join(' ')} --help`, async () => {
      assert.deepEqual(await shiftfeed(['help', ...words]), await shiftfeed([...words, '--help']));
    });
  }

  test('shiftfeed help with more words than a command has shows the help and does nothing', async () => {
    const { code, stdout } = await shiftfeed(['help', 'import', 'plan.json']);
    assert.equal(code, 0);
    assert.match(stdout, /^Usage: shiftfeed import /);
  });

  test('serve tells in one place which variables there are', async () => {
    const { stdout } = await shiftfeed(['serve', '--help']);
    assert.equal(stdout.match(/SHIFTFEED_CACHE_MB/g)?.length, 1);
    assert.doesNotMatch(stdout, /env: SHIFTFEED_/);
    for (const name of ['HOST', 'PORT', 'DATABASE_URL', 'DATABASE_URL_FILE']) {
      assert.match(stdout, new RegExp(`env:\\s+${name}\\)`));
    }
  });

  test('has colours on a terminal, unless NO_COLOR is set, and none elsewhere', async () => {
    const plain = await shiftfeed(['serve', '--help']);
    assert.ok(!plain.stdout.includes(ESCAPE));
    const coloured = await shiftfeed(['serve', '--help'], { isTerminal: true });
    assert.ok(coloured.stdout.startsWith(`${ESCAPE}[1mUsage:${ESCAPE}[22m`));
    assert.ok(coloured.stdout.includes(`${ESCAPE}[1mExamples:${ESCAPE}[22m`));
    assert.equal(stripVTControlCharacters(coloured.stdout), plain.stdout);
    const refused = await shiftfeed(['serve', '--help'], { isTerminal: true, env: { NO_COLOR: '1' } });
    assert.deepEqual(refused, plain);
  });

  test('shiftfeed --version prints the version alone', async () => {
    const { code, stdout, stderr } = await shiftfeed(['--version']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /^\d+\.\d+\.\d+(-rc\.\d+)?\n$/);
  });

  test('shiftfeed version prints what is installed, and the schemas that a new database gets', async (t) => {
    const { code, stdout, stderr } = await shiftfeed(['version']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const { url } = await importer(t);
    using database = new DatabaseSync(url.replace('sqlite:', ''));
    const { user_version } = database.prepare('PRAGMA user_version').get() ?? {};
    assert.match(
      stdout,
      new RegExp(
        `^Shiftfeed +\\d+\\.\\d+\\.\\d+(-rc\\.\\d+)?\nNode +${RegExp.escape(process.versions.node)}\nSchema on SQLite +${user_version}\nSchema on PostgreSQL +[1-9]\\d*\n$`,
      ),
    );
  });
});

/** The words that lead to each command, the program itself first. */
function pathsOf(command: Command): string[][] {
  return [[command.name()], ...command.commands.flatMap(pathsOf).map((path) => [command.name(), ...path])];
}

async function commandAt([, ...names]: readonly string[]): Promise<Command> {
  return names.reduce(
    (command, name) => {
      const child = command.commands.find((candidate) => candidate.name() === name);
      assert.ok(child, `there is no command ${name}`);
      return child;
    },
    await makeProgram(),
  );
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
async function assertIsUnderstood(words: readonly string[]): Promise<void> {
  const path = PATHS.filter((candidate) => candidate.every((name, i) => words[i] === name)).reduce(
    (longest, candidate) => (candidate.length > longest.length ? candidate : longest),
  );
  const command = await commandAt(path);
  const { operands, unknown } = command.parseOptions(words.slice(path.length));
  assert.deepEqual(unknown, [], words.join(' '));
  const { registeredArguments } = command;
  if (registeredArguments.some(({ variadic }) => variadic)) return;
  const required = registeredArguments.filter((argument) => argument.required).length;
  assert.ok(operands.length >= required && operands.length <= registeredArguments.length, words.join(' '));
}
