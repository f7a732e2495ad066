import { quoted, stepsOf, valuedOptionsOf } from './shell-code.ts';
import type { CommandWords, DescribedOption, DescribedWord } from './words.ts';

/** In zsh, `path` is a variable of the shell itself, hence `place`. */
export function zshScript(commands: readonly CommandWords[]): string {
  const steps = stepsOf(commands).map(({ from, to }) => `      ${quoted(from)}) place=${quoted(to)} ;;`);
  const values = valuedOptionsOf(commands).map(
    ({ place, value }) => `    ${quoted(place)}) ${complete(value)}; return ;;`,
  );
  const entries = commands.map((command) => `    ${quoted(command.path)}) ${addEntries(command)} ;;`);
  return `#compdef shiftfeed
# Completes shiftfeed in zsh.
_shiftfeed() {
  local place= i
  local -a entries
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
${steps.join('\n')}
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$place" in
${entries.join('\n')}
  esac
  _describe shiftfeed entries
}
compdef _shiftfeed shiftfeed
`;
}

function complete(value: DescribedOption['value']): string {
  if (value === 'file') return '_files';
  return typeof value === 'string' ? '_message value' : `compadd -- ${value.map(quoted).join(' ')}`;
}

function addEntries({ commands, choices, options, takesFile }: CommandWords): string {
  const described = [...commands, ...choices.map((word) => ({ word, description: word })), ...options];
  const entries = `entries=(${described.map(entry).join(' ')})`;
  return takesFile ? `_files; ${entries}` : entries;
}

function entry({ word, description }: DescribedWord): string {
  return quoted(`${word}:${description}`);
}
