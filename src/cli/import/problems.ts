import { describeProblem, type ImportProblems } from '../../import/problems.ts';

export function describeProblems({ problems, count }: ImportProblems): string {
  const more = count - problems.length;
  return [
    countProblems(count),
    ...problems.map((problem) => `  ${describeProblem(problem)}`),
    ...(more > 0 ? [`  and ${more} more; --all-problems shows every one`] : []),
  ].join('\n');
}

export function countProblems(count: number): string {
  return `Nothing was imported: the document has ${count === 1 ? 'a problem' : `${count} problems`}.`;
}
