import type { ImportProblem } from '../import/problems.ts';

const MAX_SHOWN = 20;

export function describeProblems(problems: readonly ImportProblem[]): string {
  const shown = problems
    .slice(0, MAX_SHOWN)
    .map(({ place, message }) => (place === '' ? `  ${message}` : `  ${place}: ${message}`));
  const more = problems.length - shown.length;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return [
    `Nothing was imported: the document has ${count}.`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}
