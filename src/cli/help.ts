/** How help looks, and the command that shows it. Commander takes colours out where there is no terminal, and for NO_COLOR. */

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

/** A part at the end of a help, with lines to type. */
export function examples(...lines: string[]): string {
  return section(lines.length === 1 ? 'Example:' : 'Examples:', ...lines);
}

/** A part at the end of a help. Its lines are shown as they are, so they should be short. */
export function section(title: string, ...lines: string[]): string {
  return ['', bold(title), ...lines.map((line) => `  ${line}`)].join('\n');
}

export const HELP_SUMMARY = 'Show the help of a command.';

/** Commander's own looks at one word only, and so shows the help of `token` for `help token create`. */
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
    // Commander knows what to say of an unknown command. One that has others does nothing by itself.
    if (child === undefined && command?.commands.length) {
      await program?.parseAsync(words.slice(0, i + 1), { from: 'user' });
    }
    command = child ?? command;
  }
  command?.help();
}

/** A variable that follows from the name of its option is told once, at the end, and not with each option. */
function describeOption(option: Option): string {
  const shown: Option = isByRule(option) ? Object.create(option, { envVar: { value: undefined } }) : option;
  return new Help().optionDescription(shown);
}
