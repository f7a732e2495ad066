/** Every change of an import, by day. Of many, the first days are open, and what comes near the screen is loaded. */

import type { Preview } from '../../import/upload.ts';
import type { ShownChange } from '../preview.ts';
import { ask } from './ask.ts';
import { more, unseen } from './controls.ts';
import { make } from './dom.ts';
import { longDate } from './shift-table.ts';
import { TEXTS } from './texts.ts';

const SLICE = 200;
/** Days are open until so many changes are seen. */
const OPEN_CHANGES = 60;
/** So many days are listed at a time. */
const DAYS = 60;

const { preview: texts } = TEXTS;
const SIGNS = { added: '+', changed: '~', removed: '−' };

export function makeChanges(id: string, days: readonly Preview['days'][number][]) {
  const read = makeSlices(id);
  const made = (from: number) => days.slice(from, from + DAYS).map((day) => makeDay(day, read));
  let count = DAYS;
  const rest = more(async () => {
    rest.before(...made(count));
    count += DAYS;
    return count < days.length;
  });
  return [...made(0), ...(days.length > DAYS ? [rest] : [])];
}

function makeDay({ day, first, count }: Preview['days'][number], read: ReturnType<typeof makeSlices>) {
  const list = make('ul', {});
  const rest = more(async () => {
    const shown = list.childElementCount;
    const changes = await read(first + shown, Math.min(SLICE, count - shown));
    list.append(...changes.map(makeChange));
    return changes.length > 0 && list.childElementCount < count;
  });
  const title = day === null ? texts.records : longDate(day);
  const heading = make('h4', {}, make('span', {}, title), ' ', make('small', {}, texts.count(count)));
  const details = make('details', { class: 'day-changes' }, make('summary', {}, heading), list, rest);
  details.open = first < OPEN_CHANGES;
  return details;
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
function makeChange({ kind, table, day, title, fields, remarks }: ShownChange) {
  const noun = texts.tables[table];
  const isDated = title.startsWith(`${day} `);
  const said = remarks === undefined ? [] : [make('span', { class: 'field-change' }, remarks)];
  const details = kind === 'changed' ? fields.map(makeField) : said;
  return make(
    'li',
    { class: `change is-${kind}` },
    make('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[kind]),
    make('span', { class: 'word' }, texts.kinds[kind]),
    make(
      'span',
      { class: 'what' },
      noun === '' ? title.slice(isDated ? `${day} `.length : 0) : `${noun} ${title}`,
      ...details,
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
