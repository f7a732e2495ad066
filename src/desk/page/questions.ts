/** What only the planner can know: a field for each question, with choices that were made from the file. */

import type { Questions } from '../../import/explain.ts';
import type { Answer, Choice, Question } from '../../import/questions.ts';
import { Refusal } from './ask.ts';
import { button, section, sentenceList } from './controls.ts';
import { make } from './dom.ts';
import { TEXTS } from './texts.ts';

const { questions: texts } = TEXTS;

export function makeQuestions(
  { questions, mistakes = [] }: Questions,
  file: string,
  before: readonly Answer[],
  actions: {
    readonly readAgain: (given: readonly Answer[], before: readonly Answer[]) => Promise<void>;
    readonly removeNothing: () => Promise<void>;
    readonly discard: HTMLElement;
  },
) {
  const asked = questions.map((question) => makeQuestion(question, before));
  const submit = async () => {
    const answered = asked.filter(({ answer }) => answer().length > 0);
    if (answered.length === 0) {
      asked[0]?.fieldset.querySelector('input')?.focus();
      throw new Refusal(texts.unanswered, 400);
    }
    const [given, kept] = [answered.flatMap(({ answer }) => answer()), answered.flatMap((one) => one.kept)];
    await actions.readAgain(given, kept);
  };
  const readAgain = button(texts.readAgain, submit, { class: 'primary' });
  const [likely = [], others = []] = [true, false].map((isLikely) =>
    asked.filter((_, i) => (questions[i]?.likely !== undefined) === isLikely).map(({ fieldset }) => fieldset),
  );
  const fields = make('div', { class: 'questions' }, ...others, ...asOne(likely));
  fields.addEventListener('keydown', ({ key, target }) => {
    if (key === 'Enter' && target instanceof HTMLInputElement) readAgain.click();
  });
  const wrong = mistakes.map(({ place, message }) => placed(place, message));
  const isRemoving = questions.some(({ choices }) =>
    choices.some(({ option }) => option.startsWith('allow-')),
  );
  const nothing = isRemoving ? [button(texts.removeNothing, actions.removeNothing)] : [];
  const buttons = make('div', { class: 'line' }, readAgain, ...nothing, actions.discard);
  const intro = make('p', {}, texts.intro(file));
  return section(texts.title, intro, fields, ...sentenceList(wrong, texts.alsoWrong), buttons);
}

/** What is probably meant is marked, so that all of it is one question. */
function asOne(fieldsets: readonly HTMLElement[]) {
  if (fieldsets.length === 0) return [];
  const hint = make('p', { class: 'hint' }, texts.arePeopleHint);
  const legend = make('legend', {}, texts.arePeople);
  return [make('fieldset', { class: 'card question' }, legend, hint, ...fieldsets)];
}

export function placed(place: string, message: string) {
  return place === '' ? message : `${place}: ${message}`;
}

function makeQuestion(
  { id, place, message, label, choices, input, answer: kept, likely }: Question,
  before: readonly Answer[],
) {
  const last: Answer[] = kept === undefined ? [] : [[kept.option, kept.value]];
  const earlier = [...before, ...last];
  const hint = make('p', { class: 'hint' }, placed(place, message));
  const kind = likely === undefined ? 'card question' : 'question';
  const fieldset = make('fieldset', { class: kind }, make('legend', {}, label), hint);
  const isEarlier = (choice: Choice) =>
    earlier.some(([option, value]) => option === choice.option && value === choice.value);
  const radios = choices.map((choice) => {
    const radio = make('input', { type: 'radio', name: id });
    radio.checked = isEarlier(choice) || choice.value === likely?.value;
    fieldset.append(make('label', { class: 'check' }, radio, make('span', {}, choice.label)));
    return { radio, choice };
  });
  const typed = input && makeInput(input, label, `${id}-choices`, choices.some(isEarlier) ? [] : earlier);
  if (typed !== undefined) {
    const other = make('input', { type: 'radio', name: id, 'aria-label': texts.other });
    const follow = () => {
      other.checked ||= typed.field.value !== '';
    };
    typed.field.addEventListener('input', follow);
    follow();
    fieldset.append(
      choices.length === 0 ? typed.element : make('div', { class: 'other' }, other, typed.element),
    );
  }
  return {
    fieldset,
    kept: last,
    answer(): Answer[] {
      const chosen = radios.find(({ radio }) => radio.checked)?.choice;
      return chosen === undefined ? (typed?.answer() ?? []) : [[chosen.option, chosen.value]];
    },
  };
}

const HINTS = {
  text: '',
  people: 'Ada; Bo',
  times: '09:00-17:00',
  year: '2027',
  date: '',
  zone: 'Europe/Amsterdam',
};

function makeInput(
  { option, template, placeholder, kind, suggestions = [] }: NonNullable<Question['input']>,
  label: string,
  listId: string,
  before: readonly Answer[],
) {
  const type = kind === 'date' ? 'date' : 'text';
  const field = make('input', { type, 'aria-label': label, placeholder: HINTS[kind], autocomplete: 'off' });
  if (kind === 'year') field.inputMode = 'numeric';
  if (kind === 'zone') field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [head = '', tail = ''] = template.split(placeholder);
  for (const [earlier, value] of before) {
    const isThis = earlier === option && value.startsWith(head) && value.endsWith(tail);
    if (isThis) field.value = value.slice(head.length, value.length - tail.length);
  }
  const list = make('datalist', { id: listId }, ...suggestions.map((value) => make('option', { value })));
  if (suggestions.length > 0) field.setAttribute('list', listId);
  return {
    field,
    element: make('span', { class: 'grow' }, field, list),
    answer(): Answer[] {
      const text = field.value.trim();
      return text === '' ? [] : [[option, template.replace(placeholder, () => text)]];
    },
  };
}
