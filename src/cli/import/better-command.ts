/** The command line that would mend what is wrong, to be pasted. */

import type { ImportProblem } from '../../import/problems.ts';

export type Fix = NonNullable<ImportProblem['fix']>;

/** `given` are the arguments after `import`. undefined: no option would help. */
export function betterCommand(given: readonly string[], fixes: readonly Fix[]): string | undefined {
  const news = withoutTwins(fixes).filter(([option]) => option === COLUMNS || !given.includes(option));
  if (news.length === 0) return undefined;
  const words = ['npx', 'shiftfeed', 'import', ...withoutSecrets(given), ...news.flat()];
  return words.map(quoted).join(' ');
}

/** May be given several times. */
const COLUMNS = '--columns';

function withoutTwins(fixes: readonly Fix[]): readonly Fix[] {
  const byOption = new Map<string, Fix>();
  for (const fix of fixes) {
    const key = fix[0] === COLUMNS ? fix.join(' ') : fix[0];
    if (!byOption.has(key)) byOption.set(key, fix);
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
