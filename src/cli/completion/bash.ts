import { quoted, stepsOf, valuedOptionsOf } from './shell-code.ts';
import type { CommandWords, DescribedOption } from './words.ts';

/**
 * File names are completed by bash itself, which can handle spaces. The bash 3 of macOS has no compopt, and completes
 * no file names.
 */
export function bashScript(commands: readonly CommandWords[]): string {
  const steps = stepsOf(commands).map(({ from, to }) => `      ${quoted(from)}) path=${quoted(to)} ;;`);
  const values = valuedOptionsOf(commands).map(
    ({ place, value }) => `    ${quoted(place)}) ${complete(value)}; return ;;`,
  );
  const words = commands.map(
    (command) =>
      `    ${quoted(command.path)}) words=${quoted(wordsOf(command))} files=${filesOf(command)} ;;`,
  );
  return `# Completes shiftfeed in bash.
_shiftfeed() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path= i words= files=
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
${steps.join('\n')}
    esac
  done
  case "$path $before" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  if [[ $files == yes && $word != -* ]]; then compopt -o default 2>/dev/null; return; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _shiftfeed shiftfeed
`;
}

function complete(value: DescribedOption['value']): string {
  if (value === 'file') return 'compopt -o default 2>/dev/null';
  return typeof value === 'string' ? ':' : `COMPREPLY=($(compgen -W ${quoted(value.join(' '))} -- "$word"))`;
}

function wordsOf({ commands, choices, options }: CommandWords): string {
  return [...commands.map(({ word }) => word), ...choices, ...options.map(({ word }) => word)].join(' ');
}

function filesOf({ takesFile }: CommandWords): string {
  return takesFile ? 'yes' : 'no';
}
