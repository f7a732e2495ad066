/** What was imported and taken back, and the button that takes the last import back. */

import type { Preview } from '../../import/upload.ts';
import type { Undone } from '../task.ts';
import { ask, Refusal, type Session, settled } from './ask.ts';
import { button, lead, say, section, sentenceList, table, timeText } from './controls.ts';
import { make } from './dom.ts';
import { TEXTS } from './texts.ts';

export interface Entry {
  id: number;
  at: string;
  action: 'import' | 'undo';
  who: string;
  file: string;
  counts: Preview['counts'];
}

export type History = { entries: readonly Entry[]; undo: { entry: number } | { refusal: string } };

const { history: texts, done } = TEXTS;

export async function openHistory(panel: HTMLElement, session: Session) {
  const { entries, undo }: History = await ask('GET', 'api/history');
  const zone = session.account.time_zone;
  const renew = async ({ sentences }: Undone) => {
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

/** Takes one import back, if it is still the last one and nothing else was written since. Once refused, it stays so. */
function makeUndo(entry: number, onUndone: (undone: Undone) => unknown) {
  const undo = button(done.undo, async () => {
    try {
      const { id }: { id: string } = await ask('POST', 'api/undo', { body: { entry } });
      const { result } = await settled(id, { onWait: () => say(done.undoing) });
      say('');
      if (result?.kind === 'failed') throw new Refusal(result.message, 409);
      if (result?.kind === 'undone') await onUndone(result);
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) undo.remove();
      throw error;
    }
  });
  return undo;
}

/** For the import that was just done, in the region that says so. */
export function offerUndo(region: HTMLElement, entry: number) {
  const showUndone = (result: Undone) => {
    const undone = makeUndone(result);
    region.replaceWith(undone);
    lead(undone);
  };
  region.append(makeUndo(entry, showUndone));
}

export function makeUndone({ sentences }: Undone) {
  return section(done.undone, ...sentenceList(sentences));
}
