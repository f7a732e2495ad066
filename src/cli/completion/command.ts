import { Argument, Command } from 'commander';
import { examples, section } from '../help.ts';
import { print } from '../print.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type CommandWords, wordsOf } from './words.ts';
import { zshScript } from './zsh.ts';

/** The scripts contain all words, so that a completion starts no process. */
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
