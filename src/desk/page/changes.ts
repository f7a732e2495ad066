/** Every change of an import, by day. Of many, only those are loaded and laid out that come near the screen. */

import type { Preview } from '../../import/upload.ts';
import type { ShownChange } from '../preview.ts';
import { ask } from './ask.ts';
import { more, unseen } from './controls.ts';
import { make } from './dom.ts';
import { longDate } from './shift-table.ts';
import { TEXTS } from './texts.ts';

const SLICE = 200;
/** How high they are, more or less: the room that those have which are not loaded yet. */
const CHANGE_REM = 2;
const HEADING_REM = 3.25;

const { preview: texts } = TEXTS;
const SIGNS = { added: '+', changed: '~', removed: '−' };

export function makeChanges(id: string, days: readonly Preview['days'][number][]) {
  const read = makeSlices(id);
  return days.map(({ day, first, count }) => {
    const list = make('ul', {});
    const rest = more(async () => {
      const shown = list.childElementCount;
      const changes = await read(first + shown, Math.min(SLICE, count - shown));
      list.append(...changes.map(makeChange));
      reserve();
      return changes.length > 0 && list.childElementCount < count;
    });
    const reserve = () => {
      rest.style.minHeight = `${CHANGE_REM * Math.min(count - list.childElementCount, SLICE)}rem`;
    };
    reserve();
    const title = day === null ? texts.records : longDate(day);
    const heading = make('h4', {}, make('span', {}, title), ' ', make('small', {}, texts.count(count)));
    const section = make('section', { class: 'day-changes', 'aria-label': title }, heading, list, rest);
    section.style.containIntrinsicBlockSize = `auto ${HEADING_REM + CHANGE_REM * Math.min(count, SLICE)}rem`;
    return section;
  });
}

/** Neighbouring days are often of one slice, which is read once. */
function makeSlices(id: string) {
  const slices: Map<number, Promise<{ changes: readonly ShownChange[] }>> = new Map();
  const sliceAt = (number: number) => {
    let slice = slices.get(number);
    if (slice === undefined) {
      slice = ask('GET', `api/imports/${id}/changes?offset=${number * SLICE}&limit=${SLICE}`);
      slice.catch(() => slices.delete(number));
      slices.set(number, slice);
    }
    return slice;
  };
  return async (first: number, count: number) => {
    const numbers = [Math.floor(first / SLICE), Math.floor((first + count - 1) / SLICE)];
    const read = await Promise.all([...new Set(numbers)].map(sliceAt));
    const start = first - (numbers[0] ?? 0) * SLICE;
    return read.flatMap(({ changes }) => changes).slice(start, start + count);
  };
}

/** Told apart by sign and word, not by colour alone. The day stands above. */
function makeChange({ kind, table, day, title, fields }: ShownChange) {
  const noun = texts.tables[table];
  const isDated = title.startsWith(`${day} `);
  const changed = kind === 'changed' ? fields.map(makeField) : [];
  return make(
    'li',
    { class: `change is-${kind}` },
    make('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[kind]),
    make('span', { class: 'word' }, texts.kinds[kind]),
    make(
      'span',
      { class: 'what' },
      noun === '' ? title.slice(isDated ? `${day} `.length : 0) : `${noun} ${title}`,
      ...changed,
    ),
  );
}

function makeField({ field, before, after }: ShownChange['fields'][number]) {
  return make(
    'span',
    { class: 'field-change' },
    make('span', { class: 'name' }, `${field.replaceAll('_', ' ')}: `),
    make('del', {}, before || texts.empty),
    unseen(` ${texts.becomes} `),
    make('span', { 'aria-hidden': 'true' }, ' → '),
    make('ins', {}, after || texts.empty),
  );
}
