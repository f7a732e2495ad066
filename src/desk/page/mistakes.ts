/** What is wrong with a file, and the sheet itself with the cells marked, so that one sees where. */

import type { SheetAsRead } from '@shiftfeed/sheets';
import type { Mistakes, Problem } from '../../import/upload.ts';
import { section, unseen } from './controls.ts';
import { make } from './dom.ts';
import { placed } from './questions.ts';
import { TEXTS } from './texts.ts';

const { mistakes: texts } = TEXTS;

export function makeMistakes(
  { headline, problems, more, sheets }: Mistakes,
  file: string,
  below: readonly HTMLElement[],
) {
  const tables = sheets
    .filter(({ rows }) => rows.length > 0)
    .map((sheet) => makeSheet({ ...sheet, name: sheet.name || file }, problems));
  const items = problems.map(({ place, message, cell }) => {
    const sentence = placed(place, message);
    const target =
      cell && tables.map(({ cells }) => cells.get(keyOf(cell))).find((found) => found !== undefined);
    if (target === undefined) return make('li', {}, sentence);
    const link = make('button', { type: 'button', class: 'link' }, sentence);
    link.addEventListener('click', () => {
      target.scrollIntoView({ block: 'center', inline: 'center' });
      target.focus({ preventScroll: true });
    });
    return make('li', {}, link);
  });
  if (more > 0) items.push(make('li', {}, texts.more(more)));
  return section(
    texts.title,
    make('p', {}, `${headline} ${texts.nothing}`),
    make('ul', { class: 'sentences' }, ...items),
    ...tables.map(({ region }) => region),
    ...below,
  );
}

/** Sheets as they were read: what each cell became is told in words. */
export function makeSheetsAsRead(sheets: readonly SheetAsRead[]): readonly HTMLElement[] {
  if (sheets.length === 0) return [];
  const tables = sheets.map((sheet, number) => makeSheet({ ...sheet, number }, []).region);
  const legend = make('p', { class: 'hint' }, texts.legend);
  return [make('details', { class: 'as-read' }, make('summary', {}, texts.asRead), legend, ...tables)];
}

/** A cell, or the number of a row. */
function keyOf({ sheet, line, column }: NonNullable<Problem['cell']>) {
  return `${sheet} ${line} ${column ?? ''}`;
}

/** With `columns`, it is told what became of each cell. */
interface ShownSheet extends Omit<SheetAsRead, 'columns'> {
  readonly number: number;
  readonly columns?: SheetAsRead['columns'];
}

function makeSheet({ number, name, rows, columns: became }: ShownSheet, problems: readonly Problem[]) {
  const cells: Map<string, HTMLElement> = new Map();
  const messages = Map.groupBy(
    problems.filter(({ cell }) => cell?.sheet === number),
    ({ cell }) => (cell ? keyOf(cell) : ''),
  );
  const mark = (element: HTMLElement, key: string) => {
    const found = messages.get(key);
    if (found === undefined) return element;
    element.classList.add('is-wrong');
    element.tabIndex = -1;
    const sentences = found.map(({ message }) => message).join('; ');
    element.title = sentences;
    element.append(unseen(` (${sentences})`));
    cells.set(key, element);
    return element;
  };
  const columns = Math.max(...rows.map((row) => row.cells.length));
  const usual = (column: number) => became && (became[column] ?? 'left out');
  const letters = Array.from({ length: columns }, (_, i) =>
    make('th', { scope: 'col' }, letterOf(i), ...told(usual(i))),
  );
  const body = make('tbody', {});
  let last = 0;
  for (const { line, cells: texts_, as, others = [] } of rows) {
    if (line > last + 1) body.append(makeGap(last + 1, line - 1, columns + 1));
    last = line;
    const head = mark(
      make('th', { scope: 'row' }, String(line), ...told(as)),
      keyOf({ sheet: number, line }),
    );
    const row = Array.from({ length: columns }, (_, column) => {
      const text = texts_[column] ?? '';
      const [, other] = others.find(([one]) => one === column) ?? [];
      const cell = make('td', {}, text, ...told(other));
      if (text !== '' && isLeftOut(as ?? other ?? usual(column))) cell.classList.add('is-left-out');
      return mark(cell, keyOf({ sheet: number, line, column }));
    });
    body.append(make('tr', {}, head, ...row));
  }
  const head = make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, unseen(texts.row)), ...letters));
  const table = make('table', { class: 'sheet' }, make('caption', {}, name), head, body);
  // What scrolls can be scrolled by keyboard.
  const region = make(
    'section',
    { class: 'card scroll', tabindex: '0', 'aria-label': texts.sheet(name) },
    table,
  );
  return { region, cells };
}

/** What cells became, in small letters. */
function told(as: string | undefined) {
  return as === undefined ? [] : [make('small', {}, ` ${texts.became(as)}`)];
}

function isLeftOut(as: string | undefined): boolean {
  return as !== undefined && texts.became(as).startsWith(texts.leftOut);
}

function makeGap(from: number, to: number, columns: number) {
  return make('tr', { class: 'gap' }, make('td', { colspan: String(columns) }, texts.gap(from, to)));
}

/** A, B, …, Z, AA. */
function letterOf(column: number): string {
  return (column < 26 ? '' : letterOf(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));
}
