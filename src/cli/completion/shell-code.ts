/** What the scripts for the shells have in common. */

import type { CommandWords, DescribedOption } from './words.ts';

/** As one word of bash, zsh or fish. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** Each word that leads from one command to a command of it: the path so far and the word, and the path with it. */
export function stepsOf(commands: readonly CommandWords[]): { from: string; to: string }[] {
  return commands.flatMap(({ path, commands: children }) =>
    children.map(({ word }) => ({ from: `${path} ${word}`, to: path === '' ? word : `${path} ${word}` })),
  );
}

/** Each option that a value follows, after the path of its command. */
export function valuedOptionsOf(
  commands: readonly CommandWords[],
): { place: string; value: DescribedOption['value'] }[] {
  return commands.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value !== 'none')
      .map(({ word, value }) => ({ place: `${path} ${word}`, value })),
  );
}
