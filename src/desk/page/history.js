/** What was imported and taken back, and the button that takes the last import back. */

import { ask, Refusal, settled } from './ask.js';
import { button, lead, say, section, sentenceList, table, timeText } from './controls.js';
import { make } from './dom.js';
import { TEXTS } from './texts.js';

/** @import { Counts, Session, Undone } from './ask.js' */

/**
 * @typedef {object} Entry
 * @property {number} id
 * @property {string} at
 * @property {'import' | 'undo'} action
 * @property {string} who
 * @property {string} file
 * @property {Counts} counts
 *
 * @typedef {{ entries: readonly Entry[], undo: { entry: number } | { refusal: string } }} History
 */

const { history: texts, done } = TEXTS;

/** @param {HTMLElement} panel @param {Session} session */
export async function openHistory(panel, session) {
  /** @type {History} */
  const { entries, undo } = await ask('GET', 'api/history');
  const zone = session.account.time_zone;
  const renew = async (/** @type {Undone} */ { sentences }) => {
    await openHistory(panel, session);
    lead(panel);
    say(sentences.join(' '));
  };
  const rows = entries.map(({ id, at, action, who, file, counts }) => [
    timeText(at, zone),
    texts.actions[action],
    who,
    file,
    make(
      'span',
      {},
      TEXTS.preview.tallied(counts.shifts),
      make('small', {}, ` ${TEXTS.preview.others(counts)}`),
    ),
    'entry' in undo && undo.entry === id ? makeUndo(id, renew) : '',
  ]);
  const refusal = 'refusal' in undo ? [make('p', {}, undo.refusal)] : [];
  const shown = entries.length === 0 ? make('p', {}, texts.none) : table(texts.title, texts.columns, rows);
  panel.replaceChildren(
    section(texts.title, make('p', { class: 'hint' }, texts.intro(zone)), ...refusal, shown),
  );
}

/**
 * Takes one import back, if it is still the last one and nothing else was written since.
 *
 * @param {number} entry
 * @param {(undone: Undone) => unknown} onUndone
 */
function makeUndo(entry, onUndone) {
  return button(done.undo, async () => {
    const { id } = await ask('POST', 'api/undo', { body: { entry } });
    const { result } = await settled(id, { onWait: () => say(done.undoing) });
    say('');
    if (result?.kind === 'failed') throw new Refusal(result.message, 409);
    if (result?.kind === 'undone') await onUndone(result);
  });
}

/** For the import that was just done, in the region that says so. @param {HTMLElement} region */
export async function offerUndo(region) {
  /** @type {History} */
  const { undo } = await ask('GET', 'api/history');
  if ('refusal' in undo) return region.append(make('p', {}, undo.refusal));
  const showUndone = (/** @type {Undone} */ result) => {
    const undone = makeUndone(result);
    region.replaceWith(undone);
    lead(undone);
  };
  region.append(makeUndo(undo.entry, showUndone));
}

/** @param {Undone} undone */
export function makeUndone({ sentences }) {
  return section(done.undone, ...sentenceList(sentences));
}
