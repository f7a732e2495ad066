/** The command line that would solve the problems, ready to be pasted. */

import { keyOf, OPTION_NAMES, optionOf } from '../../import/options.ts';
import type { ImportProblem } from '../../import/problems.ts';

export type Fix = NonNullable<ImportProblem['fix']>;

/** If only a human can tell which command is right, at most this many are shown. */
const MAX_COMMANDS = 3;

/**
 * `given` has the arguments after `import`. If several commands are returned, one of them is right. If none is, no
 * option would help.
 */
export function betterCommands(given: readonly string[], fixes: readonly Fix[]): readonly string[] {
  const news = together(fixes).filter(([option]) => LISTS.has(option) || !given.includes(option));
  if (news.length === 0) return [];
  const count = Math.min(MAX_COMMANDS, Math.max(...news.map((fix) => fix.length - 1)));
  const begin = ['npx', 'shiftfeed', 'import', ...withoutSecrets(given)];
  return Array.from({ length: count }, (_, i) =>
    [...begin, ...news.flatMap(([option, first, ...others]) => [option, [first, ...others][i] ?? first])]
      .map(quoted)
      .join(' '),
  );
}

/** Options that take several values, and may be given several times. */
const LISTS: ReadonlySet<string> = new Set(
  OPTION_NAMES.filter((name) => optionOf(name).join).map((name) => `--${keyOf(name)}`),
);

/** Merges the options so that each occurs once. If an option has two values, the first counts; lists take all. */
function together(fixes: readonly Fix[]): readonly Fix[] {
  const byOption = new Map<string, Fix>();
  for (const fix of fixes) {
    const [option, value] = fix;
    const [, known] = byOption.get(option) ?? [];
    if (known === undefined) byOption.set(option, fix);
    else if (LISTS.has(option) && !known.split(',').includes(value)) {
      byOption.set(option, [option, `${known},${value}`]);
    }
  }
  return [...byOption.values()];
}

/** The address of a database may hold a password. */
function withoutSecrets(given: readonly string[]): readonly string[] {
  return given.map((word) => word.replace(/(postgres(?:ql)?:\/\/).*/, '$1…'));
}

function quoted(word: string): string {
  return /^[\w=./:,+@…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
