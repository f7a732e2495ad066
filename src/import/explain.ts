/** Problems of a file as a page shows them: as questions, or as mistakes with the rows of the sheet around them. */

import { excerptOf, type ProblemCell, type SheetExcerpt } from '@shiftfeed/sheets';
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
export interface ExplainedFile {
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
  const questions = new Map<string, Question>();
  const mistakes: ImportProblem[] = [];
  for (const problem of [...problems, ...later]) {
    const question = questionOf(problem, context);
    if (question === undefined) mistakes.push(problem);
    else if (!questions.has(question.id)) questions.set(question.id, question);
  }
  if (questions.size > 0)
    return {
      kind: 'questions',
      questions: [...questions.values()],
      ...(mistakes.length > 0 && { mistakes: mistakes.map((problem) => shownProblem(problem)) }),
    };
  const opened = await file.open();
  try {
    const { cells, sheets } =
      format === 'sheet'
        ? await excerptOf(
            opened.bytes,
            sheetOptions(values),
            mistakes.map(({ place }) => (typeof place === 'string' ? undefined : place)),
          )
        : { cells: [], sheets: [] };
    const shown = mistakes.map((problem, i) => shownProblem(problem, cells[i]));
    return { kind: 'mistakes', headline, problems: shown, more: count - shown.length, sheets };
  } finally {
    opened.close();
  }
}

function shownProblem(problem: ImportProblem, cell?: Problem['cell']): Problem {
  const { message, onPage = message } = problem;
  return { place: whereIs(problem), message: onPage, ...(cell && { cell }) };
}
