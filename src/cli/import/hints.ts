/**
 * The command lines that would solve the problems of a sheet, ready to be pasted. Each is tried before it is shown: what
 * it would leave out is told, and so is what would still be wrong.
 */

import type { Fix } from '@shiftfeed/common/reason';
import { columnName, named } from '../../import/describe.ts';
import {
  fixesOf,
  hasGap,
  laterProblems,
  type Trial,
  type TryOut,
  valuesWith,
  type Way,
  waysToFix,
} from '../../import/fixes.ts';
import type { ImportValues } from '../../import/options.ts';
import { describeProblem, type ImportProblem } from '../../import/problems.ts';
import { calledAs } from '../called-as.ts';

const MAX_LATER = 10;

/** `words` are the arguments as they were typed after `import`, and `given` what they say. */
export async function hintsFor(
  known: readonly ImportProblem[],
  more: readonly Fix[],
  words: readonly string[],
  given: ImportValues,
  tryOut: TryOut,
): Promise<readonly string[]> {
  const fixes = [...more, ...fixesOf(known)];
  if (fixes.length === 0) return [];
  const isTyped = (option: string) => words.includes(option);
  const trials = new Map<string, Promise<Trial | undefined>>();
  const tryWay = (way: readonly Way[]) =>
    trials.getOrInsertComputed(JSON.stringify(way), () => tryOut(valuesWith(given, way)));
  const later = await laterProblems(fixes, tryWay, isTyped);
  const lines = later.slice(0, MAX_LATER).map((problem) => `  then ${describeProblem(problem)}`);
  for (const [i, way] of waysToFix([...fixes, ...fixesOf(later)], isTyped).entries()) {
    lines.push(`${i === 0 ? 'Try:' : 'Or: '} ${commandWith(words, way)}`);
    const trial = await tryWay(way);
    if (trial !== undefined)
      lines.push(...whatCameOf(trial, [...known, ...later], way).map((line) => `     ${line}`));
  }
  return lines;
}

function whatCameOf({ problems, report }: Trial, known: readonly ImportProblem[], way: readonly Way[]) {
  const told = new Set(known.map(describeProblem));
  const [problem] = problems.filter((one) => !told.has(describeProblem(one)));
  // What is to be filled in may solve it.
  if (problem !== undefined && !way.some(hasGap)) return [`It then tells: ${describeProblem(problem)}`];
  const columns = (report?.cells.columns ?? []).map(columnName);
  return columns.length === 0 ? [] : [`It leaves out the ${named(columns, 'column', 'columns')}.`];
}

function commandWith(words: readonly string[], way: readonly Way[]): string {
  return [...calledAs(), 'import', ...withoutSecrets(words), ...way.flat()].map(quoted).join(' ');
}

/** The address of a database may hold a password. */
function withoutSecrets(given: readonly string[]): readonly string[] {
  return given.map((word) => word.replace(/(postgres(?:ql)?:\/\/).*/, '$1…'));
}

function quoted(word: string): string {
  return /^[\w=./:,+@…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
