/**
 * Accounts for the cells of a file: each one that is not empty was read as something, or is in the list of what was left
 * out. A cell that no reader claims is left out, so none can be forgotten without a trace.
 */

import { type Cell, type GridRow, isCrossedOut, textOf, writtenIn } from './cell.ts';
import type { SheetPlace } from './problem.ts';
import type { TableColumn } from './words/headings.ts';
import { shapeOfName } from './words/people.ts';

/** What a cell was read as. */
export type ReadAs = TableColumn | 'heading' | 'week' | 'weekday' | 'am or pm' | 'status' | 'time zone';

/** Why none of a row was read. */
export type WhyRow = 'above' | 'between' | 'total' | 'no shifts' | 'crossed out';

type Became = ReadAs | WhyRow | 'left out';

interface LeftOut {
  readonly cells: number;
  /** Some of them. */
  readonly values: readonly string[];
}

/** What became of the cells of a file. Those that were read and those that were left out are all of them. */
export interface CellsRead {
  readonly all: number;
  readonly read: number;
  /** Without a heading, a column is known by its number. */
  readonly columns: readonly (LeftOut & { readonly heading: string; readonly column: number })[];
  readonly rows: readonly (LeftOut & { readonly why: WhyRow; readonly rows: number })[];
  /** Cells of rows that were read. */
  readonly crossedOut: LeftOut;
  /** Texts with lines that look like rows. */
  readonly swallowing: readonly SheetPlace[];
  readonly sheets: readonly SheetAsRead[];
}

/** The first rows of a sheet, and some of those that were left out. */
export interface SheetAsRead {
  readonly name: string;
  /** What became of most cells of each column. */
  readonly columns: readonly Became[];
  readonly rows: readonly {
    readonly line: number;
    readonly cells: readonly string[];
    /** What all cells of the row became. */
    readonly as?: Became;
    /** Cells that became something else than others of their column. */
    readonly others?: readonly (readonly [column: number, as: Became])[];
  }[];
}

const MAX_VALUES = 3;
/** Of a column that is left out, so many different texts are kept. */
export const MAX_TEXTS = 50;
/** Longer texts are nothing that is looked for. */
const MAX_CHARACTERS = 300;
const MAX_NAMES = 10_000;
const MAX_SHOWN_SHEETS = 3;
const MAX_SHOWN_ROWS = 40;
const MAX_SHOWN_LEFT_OUT = 10;

type ColumnPlace = SheetPlace & { readonly column: number };

/** Cells that became the same. */
interface Entry {
  readonly as: Became;
  cells: number;
  take?(cell: Cell, row: GridRow): void;
}

type ShownRow = readonly [GridRow, readonly Entry[] | WhyRow];

/** Cells that were left out, and what they hold. */
export class Unread implements Entry {
  as: Became = 'left out';
  cells = 0;
  rows = 0;
  /** Where the heading of the column is. */
  readonly place: ColumnPlace;
  readonly heading: string;
  /** Whether it stands beside one shift in each row. */
  readonly isOfList: boolean;
  /** How many cells hold each text. */
  readonly texts = new Map<string, { readonly cell: Cell; count: number }>();
  /** Whether each number is the one above plus one, as of rows that are counted. */
  areCounted = true;
  #last = Number.NaN;

  constructor(heading = '', place: ColumnPlace = { line: 0, column: 0 }, isOfList = false) {
    this.heading = heading;
    this.place = place;
    this.isOfList = isOfList;
  }

  take(cell: Cell): void {
    const text = writtenIn(cell).slice(0, MAX_CHARACTERS);
    const known = this.texts.get(text);
    if (known !== undefined) known.count++;
    else if (this.texts.size < MAX_TEXTS) this.#keep(cell);
    else return;
    this.areCounted &&= this.cells === 1 || Number(text) === this.#last + 1;
    this.#last = Number(text);
  }

  /** Slices would keep all of a long text in memory. */
  #keep(whole: Cell): void {
    const all = writtenIn(whole);
    const text = all.length > MAX_CHARACTERS ? structuredClone(all.slice(0, MAX_CHARACTERS)) : all;
    this.texts.set(text, { cell: typeof whole === 'string' ? text : { ...whole, text }, count: 1 });
  }

  /** Whether most of the cells pass, of those whose texts are kept. */
  isOf(test: (text: string, cell: Cell) => boolean): boolean {
    let [passing, all] = [0, 0];
    for (const [text, { cell, count }] of this.texts) {
      all += count;
      if (test(text, cell)) passing += count;
    }
    return passing * 2 > all;
  }

  report(): LeftOut {
    return { cells: this.cells, values: [...this.texts.keys()].slice(0, MAX_VALUES) };
  }
}

export class Ledger {
  #all = 0;
  readonly #read = new Map<ReadAs, Entry>();
  readonly #columns = new Map<string, Unread>();
  readonly #rows = new Map<WhyRow, Unread>();
  readonly #crossedOut = new Unread();
  readonly #swallowing: SheetPlace[] = [];
  readonly #shown: { readonly name: string; readonly rows: ShownRow[] }[] = [];
  /** The names of people and the words in them, in small letters. */
  readonly names = new Set<string>();
  /** How many of them are written in each way. */
  readonly shapes = new Map<string, number>();
  /** How many rows were read. */
  rows = 0;
  /** The labels of rows of rosters with shifts, as they are written. */
  readonly people = new Set<string>();

  /** Counts the cells of a sheet before anybody reads them. A row that is crossed out is left out here. */
  async *counting(name: string, rows: AsyncIterable<readonly GridRow[]>): AsyncGenerator<readonly GridRow[]> {
    this.#shown.push({ name, rows: [] });
    for await (const some of rows) {
      for (const row of some) {
        const { cells, crossedOut } = row;
        for (let column = 0; column < cells.length; column++) if (cells[column] !== '') this.#all++;
        if (crossedOut === undefined) continue;
        this.#all += crossedOut.filter((cell) => cell !== '').length;
        this.leaveOut({ ...row, cells: crossedOut }, 'crossed out');
      }
      yield some;
    }
  }

  /** What the cells below each heading become. undefined: they are left out. */
  entries(became: readonly (ReadAs | undefined)[], headings: GridRow, isList = true): readonly Entry[] {
    return became.map((as, column) =>
      as === undefined
        ? this.#unread({ ...headings, column }, textOf(headings.cells[column]), isList)
        : this.entry(as),
    );
  }

  entry(as: ReadAs): Entry {
    const isName = as === 'person' || as === 'first_name' || as === 'last_name';
    return this.#read.getOrInsertComputed(as, () => ({
      as,
      cells: 0,
      ...(isName && { take: this.noteName }),
    }));
  }

  readonly noteName = (cell: Cell): void => {
    const name = textOf(cell).toLowerCase();
    if (this.names.has(name) || this.names.size >= MAX_NAMES) return;
    for (const word of [name, ...name.split(' ')]) if (word.length > 1) this.names.add(word);
    const shape = shapeOfName(textOf(cell));
    this.shapes.set(shape, (this.shapes.get(shape) ?? 0) + 1);
  };

  #unread({ sheet, line, column }: ColumnPlace, heading = '', isOfList = false): Unread {
    const key = heading || String(column);
    const place = { sheet, line, column };
    return this.#columns.getOrInsertComputed(key, () => new Unread(heading, place, isOfList));
  }

  /** A row that is read. */
  take(row: GridRow, entries: readonly Entry[]): void {
    const { cells, swallowing } = row;
    this.rows++;
    for (let column = 0; column < cells.length; column++) {
      const cell = cells[column] ?? '';
      if (cell === '' || (typeof cell !== 'string' && cell.isMade)) continue;
      const entry = isCrossedOut(cell)
        ? this.#crossedOut
        : (entries[column] ?? this.#unread({ ...row, column }));
      entry.cells++;
      entry.take?.(cell, row);
    }
    if (swallowing !== undefined && this.#swallowing.length < MAX_VALUES)
      this.#swallowing.push({ sheet: row.sheet, line: row.line, column: swallowing });
    this.#show(row, entries, MAX_SHOWN_ROWS);
  }

  /** A row that is read as one kind of thing, such as headings. */
  takeAs(row: GridRow, as: ReadAs): void {
    this.take(row, Array<Entry>(row.cells.length).fill(this.entry(as)));
  }

  /** A row of which nothing is read. */
  leaveOut(row: GridRow, why: WhyRow): void {
    const filled = row.cells.filter((cell) => cell !== '');
    if (filled.length === 0) return;
    const left = this.#rows.getOrInsertComputed(why, () => new Unread());
    left.cells += filled.length;
    left.rows++;
    left.take(filled.map(writtenIn).join(' '));
    this.#show(row, why, MAX_SHOWN_ROWS + MAX_SHOWN_LEFT_OUT);
  }

  #show(row: GridRow, entries: readonly Entry[] | WhyRow, max: number): void {
    if (this.#shown.length > MAX_SHOWN_SHEETS) return;
    const rows = this.#shown.at(-1)?.rows;
    if (rows !== undefined && rows.length < max) rows.push([row, entries]);
  }

  /** The columns that were left out. */
  unread(): readonly Unread[] {
    return [...this.#columns.values()].filter(({ as, cells }) => as === 'left out' && cells > 0);
  }

  /** A column that seemed to be left out turned out to be one of statuses. */
  isStatus(heading: string): void {
    const unread = this.#columns.get(heading);
    if (unread !== undefined) unread.as = 'status';
  }

  report(): CellsRead {
    const entries = [...this.#read.values(), ...this.#columns.values()].filter(({ as }) => as !== 'left out');
    return {
      all: this.#all,
      read: entries.reduce((sum, { cells }) => sum + cells, 0),
      columns: this.unread().map((one) => ({
        heading: one.heading,
        column: one.place.column,
        ...one.report(),
      })),
      rows: [...this.#rows].map(([why, left]) => ({ why, rows: left.rows, ...left.report() })),
      crossedOut: this.#crossedOut.report(),
      swallowing: this.#swallowing,
      sheets: this.#shown.slice(0, MAX_SHOWN_SHEETS).map(({ name, rows }) => asRead(name, rows)),
    };
  }
}

const MAX_SHOWN_COLUMNS = 40;
const MAX_SHOWN_CHARACTERS = 100;

function asRead(name: string, rows: readonly ShownRow[]): SheetAsRead {
  const kindOf = (entries: ShownRow[1]) =>
    typeof entries === 'string'
      ? entries
      : entries.every((one) => one === entries[0])
        ? entries[0]?.as
        : undefined;
  const [, usual = []] = rows.find(([, entries]) => kindOf(entries) === undefined) ?? [];
  const columns = typeof usual === 'string' ? [] : usual.slice(0, MAX_SHOWN_COLUMNS).map(({ as }) => as);
  return {
    name,
    columns,
    // Rows that are crossed out are left out before those above them are read.
    rows: rows
      .toSorted(([one], [other]) => one.line - other.line)
      .map(([{ line, cells }, entries]) => {
        const shown = cells.slice(0, MAX_SHOWN_COLUMNS);
        const row = { line, cells: shown.map(writtenIn).map(shortened) };
        const as = kindOf(entries);
        if (as !== undefined || typeof entries === 'string') return { ...row, ...(as && { as }) };
        const others = shown.flatMap((cell, column) => {
          const became = isCrossedOut(cell) ? 'crossed out' : (entries[column]?.as ?? 'left out');
          return cell === '' || became === (columns[column] ?? 'left out') ? [] : [[column, became] as const];
        });
        return others.length === 0 ? row : { ...row, others };
      }),
  };
}

/** As much of a text as a page shows of a cell. */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
