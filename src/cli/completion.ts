/**
 * `completion`: scripts that let a shell complete commands, options and values. They hold all words, so that a completion
 * starts no process. The words are read from the commands themselves, so they are never out of date.
 */

import { Argument, Command, type Option } from 'commander';
import { examples, section } from './help.ts';
import { print } from './print.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const SETUP_HELP = section(
  'To keep it:',
  'bash: mkdir -p ~/.local/share/bash-completion/completions',
  '      shiftfeed completion bash > ~/.local/share/bash-completion/completions/shiftfeed',
  'zsh:  mkdir -p ~/.zfunc',
  '      shiftfeed completion zsh > ~/.zfunc/_shiftfeed',
  '      and in ~/.zshrc, before compinit: fpath+=~/.zfunc',
  'fish: mkdir -p ~/.config/fish/completions',
  '      shiftfeed completion fish > ~/.config/fish/completions/shiftfeed.fish',
);

export function completionCommand(): Command {
  return new Command('completion')
    .summary('Print a script that completes commands in a shell.')
    .description('Prints a script that lets a shell complete commands, options and values.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', SETUP_HELP)
    .addHelpText('after', examples('shiftfeed completion bash'))
    .action((shell: string, _options, command: Command) => {
      const script = SCRIPTS[shell]?.(wordsOf(command.parent ?? command)) ?? '';
      print(script.trimEnd());
    });
}

/** A command, by the words that lead to it without `shiftfeed`, such as "token create". */
interface CommandWords {
  readonly path: string;
  readonly commands: readonly DescribedWord[];
  readonly options: readonly DescribedOption[];
  /** Words that an argument may be. */
  readonly choices: readonly string[];
  /** Whether an argument is a file. */
  readonly takesFile: boolean;
}

interface DescribedWord {
  readonly word: string;
  readonly description: string;
}

interface DescribedOption extends DescribedWord {
  readonly value: OptionValue;
}

/** What follows an option: nothing, one of some words, a file, or something that cannot be completed. */
type OptionValue = 'none' | readonly string[] | 'file' | 'other';

const HELP: DescribedOption = { word: '--help', description: 'display help for command', value: 'none' };
const FILE_ARGUMENTS = ['file', 'config'];

function wordsOf(command: Command, path: readonly string[] = []): CommandWords[] {
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
  return { word: option.long ?? option.flags, description: option.description, value: kindOfValue(option) };
}

function kindOfValue(option: Option): OptionValue {
  if (!option.required && !option.optional) return 'none';
  if (option.argChoices !== undefined) return option.argChoices;
  if (option.flags.endsWith('<true|false>')) return ['true', 'false'];
  return option.name().endsWith('-file') ? 'file' : 'other';
}

/** Quotes a text as one word of bash, zsh or fish. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/**
 * Each step from a command to one of its subcommands: `from` is the path with the next word, `to` the path after it.
 */
function stepsOf(commands: readonly CommandWords[]): { from: string; to: string }[] {
  return commands.flatMap(({ path, commands: children }) =>
    children.map(({ word }) => ({ from: `${path} ${word}`, to: path === '' ? word : `${path} ${word}` })),
  );
}

/**
 * In bash and zsh: `steps` finds the place of a command by its words, and `values` completes what follows an option
 * there. The variable is not called `path`, because zsh has one of this name.
 */
function casesOf(commands: readonly CommandWords[], complete: (value: OptionValue) => string) {
  const steps = stepsOf(commands).map(({ from, to }) => `      ${quoted(from)}) place=${quoted(to)} ;;`);
  const values = commands.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value !== 'none')
      .map(({ word, value }) => `    ${quoted(`${path} ${word}`)}) ${complete(value)}; return ;;`),
  );
  return { steps: steps.join('\n'), values: values.join('\n') };
}

/**
 * File names are completed by bash itself, which can handle spaces. The bash 3 of macOS has no compopt, and completes
 * no file names.
 */
function bashScript(commands: readonly CommandWords[]): string {
  const { steps, values } = casesOf(commands, (value) => {
    if (value === 'file') return 'compopt -o default 2>/dev/null';
    return typeof value === 'string'
      ? ':'
      : `COMPREPLY=($(compgen -W ${quoted(value.join(' '))} -- "$word"))`;
  });
  const words = commands.map(({ path, commands: children, choices, options, takesFile }) => {
    const all = [...children.map(({ word }) => word), ...choices, ...options.map(({ word }) => word)];
    return `    ${quoted(path)}) words=${quoted(all.join(' '))} files=${takesFile ? 'yes' : 'no'} ;;`;
  });
  return `# Completes shiftfeed in bash.
_shiftfeed() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} place= i words= files=
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
${steps}
    esac
  done
  case "$place $before" in
${values}
  esac
  case "$place" in
${words.join('\n')}
  esac
  if [[ $files == yes && $word != -* ]]; then compopt -o default 2>/dev/null; return; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _shiftfeed shiftfeed
`;
}

function zshScript(commands: readonly CommandWords[]): string {
  const { steps, values } = casesOf(commands, (value) => {
    if (value === 'file') return '_files';
    return typeof value === 'string' ? '_message value' : `compadd -- ${value.map(quoted).join(' ')}`;
  });
  const entries = commands.map(({ path, commands: children, choices, options, takesFile }) => {
    const words = [...children, ...choices.map((word) => ({ word, description: word })), ...options];
    const described = words.map(({ word, description }) => quoted(`${word}:${description}`));
    return `    ${quoted(path)}) ${takesFile ? '_files; ' : ''}entries=(${described.join(' ')}) ;;`;
  });
  return `#compdef shiftfeed
# Completes shiftfeed in zsh.
_shiftfeed() {
  local place= i
  local -a entries
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
${steps}
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${values}
  esac
  case "$place" in
${entries.join('\n')}
  esac
  _describe shiftfeed entries
}
compdef _shiftfeed shiftfeed
`;
}

function fishScript(commands: readonly CommandWords[]): string {
  const complete = (value: OptionValue) => {
    if (value === 'none') return '';
    if (value === 'file') return ' -r -F';
    return typeof value === 'string' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
  };
  const steps = stepsOf(commands).map(
    ({ from, to }) => `      case ${quoted(from)}\n        set place ${quoted(to)}`,
  );
  const lines = commands.flatMap(({ path, commands: children, choices, options, takesFile }) => {
    const here = `complete -c shiftfeed -n ${quoted(`__shiftfeed_at "${path}"`)}`;
    return [
      ...children.map(({ word, description }) => `${here} -a ${word} -d ${quoted(description)}`),
      ...choices.map((word) => `${here} -a ${word}`),
      ...options.map(
        ({ word, description, value }) =>
          `${here} -l ${word.replace('--', '')} -d ${quoted(description)}${complete(value)}`,
      ),
      ...(takesFile ? [`${here} -F`] : []),
    ];
  });
  return `# Completes shiftfeed in fish.
function __shiftfeed_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
${steps.join('\n')}
    end
  end
  test "$place" = "$argv[1]"
end
complete -c shiftfeed -f
${lines.join('\n')}
`;
}
