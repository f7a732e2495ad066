/** What only the planner can know: a field for each question, with choices that were made from the file. */

import type { Answer, Choice, Question } from '../../import/questions.ts';
import type { GivenAnswer, Questions } from '../../import/upload.ts';
import { Refusal } from './ask.ts';
import { button, section, select, selectZone, sentenceList } from './controls.ts';
import { find, make } from './dom.ts';
import { TEXTS } from './texts.ts';

const { questions: texts } = TEXTS;

export function makeQuestions(
  { questions, suggestions, mistakes = [] }: Questions,
  file: string,
  before: readonly Answer[],
  actions: {
    /** Also gets the ids of questions that are still open: the answers to others may make them needless. */
    readonly readAgain: (
      given: readonly Answer[],
      before: readonly Answer[],
      open: readonly string[],
    ) => Promise<void>;
    readonly answers: readonly HTMLElement[];
    readonly discard: HTMLElement;
  },
) {
  const asked = questions.map((question) => makeQuestion(question, before));
  const submit = async () => {
    const answered = asked.filter(({ answer }) => answer().length > 0);
    const open = asked.filter((one) => !answered.includes(one)).map(({ question }) => question);
    if (answered.length === 0) {
      find('input, select', HTMLElement, fields).focus();
      throw unanswered(open.map(({ label }) => label));
    }
    const [given, kept] = [answered.flatMap(({ answer }) => answer()), answered.flatMap((one) => one.kept)];
    await actions.readAgain(
      given,
      kept,
      open.map(({ id }) => id),
    );
  };
  const readAgain = button(texts.readAgain, submit, { class: 'primary' });
  const [likely = [], others = []] = [true, false].map((isLikely) =>
    asked.filter((_, i) => (questions[i]?.likely !== undefined) === isLikely).map(({ fieldset }) => fieldset),
  );
  const lists = Object.entries(suggestions).map(([kind, values]) =>
    make('datalist', { id: listOf(kind) }, ...values.map((value) => make('option', { value }))),
  );
  const fields = make('div', { class: 'questions' }, ...others, ...asOne(likely), ...lists);
  fields.addEventListener('keydown', ({ key, target }) => {
    if (key === 'Enter' && target instanceof HTMLInputElement) readAgain.click();
  });
  const wrong = mistakes.map(({ place, message }) => placed(place, message));
  const isOfFile = questions.some(({ id }) => !id.startsWith('allow-'));
  const buttons = make('div', { class: 'line' }, readAgain, actions.discard);
  return section(
    texts.title,
    ...(isOfFile ? [make('p', {}, texts.intro(file))] : []),
    fields,
    ...sentenceList(wrong, texts.alsoWrong),
    ...actions.answers,
    buttons,
  );
}

/** What was answered, now or for an earlier file of the same layout. */
export function makeAnswers(
  answers: readonly GivenAnswer[],
  keptAt: string | undefined,
  change: () => Promise<void>,
): HTMLElement[] {
  if (answers.length === 0) return [];
  const sentences = answers.map(
    ({ label, text, isKept }) => `${label}: ${text}${isKept ? ` (${texts.isKept})` : ''}`,
  );
  return [
    make('h3', {}, texts.answers),
    ...(keptAt === undefined ? [] : [make('p', { class: 'hint' }, texts.kept(keptAt))]),
    ...sentenceList(sentences),
    make('p', {}, button(texts.changeAnswers, change)),
  ];
}

/** What is probably meant is marked, so that all of it is one question. */
function asOne(fieldsets: readonly HTMLElement[]) {
  if (fieldsets.length === 0) return [];
  const hint = make('p', { class: 'hint' }, texts.arePeopleHint);
  const legend = make('legend', {}, texts.arePeople);
  return [make('fieldset', { class: 'card question' }, legend, hint, ...fieldsets)];
}

export function unanswered(labels: readonly string[]) {
  return new Refusal(texts.unanswered(labels), 400);
}

export function placed(place: string, message: string) {
  return place === '' ? message : `${place}: ${message}`;
}

export function makeQuestion(question: Question, before: readonly Answer[]) {
  const { id, place, message, label, choices, input, answer: kept, likely } = question;
  const last: Answer[] = kept === undefined ? [] : [[kept.option, kept.value]];
  const earlier = [...before, ...last];
  const isEarlier = (choice: Choice) =>
    earlier.some(([option, value]) => option === choice.option && value === choice.value);
  const isMarked = (choice: Choice) =>
    choices.some(isEarlier) ? isEarlier(choice) : choice.value === likely?.value;
  const chosen = (choices.length > MAX_RADIOS ? makeList : makeRadios)(question, isMarked);
  const typed = input && makeInput(input, label, choices.some(isEarlier) ? [] : earlier);
  const fieldset = make(
    'fieldset',
    { class: likely === undefined ? 'card question' : 'question' },
    make('legend', {}, label),
    make('p', { class: 'hint' }, placed(place, message)),
    ...chosen.elements,
  );
  if (typed !== undefined) {
    const other = make('input', { type: 'radio', name: id, 'aria-label': texts.other });
    const follow = () => {
      if (typed.field.value === '') return;
      other.checked = true;
      chosen.clear();
    };
    typed.field.addEventListener('input', follow);
    if (choices.length > 0) follow();
    if (choices.length > 0 && typed.field instanceof HTMLInputElement)
      typed.field.placeholder ||= texts.other;
    const isBeside = choices.length > 0 && choices.length <= MAX_RADIOS;
    fieldset.append(isBeside ? make('div', { class: 'other' }, other, typed.element) : typed.element);
  }
  return {
    question,
    fieldset,
    kept: last,
    answer(): Answer[] {
      const choice = chosen.choice();
      return choice === undefined ? (typed?.answer() ?? []) : [[choice.option, choice.value]];
    },
  };
}

/** More choices are a list. */
const MAX_RADIOS = 8;

interface Chosen {
  readonly elements: readonly HTMLElement[];
  choice(): Choice | undefined;
  clear(): void;
}

function makeRadios({ id, choices }: Question, isMarked: (choice: Choice) => boolean): Chosen {
  const radios = choices.map((choice) => {
    const radio = make('input', { type: 'radio', name: id });
    radio.checked = isMarked(choice);
    return radio;
  });
  return {
    elements: radios.map((radio, i) =>
      make('label', { class: 'check' }, radio, make('span', {}, choices[i]?.label ?? '')),
    ),
    choice: () => choices[radios.findIndex(({ checked }) => checked)],
    // Those of a group clear each other.
    clear: () => undefined,
  };
}

function makeList({ label, choices }: Question, isMarked: (choice: Choice) => boolean): Chosen {
  const list = select(
    [['-1', ''], ...choices.map((choice, i) => [String(i), choice.label] as const)],
    String(choices.findIndex(isMarked)),
  );
  list.setAttribute('aria-label', label);
  return {
    elements: [list],
    choice: () => choices[Number(list.value)],
    clear() {
      list.value = '-1';
    },
  };
}

/** The id of what is suggested for fields of a kind, if anything is. */
const listOf = (kind: string) => `suggested-${kind}`;

const HINTS = { text: '', people: 'Ada; Bo', times: '09:00-17:00', year: '2027', date: '' };

function makeInput(
  { option, before: head, kind }: NonNullable<Question['input']>,
  label: string,
  before: readonly Answer[],
) {
  const type = kind === 'date' ? 'date' : 'text';
  const field =
    kind === 'zone'
      ? selectZone(Intl.DateTimeFormat().resolvedOptions().timeZone)
      : make('input', { type, placeholder: HINTS[kind], autocomplete: 'off', list: listOf(kind) });
  field.setAttribute('aria-label', label);
  if (kind === 'year') field.inputMode = 'numeric';
  for (const [earlier, value] of before)
    if (earlier === option && value.startsWith(head)) field.value = value.slice(head.length);
  return {
    field,
    element: make('span', { class: 'grow' }, field),
    answer(): Answer[] {
      const text = field.value.trim();
      return text === '' ? [] : [[option, head + text]];
    },
  };
}
