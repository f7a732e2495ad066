/**
 * The style of help texts, the command `help`, and what to type first. Commander removes colours if there is no terminal
 * or NO_COLOR is set.
 */

import { styleText } from 'node:util';
import { Command, Help, type HelpConfiguration, type Option } from 'commander';
import { calledAs } from './called-as.ts';
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
    // Parsing an unknown subcommand makes Commander report it.
    if (child === undefined && command?.commands.length) {
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
  const shiftfeed = calledAs().join(' ');
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
