/** What only the planner can know: a field for each question, with choices that were made from the file. */

import { Refusal } from './ask.js';
import { button, section, sentenceList } from './controls.js';
import { make } from './dom.js';
import { TEXTS } from './texts.js';

/** @import { Answer, Choice, Question, QuestionInput, Questions } from './ask.js' */

const { questions: texts } = TEXTS;

/**
 * @param {Questions} result
 * @param {string} file
 * @param {readonly Answer[]} before what was answered the last time
 * @param {object} actions
 * @param {(given: readonly Answer[], before: readonly Answer[]) => Promise<void>} actions.readAgain
 * @param {() => Promise<void>} actions.removeNothing
 * @param {HTMLElement} actions.discard
 */
export function makeQuestions({ questions, mistakes = [] }, file, before, actions) {
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
  const fields = make('div', { class: 'questions' }, ...asked.map(({ fieldset }) => fieldset));
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

/** @param {string} place @param {string} message */
export function placed(place, message) {
  return place === '' ? message : `${place}: ${message}`;
}

/**
 * @param {Question} question
 * @param {readonly Answer[]} before
 */
function makeQuestion({ id, place, message, label, choices, input, answer: kept }, before) {
  /** @type {Answer[]} */
  const last = kept === undefined ? [] : [[kept.option, kept.value]];
  const earlier = [...before, ...last];
  const hint = make('p', { class: 'hint' }, placed(place, message));
  const fieldset = make('fieldset', { class: 'card question' }, make('legend', {}, label), hint);
  const isEarlier = (/** @type {Choice} */ choice) =>
    earlier.some(([option, value]) => option === choice.option && value === choice.value);
  const radios = choices.map((choice) => {
    const radio = make('input', { type: 'radio', name: id });
    radio.checked = isEarlier(choice);
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
    /** @returns {Answer[]} at most one */
    answer() {
      const chosen = radios.find(({ radio }) => radio.checked)?.choice;
      return chosen === undefined ? (typed?.answer() ?? []) : [[chosen.option, chosen.value]];
    },
  };
}

const HINTS = { text: '', times: '09:00-17:00', year: '2027', date: '', zone: 'Europe/Amsterdam' };

/**
 * @param {QuestionInput} input
 * @param {string} label
 * @param {string} listId
 * @param {readonly Answer[]} before
 */
function makeInput({ option, template, placeholder, kind, suggestions = [] }, label, listId, before) {
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
    /** @returns {Answer[]} */
    answer() {
      const text = field.value.trim();
      return text === '' ? [] : [[option, template.replace(placeholder, () => text)]];
    },
  };
}
