/** The cells of workbooks, whatever program made them: what a number stands for, and cells that are merged. */

import { inFull } from '@shiftfeed/common/quote';
import {
  type Cell,
  cutCell,
  type GridRow,
  isCrossedOut,
  MAX_COLUMNS,
  MAX_SHEETS,
  refusal,
  type TypedCell,
  textOf,
} from '../cell.ts';
import { dateOfSerial } from '../words/date.ts';

export type NumberKind = 'number' | 'date' | 'time' | 'date and time' | 'elapsed';

/** Built-in formats, which the file does not spell out. Those from 27 to 58 are East Asian dates. */
export function kindOfBuiltIn(id: number): NumberKind {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return 'date';
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return 'time';
  if (id === 22) return 'date and time';
  return id === 46 ? 'elapsed' : 'number';
}

/** Takes a format such as `dd/mm/yyyy hh:mm`. Quoted texts, and colours and languages in brackets, are ignored. */
export function kindOfCode(code: string): NumberKind {
  const { letters, brackets } = firstSection(code);
  if (brackets.some((inside) => /^(?:h{1,9}|m{1,9}|s{1,9})$/i.test(inside))) return 'elapsed';
  const bare = letters.replaceAll(/AM\/PM|A\/P/gi, 'h');
  if (/general|standard/i.test(bare)) return 'number';
  const hasTime = /[hs]/i.test(bare);
  const hasDate = /[dy]/i.test(bare) || (!hasTime && /m/i.test(bare));
  if (hasDate && hasTime) return 'date and time';
  return hasDate ? 'date' : hasTime ? 'time' : 'number';
}

/** The first section of a format, which is the one for positive numbers, and what stands in brackets there. */
function firstSection(code: string): { readonly letters: string; readonly brackets: readonly string[] } {
  let letters = '';
  const brackets: string[] = [];
  for (let at = 0; at < code.length && code[at] !== ';'; at++) {
    const character = code[at] ?? '';
    if (character === '"' || character === '[') {
      const end = code.indexOf(character === '"' ? '"' : ']', at + 1);
      if (end === -1) break;
      if (character === '[') brackets.push(code.slice(at + 1, end));
      at = end;
    } else if ('\\_*'.includes(character)) at++;
    else letters += character;
  }
  return { letters, brackets };
}

/** Whole days below this are not dates of shifts, but durations beyond 24 hours. */
const FIRST_DATE_SERIAL = 366;

export function numberCell(value: number, kind: NumberKind, daysBefore: number): TypedCell {
  if (kind === 'number' || value < 0) return { type: 'number', text: String(Number(value.toPrecision(15))) };
  const seconds = Math.round(value * 86_400);
  const days = Math.floor(seconds / 86_400);
  const ofDay = seconds % 86_400;
  if (kind === 'elapsed') return { type: 'time', text: clock(seconds) };
  if (days < FIRST_DATE_SERIAL) return { type: 'time', text: clock(kind === 'time' ? ofDay : seconds) };
  const date = dateOfSerial(days + daysBefore);
  if (date === undefined) return { type: 'number', text: String(value) };
  if (kind === 'date' && ofDay === 0) return { type: 'date', text: date };
  return { type: 'date and time', text: `${date} ${clock(ofDay)}` };
}

/** `9:00`, with seconds where there are any. */
export function clock(seconds: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const minutes = `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}`;
  return seconds % 60 === 0 ? minutes : `${minutes}:${two(seconds % 60)}`;
}

/** A time of day is written with the date 1899-12-30, 1899-12-31 or 1904-01-01. */
const FIRST_DATE = '1904-01-02';

/** `2027-03-06T09:00:00` */
export function isoCell(value: string): Cell {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::00(?:\.0{1,9})?)?Z?)?$/.exec(value) ?? [];
  if (date === undefined) return value;
  if (time !== undefined && date < FIRST_DATE) return { type: 'time', text: time };
  return time === undefined
    ? { type: 'date', text: date }
    : { type: 'date and time', text: `${date} ${time}` };
}

/** Rows count from 1, columns from 0. */
export interface Merge {
  readonly column: number;
  readonly lastColumn: number;
  readonly lastRow: number;
}

/**
 * A cell that is merged over several rows counts for each of them. How far it is merged over columns is only noted: a
 * heading that is merged stands for one column. The rows of a sheet must be passed in order.
 */
export class MergedCells {
  /** The filled cells that are merged with rows still to come, by column. */
  readonly #open = new Map<number, Merge & { readonly cell: Cell }>();

  /** `merges` are those that begin in this row. */
  fill(row: GridRow, merges: readonly Merge[]): GridRow {
    if (this.#open.size === 0 && merges.length === 0) return row;
    const spans = new Map<number, number>();
    const own = row.crossedOut ?? row.cells;
    const cells = this.#open.size === 0 ? own : this.#filled(own, row.line, spans);
    for (const merge of merges) {
      const { column, lastColumn, lastRow } = merge;
      const cell = own[column] ?? '';
      if (cell === '') continue;
      if (lastRow > row.line) this.#open.set(column, { ...merge, cell });
      if (lastColumn > column) spans.set(column, lastColumn);
    }
    const kept = row.crossedOut === undefined ? { cells } : { crossedOut: cells };
    return { ...row, ...kept, ...(spans.size > 0 && { spans }) };
  }

  #filled(cells: readonly Cell[], line: number, spans: Map<number, number>): readonly Cell[] {
    const copy = [...cells];
    for (const [column, { lastRow, lastColumn, cell }] of this.#open) {
      if (lastRow < line) {
        this.#open.delete(column);
        continue;
      }
      while (copy.length <= column) copy.push('');
      if (copy[column] !== '') continue;
      copy[column] = cell;
      if (lastColumn > column) spans.set(column, lastColumn);
    }
    return copy;
  }
}

/** A cell of which so many characters are crossed out. */
export function withCrossing(cell: Cell, crossed: number, characters: number): Cell {
  if (cell === '' || crossed === 0) return cell;
  return { type: crossed < characters ? 'partly crossed out' : 'crossed out', text: textOf(cell) };
}

/** Spaces look the same if they are crossed out. */
export function charactersIn(text: string): number {
  return text.replaceAll(/\s/g, '').length;
}

/** A row of which all is crossed out loses its cells. */
export function withoutCrossedOut(row: GridRow): GridRow {
  const { cells } = row;
  const isCrossed = cells.some(isCrossedOut) && cells.every((cell) => cell === '' || isCrossedOut(cell));
  return isCrossed ? { ...row, cells: [], crossedOut: cells } : row;
}

/** A formula of which the program that wrote the workbook did not save a result. */
export function neverCalculated(formula: string): Cell {
  return { type: 'error', text: cutCell(`=${formula}`) };
}

/** What is noted of a sheet beside its rows. */
export type Asides = ReturnType<typeof newAsides>;

export function newAsides() {
  return { hiddenColumns: new Set<number>(), comments: new Map<string, string>() };
}

/** So many comments are counted. Only the first ones are told. */
const MAX_COMMENTS = 10_000;
const MAX_COMMENT_CHARACTERS = 300;

/** Notes the comment on a cell. */
export function noteComment(comments: Map<string, string>, cell: string, text: string): void {
  if (comments.size < MAX_COMMENTS || comments.has(cell))
    comments.set(cell, text.trim().slice(0, MAX_COMMENT_CHARACTERS));
}

/** Notes a column, and those that follow it, as hidden. */
export function hideColumns(hidden: Set<number>, first: number, count: number): void {
  for (let column = first; column < Math.min(first + count, MAX_COLUMNS); column++) hidden.add(column);
}

export function tooManySheets(): Error {
  return refusal(
    `the workbook has more than ${inFull(MAX_SHEETS)} sheets: save those of the plan in a workbook of their own, and import that`,
  );
}
