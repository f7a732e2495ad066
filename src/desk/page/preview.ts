/** What an import would change, before it does: counts, every change, and the calendar as it will be. */

import type { Answer } from '../../import/questions.ts';
import type { Preview } from '../../import/upload.ts';
import type { Session } from './ask.ts';
import { makeCalendar } from './calendar.ts';
import { makeChanges } from './changes.ts';
import { attempt, button, field, section, sentenceList } from './controls.ts';
import { make } from './dom.ts';
import { TEXTS } from './texts.ts';

/** A date is typed digit by digit. */
const PAUSE_MS = 700;

const { preview: texts } = TEXTS;

export function makePreview(
  id: string,
  session: Session,
  actions: {
    readonly replace: (answers: readonly Answer[]) => Promise<void>;
    readonly changeAnswers: () => Promise<void>;
    readonly import: (digest: string) => Promise<void>;
    readonly discard: HTMLElement;
  },
) {
  let digest = '';
  const counts = make('p', { class: 'counts' });
  const importIt = button(texts.import, () => actions.import(digest), { class: 'primary' });
  const notes = make('div', { class: 'notes' });
  const changes = make('div', { class: 'changes' });
  const replace = makeReplace(actions.replace);
  // What is shown is then no longer what is asked for.
  replace.group.addEventListener('change', () => importIt.setAttribute('aria-disabled', 'true'));
  const calendar = makeCalendar(texts.calendar, `api/imports/${id}/shifts`, session.account.time_zone);
  const region = section(
    texts.title,
    make('div', { class: 'summary' }, counts, make('div', { class: 'line' }, importIt, actions.discard)),
    make(
      'div',
      { class: 'split' },
      make('div', {}, notes, replace.group, calendar.link, make('h3', {}, texts.changes), changes),
      calendar.region,
    ),
  );
  return {
    region,
    show(preview: Preview) {
      digest = preview.digest;
      importIt.removeAttribute('aria-disabled');
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

function others({ account, counts }: Preview) {
  return [texts.others(counts), texts.account[account]]
    .filter((sentence) => sentence !== '')
    .map((sentence) => make('span', { class: 'hint' }, ` ${sentence}`));
}

function makeNotes(
  { how, answers, warnings, newNames, unlisted, undoRefusal }: Preview,
  changeAnswers: () => Promise<void>,
) {
  const sentences = [...warnings, ...(undoRefusal === undefined ? [] : [undoRefusal])];
  const answered = answers.map(({ label, text }) => `${label}: ${text}`);
  const notes = [
    ...sentenceList(sentences, texts.warnings),
    ...sentenceList(newNames, texts.newNames),
    ...sentenceList(unlisted, texts.unlisted),
    ...sentenceList(how, texts.how),
    ...sentenceList(answered, texts.answers),
  ];
  return answers.length === 0 ? notes : [...notes, button(texts.changeAnswers, changeAnswers)];
}

/** The box that also removes, and the days on which. A change reads the file again. */
function makeReplace(readAgain: (answers: readonly Answer[]) => Promise<void>) {
  const on = make('input', { type: 'checkbox' });
  const from = make('input', { type: 'date' });
  const to = make('input', { type: 'date' });
  const days = make('div', { class: 'row' }, field(TEXTS.from, from), field(TEXTS.to, to));
  const label = make('label', { class: 'check' }, on, texts.replace);
  const group = make(
    'div',
    { role: 'group', 'aria-label': texts.removal, class: 'card replace' },
    label,
    days,
  );
  const answers = (): Answer[] => {
    const typed = Object.entries({ from: from.value, to: to.value }).filter(([, day]) => day !== '');
    return on.checked ? [['replace', 'true'], ...typed] : [];
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether something has changed since the file was last read. */
  let isDue = false;
  let isReading = false;
  async function readDue() {
    if (isReading) return;
    isReading = true;
    while (isDue) {
      isDue = false;
      await readAgain(answers());
    }
    isReading = false;
  }
  group.addEventListener('change', ({ target }) => {
    clearTimeout(timer);
    days.hidden = !on.checked;
    isDue = true;
    timer = setTimeout(() => attempt(readDue), target === on ? 0 : PAUSE_MS);
  });
  return {
    group,
    /** What was changed meanwhile stays. */
    show(replace: Preview['replace']) {
      if (isDue) return;
      on.checked = replace.on;
      days.hidden = !replace.on;
      if (from.value !== replace.from) from.value = replace.from;
      if (to.value !== replace.to) to.value = replace.to;
    },
  };
}
