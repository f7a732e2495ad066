/** What an import would change, before it does: counts, every change, and the calendar as it will be. */

import type { Answer } from '../../import/questions.ts';
import type { Preview } from '../../import/upload.ts';
import { Refusal, type Session } from './ask.ts';
import { makeChanges } from './changes.ts';
import { attempt, button, section, sentenceList } from './controls.ts';
import { make } from './dom.ts';
import { makeSheetsAsRead } from './mistakes.ts';
import { makeQuestion } from './questions.ts';
import { makeCalendar } from './shifts.ts';
import { TEXTS } from './texts.ts';

const { preview: texts } = TEXTS;

export function makePreview(
  id: string,
  file: string,
  session: Session,
  actions: {
    readonly choose: (answers: readonly Answer[]) => Promise<void>;
    readonly import: (digest: string) => Promise<void>;
    readonly discard: HTMLElement;
  },
) {
  let digest = '';
  const counts = make('p', { class: 'counts' });
  const left = makeLeft(actions.choose);
  const importIt = button(
    texts.import,
    () => {
      left.check();
      return actions.import(digest);
    },
    { class: 'primary' },
  );
  const notes = make('div', { class: 'notes' });
  const changes = make('div', { class: 'changes' });
  // What is shown is then no longer what is asked for.
  left.element.addEventListener('change', () => importIt.setAttribute('aria-disabled', 'true'));
  const calendar = makeCalendar(texts.calendar, `api/imports/${id}/shifts`, session.account.time_zone);
  const region = section(
    texts.title,
    left.element,
    make('div', { class: 'summary' }, counts, make('div', { class: 'line' }, importIt, actions.discard)),
    make(
      'div',
      { class: 'split' },
      make('div', {}, notes, calendar.link, make('h3', {}, texts.changes), changes),
      calendar.region,
    ),
  );
  return {
    region,
    show(preview: Preview, answers: readonly HTMLElement[]) {
      digest = preview.digest;
      importIt.removeAttribute('aria-disabled');
      counts.replaceChildren(
        `${file}: `,
        make('strong', {}, texts.tallied(preview.counts.shifts)),
        ...others(preview),
      );
      notes.replaceChildren(...makeNotes(preview), ...answers);
      left.show(preview.left);
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

function makeNotes({ how, sheets, warnings, newNames, unlisted, undoRefusal }: Preview) {
  const sentences = [...warnings, ...(undoRefusal === undefined ? [] : [undoRefusal])];
  return [
    ...sentenceList(sentences, texts.warnings),
    ...sentenceList(newNames, texts.newNames),
    ...sentenceList(unlisted, texts.unlisted),
    ...sentenceList(how, texts.how),
    ...makeSheetsAsRead(sheets),
  ];
}

/** What becomes of the shifts that are not in the file. A choice reads the file again. */
function makeLeft(readAgain: (answers: readonly Answer[]) => Promise<void>) {
  const element = make('div', { class: 'left' });
  let shown: Preview['left'];
  let asked: ReturnType<typeof makeQuestion> | undefined;
  /** Whether another choice was made since the file was last read. */
  let isDue = false;
  let isReading = false;
  async function readDue() {
    if (isReading) return;
    isReading = true;
    while (isDue) {
      isDue = false;
      await readAgain(asked?.answer() ?? []);
    }
    isReading = false;
  }
  element.addEventListener('change', () => {
    isDue = true;
    attempt(readDue);
  });
  return {
    element,
    /** A choice that was made meanwhile stays, and so does the one that has the focus. */
    show(left: Preview['left']) {
      if (isDue || (left?.message === shown?.message && left?.answer?.value === asked?.answer()[0]?.[1]))
        return;
      shown = left;
      asked = left && makeQuestion(left, []);
      element.replaceChildren(...(asked ? [asked.fieldset] : []));
    },
    /** Throws a refusal if nothing was chosen. */
    check() {
      if (asked === undefined || asked.answer().length > 0) return;
      element.querySelector('input')?.focus();
      throw new Refusal(texts.choose, 400);
    },
  };
}
