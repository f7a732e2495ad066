/**
 * What files of one kind have in common, whatever their rows say: the shapes of their sheets and the headings, or what
 * stands in the place of headings. Nothing that was answered about a file changes its layout, except for which sheet is
 * read, and the year without which days across cannot be told.
 */

import { type Sheet, SheetRefused, textOf } from './cell.ts';
import { chooseSheets, sheetsIn } from './shape/choose.ts';
import { countHeadings, folded } from './shape/heading-row.ts';
import { firstRows, lookAt, type Shape } from './shape/shape.ts';
import { ALL_SHEETS, type SheetOptions } from './sheet-options.ts';
import { monthNamed } from './words/date.ts';

/** Equal for files of one layout. undefined: it cannot be told. */
export async function layoutOf(
  open: () => Promise<AsyncIterable<Uint8Array>>,
  { sheet = ALL_SHEETS, year }: Pick<SheetOptions, 'sheet' | 'year'>,
): Promise<string | undefined> {
  // A text in another encoding has the same layout before somebody says which one it is.
  for (const encoding of [undefined, 'windows-1252']) {
    const options: SheetOptions = { columnNames: new Map(), ignoredColumns: [], sheet, year, encoding };
    let isText = false;
    try {
      const all = await sheetsIn(await open(), options);
      isText = all.some((one) => one.isText);
      const { sheets } = await chooseSheets(all, options);
      const looks: string[] = [];
      for (const one of sheets) looks.push(await lookOf(one, options, sheets.length === 1));
      return JSON.stringify([...new Set(looks)].sort());
    } catch (error) {
      if (!(error instanceof SheetRefused)) throw error;
      if (!isText) return undefined;
    }
  }
  return undefined;
}

/** Of several sheets that are read together, the names do not matter: there may be one for each person or month. */
async function lookOf(sheet: Sheet, options: SheetOptions, isAlone: boolean): Promise<string> {
  const iterator = sheet.rows()[Symbol.asyncIterator]();
  const { first } = await firstRows(iterator);
  await iterator.return?.();
  const { shape, problems } = lookAt(first, options);
  if (shape === undefined) throw new SheetRefused(...problems);
  const tab = isAlone && !sheet.isText ? timeless(sheet.name) : '';
  return JSON.stringify([shape.kind, tab, ...labelsOf(shape, options)]);
}

function labelsOf(shape: Shape, options: SheetOptions): readonly string[] {
  const texts = shape.headings.cells.map(textOf);
  if (shape.kind === 'roster') return texts.slice(0, shape.first).map(timeless);
  if (shape.kind === 'across')
    return texts.filter((_, column) => !shape.columns.includes(column)).map(timeless);
  const labels = texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
  // A sheet without headings begins with values, of which the form alone comes again.
  const isWithout =
    countHeadings(labels, options) === 0 && labels.some((text) => /\d/.test(text) && !/[^\d\W]/.test(text));
  return isWithout
    ? labels.map((text) => text.replaceAll(/\p{L}+/gu, 'a').replaceAll(/\d+/g, '0'))
    : labels.map(timeless);
}

/** Without what is of one month, week or year alone: `Kitchen March 2027` is as `Kitchen April 2027`. */
function timeless(text: string): string {
  return folded(text)
    .replaceAll(/\p{L}+/gu, (word) => (monthNamed(word) === undefined ? word : ''))
    .replaceAll(/[\d\s\p{P}]+/gu, ' ')
    .trim();
}
