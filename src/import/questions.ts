/**
 * What only the planner can know, as fields of a page: each problem that an option would solve is a question. What the
 * fields are called and what values mean is in the table of options.
 */

import { quote } from '@shiftfeed/common/quote';
import type { Way } from '@shiftfeed/common/reason';
import { ALL_SHEETS } from '@shiftfeed/sheets';
import { InvalidValue } from './fields.ts';
import { type ImportValues, type InputKind, optionByKey } from './options.ts';
import { type ImportProblem, whereIs } from './problems.ts';

/** An option as in a recipe, without dashes, and its value as it is typed on the command line. */
export type Answer = readonly [option: string, value: string];

export interface Choice {
  readonly option: string;
  readonly value: string;
  readonly label: string;
}

export interface Question {
  /** Names the option, and of pairs the item: questions with the same id have the same answer. */
  readonly id: string;
  readonly place: string;
  readonly message: string;
  /** Of the field. */
  readonly label: string;
  readonly choices: readonly Choice[];
  /** What is typed is the end of the value. */
  readonly input?: {
    readonly option: string;
    readonly before: string;
    readonly kind: InputKind;
  };
  /** What was answered before. */
  readonly answer?: Omit<Choice, 'label'>;
  /** What is probably meant. A page asks all such questions as one. */
  readonly likely?: Choice | undefined;
}

/** What is known apart from the file. */
export interface Context {
  readonly answers: readonly Answer[];
  /** Names of the account. */
  readonly groups: readonly string[];
  readonly people: readonly string[];
  /** YYYY-MM-DD */
  readonly today: string;
}

const MAX_GROUPS = 100;
const MAX_PEOPLE = 1_000;

/** undefined: only whoever wrote the file can solve the problem. */
export function questionOf(problem: ImportProblem, context: Context): Question | undefined {
  const { fix = [], offers = [], message, onPage = message, about = '' } = problem;
  const offered = offers.filter(isTypeable);
  const [first] = [...fix, ...offered];
  const field = first && optionByKey(first[0])?.field;
  if (first === undefined || field === undefined) return undefined;
  const [option] = first;
  const item = itemOf(first);
  const { typed, values = [] } = field;
  const more = values.map((value): Way => [option, withItem(item, value)]);
  const groups =
    option === 'group' ? context.groups.slice(0, MAX_GROUPS).map((name): Way => [option, name]) : [];
  const solving = values.length > 0 ? more : fix;
  // Who may be meant comes before nobody.
  const all = typed === 'people' ? [...offered, ...solving] : [...solving, ...groups, ...offered];
  const choices = all
    .filter(([, , gap]) => gap === undefined)
    .map(([key, value]) => ({ option: key, value, label: meaningOf([key, value], about) }));
  const meanings = choices.map(({ label }) => label);
  const id = idOf(first);
  const answer = context.answers.findLast(
    (one) =>
      idOf(one) === id || choices.some((choice) => choice.option === one[0] && choice.value === one[1]),
  );
  return {
    id,
    place: whereIs(problem),
    message: about !== '' && field.asks ? field.asks(about, meanings) : onPage,
    label: field.label(item),
    choices,
    ...(typed && { input: { option, before: withItem(item, ''), kind: typed } }),
    ...(answer && { answer: { option: answer[0], value: answer[1] } }),
    ...(problem.isLikely && { likely: choices[0] }),
  };
}

/** In lists and pairs, a comma would begin another value, and so would a second equals sign. */
function isTypeable([key, value]: Way): boolean {
  const option = optionByKey(key);
  if (option?.join === undefined || option.isOnePair) return true;
  return !value.includes(',') && value.split('=').length <= (itemOf([key, value]) === '' ? 1 : 2);
}

export type Suggestions = Readonly<Partial<Record<InputKind, readonly string[]>>>;

/** What may be typed, once for all questions: there may be hundreds about people. */
export function suggestionsFor(
  questions: readonly Question[],
  { today, people }: Omit<Context, 'answers'>,
): Suggestions {
  const kinds = new Set(questions.map(({ input }) => input?.kind));
  const year = Number(today.slice(0, 4));
  return {
    ...(kinds.has('people') && { people: people.slice(0, MAX_PEOPLE) }),
    ...(kinds.has('year') && { year: [String(year), String(year + 1)] }),
  };
}

/** Of `E=06:00-14:00` the item is `E`. Only pairs have one. */
export function itemOf([key, value]: Way): string {
  const option = optionByKey(key);
  const end = option?.isOnePair ? value.lastIndexOf('=') : value.indexOf('=');
  return option?.join === undefined ? '' : value.slice(0, Math.max(0, end));
}

function withItem(item: string, value: string): string {
  return item === '' ? value : `${item}=${value}`;
}

/** Answers with the same id replace each other. Lists have an answer for each of their values. */
export function idOf(answer: Way): string {
  const [key, value] = answer;
  return optionByKey(key)?.join === undefined ? key : `${key} ${itemOf(answer) || value}`;
}

export function labelOf(answer: Answer): string {
  return optionByKey(answer[0])?.field?.label(itemOf(answer)) ?? answer[0];
}

/** What a value means, in the words of a planner. */
export function meaningOf(answer: Answer, about = ''): string {
  const item = itemOf(answer);
  const value = item === '' ? answer[1] : answer[1].slice(item.length + 1);
  return optionByKey(answer[0])?.field?.means?.(value, item, about) ?? value;
}

interface GivenAnswers {
  readonly values: ImportValues;
  /** Those that were taken. */
  readonly answers: readonly Answer[];
  /** What is wrong with the others. */
  readonly problems: readonly ImportProblem[];
}

/** A later answer to the same question counts. Throws InvalidValue for what a page cannot give at all. */
export function readAnswers(given: readonly Answer[]): GivenAnswers {
  const values: Record<string, unknown> = {};
  const answers: Answer[] = [];
  const problems: ImportProblem[] = [];
  for (const answer of latest(given)) {
    const [key, text] = answer;
    const option = optionByKey(key);
    if (option?.field === undefined) throw new InvalidValue(`A page cannot give ${quote(key)}.`);
    if (text.trim() === '') continue;
    try {
      values[option.name] = option.fromText(text, values[option.name]);
      answers.push(answer);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      // What was chosen from a file does not fit, and is asked for again by the file itself.
      if (option.field.typed !== undefined)
        problems.push({
          place: '',
          message: error.message,
          fix: [[key, withItem(itemOf(answer), ''), 'gap']],
        });
    }
  }
  return { values, answers, problems };
}

/** Without those that a later one replaces. */
export function latest(answers: readonly Answer[]): readonly Answer[] {
  return [...new Map(answers.map((answer) => [idOf(answer), answer])).values()];
}

/**
 * Whether the answer is for the next file of the same layout, too. Of sheets, that is only to read all of them. Who is a
 * person is then known by the account.
 */
export function isKeepable([key, value]: Answer): boolean {
  const { isInRecipe = false, field } = optionByKey(key) ?? {};
  const item = itemOf([key, value]);
  if (key === 'people' && value === withItem(item, item)) return false;
  return isInRecipe && field !== undefined && key !== 'year' && (key !== 'sheet' || value === ALL_SHEETS);
}
