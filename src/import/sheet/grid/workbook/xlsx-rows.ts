/** The rows of a sheet of an .xlsx. */

import { quote } from '../../../../quote.ts';
import type { Cell, GridRow } from '../../cell.ts';
import { cutCell, inFull, isFullCell, MAX_COLUMNS, MAX_ROWS, type rowCounter } from '../../limits.ts';
import { refusal } from '../../refusal.ts';
import { type Merge, MergedCells } from './merged.ts';
import { isoCell, type NumberKind, numberCell } from './number-format.ts';
import { cleaned, textGatherer } from './xlsx-text.ts';
import { findTags, readXml, type XmlHandler } from './xml.ts';
import type { Zip } from './zip.ts';

export interface SheetContext {
  readonly shared: readonly string[];
  readonly kinds: readonly NumberKind[];
  readonly daysBefore: number;
  readonly count: ReturnType<typeof rowCounter>;
}

export async function* readRows(
  zip: Zip,
  part: string,
  context: SheetContext,
): AsyncGenerator<readonly GridRow[]> {
  const merges = await mergesIn(zip, part);
  const merged = new MergedCells();
  let rows: GridRow[] = [];
  const handler = rowHandler(context, (row) =>
    rows.push(context.count(merged.fill(row, merges.get(row.line) ?? []))),
  );
  for await (const _ of readXml(zip.open(part), handler)) {
    if (rows.length === 0) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function rowHandler(context: SheetContext, take: (row: GridRow) => void): XmlHandler {
  let line = 0;
  let cells: Cell[] = [];
  let column = -1;
  let type = '';
  let style = 0;
  let value = '';
  let isValue = false;
  let isInCell = false;
  let isHidden = false;
  const inline = textGatherer((text) => {
    value = text;
  }, 'is');
  return {
    open(name, attributes) {
      if (name === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
        if (column >= MAX_COLUMNS)
          throw refusal(
            `row ${line} has a cell ${quote(attributes.r ?? column + 1)}: a sheet has at most ${inFull(MAX_COLUMNS)} columns`,
          );
        type = attributes.t ?? 'n';
        style = Number(attributes.s ?? 0);
        value = '';
        isInCell = true;
      } else if (name === 'row') {
        line = attributes.r === undefined ? line + 1 : Number(attributes.r);
        if (!(line >= 1 && line <= MAX_ROWS))
          throw refusal(
            `the sheet has a row ${quote(attributes.r ?? line)}: rows count from 1 to ${inFull(MAX_ROWS)}`,
          );
        cells = [];
        column = -1;
        isHidden = attributes.hidden === '1' || attributes.hidden === 'true';
      } else if (isInCell) {
        if (name === 'v') isValue = true;
        else inline.open(name, attributes);
      }
    },
    text(text) {
      if (isValue) value += isFullCell(value) ? '' : text;
      else if (isInCell) inline.text(text);
    },
    close(name) {
      if (name === 'v') isValue = false;
      else if (name === 'c') {
        isInCell = false;
        const cell = cellOf(type, style, value, context);
        if (cell === '') return;
        while (cells.length < column) cells.push('');
        cells[column] = cell;
      } else if (name === 'row') take(isHidden ? { line, cells, isHidden } : { line, cells });
      else if (isInCell) inline.close(name);
    },
  };
}

function cellOf(
  type: string,
  style: number,
  value: string,
  { shared, kinds, daysBefore }: SheetContext,
): Cell {
  switch (type) {
    case 's':
      return shared[Number(value)] ?? '';
    case 'inlineStr':
      return value;
    case 'str':
      return cleaned(value);
    case 'b':
      return { type: 'boolean', text: value === '1' ? 'TRUE' : 'FALSE' };
    case 'e':
      return { type: 'error', text: cutCell(value) };
    case 'd':
      return isoCell(cutCell(value));
    default:
      return value === ''
        ? ''
        : isFullCell(value)
          ? cutCell(value)
          : numberCell(Number(value), kinds[style] ?? 'number', daysBefore);
  }
}

/** `AB12` is column 27, counted from 0. */
function columnOf(reference: string): number {
  let column = 0;
  for (let i = 0; i < reference.length; i++) {
    const letter = reference.charCodeAt(i) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}

const MAX_MERGES = 200_000;

/**
 * The merges of a sheet by their first row. They come after all rows in the file, so the sheet is first searched for
 * them. That is fast, because nothing is parsed.
 */
async function mergesIn(zip: Zip, part: string): Promise<ReadonlyMap<number, readonly Merge[]>> {
  const merges = new Map<number, Merge[]>();
  let count = 0;
  for await (const [, first = '', firstRow, lastRow] of findTags(zip.open(part), MERGE)) {
    const merge = { column: columnOf(first), lastRow: Number(lastRow) };
    const others = merges.get(Number(firstRow));
    if (others === undefined) merges.set(Number(firstRow), [merge]);
    else others.push(merge);
    if (++count > MAX_MERGES)
      throw refusal(
        `the sheet has more than ${inFull(MAX_MERGES)} merged cells: save it as CSV, and import that`,
      );
  }
  return merges;
}

const MERGE =
  /<(?:\w{1,20}:)?mergeCell [^<>]{0,200}?ref="([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})"[^<>]{0,200}>/g;
