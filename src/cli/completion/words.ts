/** The words that can be typed, read from the commands themselves, so that they are never out of date. */

import type { Argument, Command, Option } from 'commander';

/** A command, by the words that lead to it without `shiftfeed`, such as "token create". */
export interface CommandWords {
  readonly path: string;
  readonly commands: readonly DescribedWord[];
  readonly options: readonly DescribedOption[];
  /** Words that an argument may be. */
  readonly choices: readonly string[];
  /** Whether an argument is a file. */
  readonly takesFile: boolean;
}

export interface DescribedWord {
  readonly word: string;
  readonly description: string;
}

export interface DescribedOption extends DescribedWord {
  /** What follows the option: nothing, one of some words, a file, or something that cannot be completed. */
  readonly value: 'none' | readonly string[] | 'file' | 'other';
}

const HELP: DescribedOption = { word: '--help', description: 'display help for command', value: 'none' };
const FILE_ARGUMENTS = ['file', 'config'];

export function wordsOf(command: Command, path: readonly string[] = []): CommandWords[] {
  const own = {
    path: path.join(' '),
    commands: command.commands.map((child) => ({
      word: child.name(),
      description: child.summary() || child.description(),
    })),
    options: [...command.options.map(describeOption), HELP],
    choices: command.registeredArguments.flatMap(({ argChoices = [] }: Argument) => argChoices),
    takesFile: command.registeredArguments.some((argument) => FILE_ARGUMENTS.includes(argument.name())),
  };
  return [own, ...command.commands.flatMap((child) => wordsOf(child, [...path, child.name()]))];
}

function describeOption(option: Option): DescribedOption {
  return { word: option.long ?? option.flags, description: option.description, value: valuesOf(option) };
}

function valuesOf(option: Option): DescribedOption['value'] {
  if (!option.required && !option.optional) return 'none';
  if (option.argChoices !== undefined) return option.argChoices;
  if (option.flags.endsWith('<true|false>')) return ['true', 'false'];
  return option.name().endsWith('-file') ? 'file' : 'other';
}
