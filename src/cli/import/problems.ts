import { describeProblem, type ImportProblem, type ImportProblems } from '../../import/problems.ts';

export function describeProblems({ problems, count }: Pick<ImportProblems, 'problems' | 'count'>): string {
  return [countProblems(count), ...listProblems(problems, count)].join('\n');
}

/** A line each. */
export function listProblems(problems: readonly ImportProblem[], count: number): readonly string[] {
  const more = count - problems.length;
  return [
    ...problems.map((problem) => `  ${describeProblem(problem)}`),
    ...(more > 0 ? [`  and ${more} more; --all-problems shows every one`] : []),
  ];
}

export function countProblems(count: number): string {
  return `Nothing was imported: the document has ${count === 1 ? 'a problem' : `${count} problems`}.`;
}
