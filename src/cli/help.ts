/**
 * The style of help texts, the command `help`, and what to type first. Commander removes colours if there is no terminal
 * or NO_COLOR is set.
 */

import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, relative, sep } from 'node:path';
import { styleText } from 'node:util';
import { Command, Help, type HelpConfiguration, type Option } from 'commander';
import { isByRule } from './variables.ts';

const bold = (text: string) => styleText('bold', text, { validateStream: false });
const cyan = (text: string) => styleText('cyan', text, { validateStream: false });

export const HELP_STYLE: HelpConfiguration = {
  styleTitle: bold,
  styleCommandText: cyan,
  styleSubcommandText: cyan,
  styleOptionText: cyan,
  styleArgumentText: cyan,
  optionDescription: describeOption,
};

/** A section at the end of a help text, with example commands. */
export function examples(...lines: string[]): string {
  return section(lines.length === 1 ? 'Example:' : 'Examples:', ...lines);
}

/** A section at the end of a help text. Its lines are not wrapped, so keep them short. */
export function section(title: string, ...lines: string[]): string {
  return ['', bold(title), ...lines.map((line) => `  ${line}`)].join('\n');
}

export const HELP_SUMMARY = 'Show the help of a command.';

/** Commander's own `help` reads one word only: `help token create` would show the help of `token`. */
export function helpCommand(): Command {
  return new Command('help')
    .description(HELP_SUMMARY)
    .argument('[command...]', 'the words of the command')
    .addHelpText('after', examples('shiftfeed help token create'))
    .action((words: readonly string[], _options, command: Command) => showHelp(words, command.parent));
}

async function showHelp(words: readonly string[], program: Command | null): Promise<void> {
  let command = program;
  for (const [i, word] of words.entries()) {
    const child = command?.commands.find((candidate) => candidate.name() === word);
    // Parsing an unknown subcommand makes Commander report it. Where it could be an argument, it would run the command.
    if (child === undefined && command?.commands.length && command.registeredArguments.length === 0) {
      await program?.parseAsync(words.slice(0, i + 1), { from: 'user' });
    }
    command = child ?? command;
  }
  command?.help();
}

/** SHIFTFEED_… variables are explained once, at the end of the help, so they are left out here. */
function describeOption(option: Option): string {
  const shown: Option = isByRule(option) ? Object.create(option, { envVar: { value: undefined } }) : option;
  return new Help().optionDescription(shown);
}

/** What `shiftfeed` without any words says: what to type next. */
export function firstSteps(): string {
  const shiftfeed = lineToPaste();
  return `Shiftfeed lets the work shifts of an organisation be read over HTTP.

See it work, with made-up shifts:
  ${shiftfeed} serve --demo

Serve your own shifts:
  ${shiftfeed} import plan.json
  ${shiftfeed} token create acme --label website
  ${shiftfeed} serve

Show them on a website:
  ${shiftfeed} gateway website.json

All commands: ${shiftfeed} --help
`;
}

/** A command of Shiftfeed for a shell. */
export function lineToPaste(...words: readonly string[]): string {
  return [...calledAs(), ...words].map(quoted).join(' ');
}

/** Shells of Windows take the \ of a path as it is. */
function quoted(word: string): string {
  const isPlain = /^[\w=./:,+@…-]+$/.test(word.replaceAll(sep, '/'));
  return isPlain ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * The words before the arguments, so that lines to be pasted start this install and no other program of the same name.
 * `launcher` is the path by which Node was started, such as a link in a `bin` folder.
 */
export function calledAs(launcher = process.argv[1] ?? ''): readonly string[] {
  // With --no, npx asks no registry for a package of that name where there is no install. Without --, npx takes --help for itself.
  if (process.env.npm_command === 'exec') return ['npx', '--no', '--', 'shiftfeed'];
  if (foundByName() === realPath(launcher)) return ['shiftfeed'];
  // Only an executable that a shell found by its name is called without a folder, whatever lies in this one.
  if (basename(launcher) === launcher) return [launcher];
  const fromHere = `.${sep}${relative(process.cwd(), launcher)}`;
  const path = fromHere.startsWith(`.${sep}..`) || !existsSync(fromHere) ? launcher : fromHere;
  return path.endsWith('.js') ? ['node', path] : [path];
}

/** What a shell starts for `shiftfeed`. */
function foundByName(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => realPath(join(folder, 'shiftfeed'))).find((path) => path !== undefined);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
