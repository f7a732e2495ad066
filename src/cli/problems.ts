import type { ImportProblems } from '../import/problems.ts';

export function describeProblems({ problems, count }: ImportProblems): string {
  const more = count - problems.length;
  return [
    `Nothing was imported: the document has ${count === 1 ? 'a problem' : `${count} problems`}.`,
    ...problems.map(({ place, message }) => (place === '' ? `  ${message}` : `  ${place}: ${message}`)),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}
