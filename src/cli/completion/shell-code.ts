/** Code that the scripts of all shells share. */

import type { CommandWords, DescribedOption } from './words.ts';

/** Quotes a text as one word of bash, zsh or fish. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/**
 * Each step from a command to one of its subcommands: `from` is the path with the next word, `to` the path after it.
 */
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
