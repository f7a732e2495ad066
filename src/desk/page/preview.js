/** What an import would change, before it does: counts, every change, and the calendar as it will be. */

import { makeCalendar } from './calendar.js';
import { makeChanges } from './changes.js';
import { attempt, box, button, field, section, sentenceList } from './controls.js';
import { find, make } from './dom.js';
import { TEXTS } from './texts.js';

/** @import { Answer, Preview, Session } from './ask.js' */

/** A date is typed digit by digit. */
const PAUSE_MS = 700;

const { preview: texts } = TEXTS;

/**
 * @param {string} id of the import
 * @param {Session} session
 * @param {object} actions
 * @param {(answers: readonly Answer[]) => Promise<void>} actions.replace
 * @param {() => Promise<void>} actions.changeAnswers
 * @param {(digest: string) => Promise<void>} actions.import
 * @param {HTMLElement} actions.discard
 */
export function makePreview(id, session, actions) {
  let digest = '';
  const counts = make('p', { class: 'counts' });
  const importIt = button(texts.import, () => actions.import(digest), { class: 'primary' });
  const notes = make('div', { class: 'notes' });
  const changes = make('div', { class: 'changes' });
  const replace = makeReplace(session.account.today, actions.replace);
  const calendar = makeCalendar(texts.calendar, `api/imports/${id}/shifts`, session.account.time_zone);
  const region = section(
    texts.title,
    make('div', { class: 'summary' }, counts, make('div', { class: 'line' }, importIt, actions.discard)),
    make(
      'div',
      { class: 'split' },
      make('div', {}, notes, replace.fieldset, make('h3', {}, texts.changes), changes),
      calendar.region,
    ),
  );
  return {
    region,
    /** @param {Preview} preview */
    show(preview) {
      digest = preview.digest;
      counts.replaceChildren(make('strong', {}, texts.tallied(preview.counts.shifts)), ...others(preview));
      notes.replaceChildren(...makeNotes(preview, actions.changeAnswers));
      replace.show(preview.replace);
      const days = makeChanges(id, preview.days);
      changes.replaceChildren(...(days.length === 0 ? [make('p', {}, texts.none)] : days));
      const first = preview.days.find(({ day }) => day !== null)?.day;
      calendar.show(first ?? session.account.today);
    },
  };
}

/** @param {Preview} preview */
function others({ account, counts }) {
  return [texts.others(counts), texts.account[account]]
    .filter((sentence) => sentence !== '')
    .map((sentence) => make('span', { class: 'hint' }, ` ${sentence}`));
}

/** @param {Preview} preview @param {() => Promise<void>} changeAnswers */
function makeNotes({ how, answers, warnings, unlisted, undoRefusal }, changeAnswers) {
  const sentences = [...warnings, ...(undoRefusal === undefined ? [] : [undoRefusal])];
  const answered = answers.map(({ label, text }) => `${label}: ${text}`);
  const notes = [
    ...sentenceList(sentences, texts.warnings),
    ...sentenceList(unlisted, texts.unlisted),
    ...sentenceList(how, texts.how),
    ...sentenceList(answered, texts.answers),
  ];
  return answers.length === 0 ? notes : [...notes, button(texts.changeAnswers, changeAnswers)];
}

/**
 * The box that also removes, and the days on which. A change reads the file again.
 *
 * @param {string} today
 * @param {(answers: readonly Answer[]) => Promise<void>} readAgain
 */
function makeReplace(today, readAgain) {
  const label = box(texts.replace, false);
  const on = find('input', HTMLInputElement, label);
  const from = make('input', { type: 'date' });
  const to = make('input', { type: 'date' });
  const days = make('div', { class: 'row', hidden: '' }, field(TEXTS.from, from), field(TEXTS.to, to));
  const fieldset = make(
    'fieldset',
    { class: 'card replace' },
    make('legend', { class: 'unseen' }, texts.replace),
    label,
    days,
  );
  let timer = 0;
  const change = (/** @type {number} */ pauseMs) => {
    clearTimeout(timer);
    days.hidden = !on.checked;
    timer = setTimeout(() => attempt(() => readAgain(answers())), pauseMs);
  };
  /** @param {string} option @param {HTMLInputElement} day @returns {Answer[]} */
  const given = (option, day) => (day.value === '' ? [] : [[option, day.value]]);
  /** @returns {Answer[]} */
  const answers = () => (on.checked ? [['replace', 'true'], ...given('from', from), ...given('to', to)] : []);
  on.addEventListener('change', () => {
    if (on.checked && from.value === '' && to.value === '') from.value = today;
    change(0);
  });
  for (const day of [from, to]) day.addEventListener('change', () => change(PAUSE_MS));
  return {
    fieldset,
    /** What is being typed stays. @param {Preview['replace']} replace */
    show(replace) {
      on.checked = replace.on;
      days.hidden = !replace.on;
      if (fieldset.contains(document.activeElement)) return;
      from.value = replace.from;
      to.value = replace.to;
    },
  };
}
