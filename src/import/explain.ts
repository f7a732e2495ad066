/** Problems of a file as a page shows them: as questions, or as mistakes with the rows of the sheet around them. */

import { type Excerpt, excerptOf, inWords, type ProblemCell, type SheetExcerpt } from '@shiftfeed/sheets';
import { fixesOf, laterProblems, valuesWith } from './fixes.ts';
import { type Format, type ImportValues, sheetOptions } from './options.ts';
import { type ImportProblem, whereIs } from './problems.ts';
import { type Context, type Question, questionOf } from './questions.ts';
import { type ImportFile, tryReading } from './read.ts';

export interface Questions {
  readonly kind: 'questions';
  readonly questions: readonly Question[];
  readonly mistakes?: readonly Problem[];
}

export interface Problem {
  readonly place: string;
  readonly message: string;
  readonly cell?: ProblemCell | undefined;
}

export interface Mistakes {
  readonly kind: 'mistakes';
  readonly headline: string;
  readonly problems: readonly Problem[];
  /** How many there are beyond these. */
  readonly more: number;
  /** Rows around the problems, and the headings. */
  readonly sheets: readonly SheetExcerpt[];
}

export interface FoundProblems {
  /** Such as "Nothing was imported: the document has 3 problems." */
  readonly headline: string;
  readonly problems: readonly ImportProblem[];
  /** How many there are in all. */
  readonly count: number;
}

/** A file, and how it was read. */
interface ExplainedFile {
  readonly file: ImportFile;
  readonly format: Format;
  readonly values: ImportValues;
  readonly context: Context;
}

/** Problems become questions where a field can solve them. If there are none, the sheet is shown with its mistakes. */
export async function explain(
  { headline, problems, count }: FoundProblems,
  { file, format, values, context }: ExplainedFile,
): Promise<Questions | Mistakes> {
  const later =
    format === 'sheet'
      ? await laterProblems(fixesOf(problems.filter(({ isLikely }) => !isLikely)), (way) =>
          tryReading(file, valuesWith(values, way), async () => context.people),
        )
      : [];
  const all = [...problems, ...later];
  const { cells, sheets } = await excerptFor(all);
  const questions = new Map<string, Question>();
  const mistakes: Problem[] = [];
  for (const [i, problem] of all.entries()) {
    const question = questionOf(withHeading(problem, cells[i]), context);
    if (question === undefined) mistakes.push(shownProblem(problem, cells[i]));
    else if (!questions.has(question.id)) questions.set(question.id, question);
  }
  if (questions.size === 0)
    return { kind: 'mistakes', headline, problems: mistakes, more: count - mistakes.length, sheets };
  return { kind: 'questions', questions: [...questions.values()], ...(mistakes.length > 0 && { mistakes }) };

  async function excerptFor(some: readonly ImportProblem[]): Promise<Excerpt> {
    if (format === 'json') return { cells: [], sheets: [] };
    const opened = await file.open();
    const places = some.map(({ place }) => (typeof place === 'string' ? undefined : place));
    try {
      return await excerptOf(opened.bytes, sheetOptions(values), places);
    } finally {
      opened.close();
    }
  }
}

function shownProblem(problem: ImportProblem, cell?: Problem['cell']): Problem {
  const { message, onPage = message } = problem;
  if (typeof problem.place === 'string') return { place: whereIs(problem), message: onPage };
  return { place: whereIs(withHeading(problem, cell)), message: onPage, ...(cell && { cell }) };
}

/** Columns go by the names that the sheet gives them. */
function withHeading(problem: ImportProblem, cell: Problem['cell']): ImportProblem {
  const { place } = problem;
  if (typeof place === 'string' || place.name === undefined) return problem;
  return { ...problem, place: { ...place, name: cell?.heading ?? inWords(place.name) } };
}
