/** Blocks of rows: what stands above them may be their group or their location, and each has people of its own. */

import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type GridRow, refusedAt, SheetRefused, textOf } from '../cell.ts';
import type { WhyRow } from '../ledger.ts';
import { placeInSheet, type SheetPlace } from '../problem.ts';
import { cover, type Notes } from '../report.ts';
import type { ColumnPlaces } from '../shape/heading-row.ts';
import type { SectionMeaning, SheetOptions } from '../sheet-options.ts';
import { mayBeName } from '../words/title.ts';

/** A name that stands alone in its row, and why the row is left out if it is nothing. */
interface Alone {
  readonly row: GridRow;
  readonly column: number;
  readonly text: string;
  readonly why: WhyRow;
  /** How it is written, whatever is below it. */
  readonly style: string;
  /** Whether it begins the sheet, or stands below an empty row. */
  readonly isFirst: boolean;
}

/** Of names that are alike, more than two in a row tell no more. */
const MAX_ALIKE = 2;

/**
 * `KITCHEN`, and below it its people. A person without shifts looks alike, so the first row below the headings, an empty
 * row above, capitals, a colon or merged cells tell. What may be both is asked.
 */
export class Sections {
  readonly #places: ColumnPlaces;
  readonly #meaning: SectionMeaning | undefined;
  readonly #notes: Notes;
  /** The column of the names of a roster. In a list, there are no rows of people without shifts. */
  readonly #person: number | undefined;
  /** Whether names alone matter at all. */
  readonly isLooked: boolean;
  /** Rows between the last one with shifts and the next one. */
  #alone: Alone[] = [];
  #isFirst = true;
  /** How the first section is written. */
  #style: string | undefined;
  #section: { readonly text: string; readonly place: Omit<GridRow, 'cells'> } | undefined;
  /** A section, or a row of days, that is crossed out below those that were read last. */
  #crossedOut: SheetRefused | undefined;
  #ofBlock = new Set<string>();
  /** The people of other blocks with the same days, which only their place shows. */
  #ofBlocksAbove = new Set<string>();

  constructor(places: ColumnPlaces, { sections }: SheetOptions, notes: Notes, person?: number) {
    this.#places = places;
    this.#meaning = sections;
    this.#notes = notes;
    this.#person = person;
    this.isLooked =
      sections === undefined
        ? places.group === undefined
        : sections !== 'nothing' && places[sections] === undefined;
  }

  /** A row of which nothing is read. It may be a section. */
  pass(row: GridRow, why: WhyRow): void {
    const [column, other] = [...row.cells.keys()].filter((place) => row.cells[place] !== '');
    const isName = column !== undefined && other === undefined && column <= (this.#person ?? column);
    if (isName) this.#cover(textOf(row.cells[column]));
    const one = this.#aloneIn(row, why);
    if (one === undefined) this.#notes.ledger.leaveOut(row, why);
    else this.#hold(one);
    this.#isFirst = column === undefined;
  }

  /** A row that is crossed out, as it was before. Shifts below it would seem to go on from what stands above it. */
  passCrossedOut(row: GridRow, areDays = false): void {
    const one = this.#section && this.#aloneIn(row, 'crossed out');
    // Among people, a name that is not written as sections are may be one of them.
    const isSection = one && (this.#person === undefined || (one.style !== '' && one.style === this.#style));
    if (!areDays && !isSection) return;
    const what = areDays ? 'this row of days' : quote(one?.text ?? '');
    const message = `${what} is crossed out, and rows below it are not: cross out or remove these, too, or restore it`;
    this.#crossedOut = refusedAt(row, message);
  }

  /** The name in a row, if it may be a section. */
  #aloneIn(row: GridRow, why: WhyRow): Alone | undefined {
    const [column, other] = [...row.cells.keys()].filter((place) => row.cells[place] !== '');
    if (column === undefined || other !== undefined || column > (this.#person ?? column)) return undefined;
    const text = textOf(row.cells[column]);
    const isPerson = this.#person !== undefined && this.#notes.ledger.people.has(text);
    if (!this.isLooked || isPerson || !mayBeName(row.cells[column])) return undefined;
    return { row, column, text, why, style: styleOf(text, row.spans?.has(column)), isFirst: this.#isFirst };
  }

  #hold(one: Alone): void {
    const alike = this.#alone.filter(({ style, isFirst }) => style === one.style && isFirst === one.isFirst);
    const [needless] = alike.length < MAX_ALIKE ? [] : alike;
    if (needless !== undefined) this.#notes.ledger.leaveOut(needless.row, needless.why);
    this.#alone = [...this.#alone.filter((other) => other !== needless), one];
  }

  /** The shifts of a row, with the section that they are of. Throws SheetRefused. */
  of(row: GridRow, shifts: readonly GridRow[]): readonly GridRow[] {
    if (shifts.length === 0) return shifts;
    if (this.#alone.length > 0) this.#settle(row);
    if (this.#person !== undefined) this.#note(textOf(row.cells[this.#person]), row);
    this.#isFirst = false;
    if (this.#crossedOut !== undefined) throw this.#crossedOut;
    const section = this.#section?.text;
    if (section === undefined || this.#meaning === 'nothing') return shifts;
    return shifts.map((shift) => {
      if (shift.section !== undefined) throw twoAbove(section, shift.section, shift);
      return { ...shift, section };
    });
  }

  /** A row of headings above columns that share a day, and those of them that are names. */
  columns(row: GridRow, names: ReadonlyMap<number, string>): void {
    const [name] = names.values();
    const { ledger, taken } = this.#notes;
    const meaning = name === undefined ? undefined : this.ofColumns();
    if (meaning === 'nothing') ledger.leaveOut(row, 'no shifts');
    else {
      const as = row.cells.map((_, column) => (names.has(column) ? (meaning ?? 'heading') : 'heading'));
      ledger.take(
        row,
        as.map((one) => ledger.entry(one)),
      );
    }
    if (meaning === undefined || meaning === 'nothing') return;
    for (const one of names.values()) this.#cover(one);
    const heading = `columns such as ${name}`;
    if (!taken.some((known) => known.heading === heading)) taken.push({ heading, column: meaning });
  }

  /** What names above columns are; undefined: it is not told. Beside columns of groups and of locations, they are neither. */
  ofColumns(): SectionMeaning | undefined {
    const lacking = lackingIn(this.#places);
    if (lacking.length === 0) return 'nothing';
    return [...lacking, 'nothing' as const].find((one) => one === this.#meaning);
  }

  askAboutColumn(text: string, place: SheetPlace): SheetRefused {
    return whatIsAbove(text, place, this.#places, 'shifts');
  }

  /** A row of days. If its block has a name, that stands beside them. */
  block(row: GridRow, name: string): void {
    this.#settle();
    this.#crossedOut = undefined;
    this.#ofBlocksAbove = row.hasDaysOfAbove ? this.#ofBlocksAbove.union(this.#ofBlock) : new Set();
    this.#ofBlock = new Set();
    this.#cover(name);
    if (name !== '' && this.isLooked) this.#begin(name, { ...row, column: this.#person });
    this.#isFirst = name === '';
  }

  /** A group may have no shifts. */
  #cover(name: string): void {
    if (this.#meaning === 'group') cover(this.#notes.covers, undefined, name.replace(/:$/, ''));
  }

  end(): void {
    this.#settle();
  }

  /** Decides which of the names is a section, if the row is the next one with shifts. */
  #settle(next?: GridRow): void {
    const { ledger } = this.#notes;
    const one = next && this.#chosen(textOf(next.cells[this.#person ?? -1]));
    for (const other of this.#alone) if (other.row !== one?.row) ledger.leaveOut(other.row, other.why);
    this.#alone = [];
    if (one === undefined) return;
    const column = this.#person === undefined ? undefined : one.column;
    this.#begin(one.text.replace(/:$/, ''), { ...one.row, column });
    if (this.#meaning !== undefined && this.#meaning !== 'nothing') ledger.takeAs(one.row, this.#meaning);
  }

  /** Throws SheetRefused if the name may as well be a person without shifts. */
  #chosen(nameBelow: string): Alone | undefined {
    if (this.#person === undefined) return this.#alone.at(-1);
    // Names that are all in capitals are not told apart by them.
    const ones = this.#alone.flatMap((one) =>
      one.text === nameBelow ? [] : one.style === styleOf(nameBelow) ? { ...one, style: '' } : one,
    );
    const last = ones.at(-1);
    const usual = this.#style ?? 'colon';
    const sure = ones.findLast(({ style }) => style !== '' && style === usual);
    if (sure !== undefined) this.#style = usual;
    if (sure !== undefined || this.#style) return sure;
    const candidates = ones.filter(({ isFirst, style }) => isFirst || style !== '');
    const one = candidates.at(-1) ?? (this.#style === '' ? last : undefined);
    if (one === undefined) return undefined;
    const isMarked = this.#style === undefined && one.style !== '';
    const isClear = isMarked || (candidates.length === 1 && one === last);
    if (!isClear && last !== undefined && this.#meaning !== undefined)
      throw mayBeBoth(last.text, { ...last.row, column: last.column }, this.#meaning);
    this.#style ??= one.style;
    return one;
  }

  #begin(text: string, { cells: _, ...place }: GridRow): void {
    if (this.#meaning === undefined) throw whatIsAbove(text, place, this.#places, 'rows');
    if (this.#section === undefined && this.#meaning !== 'nothing')
      this.#notes.taken.push({ heading: `rows such as ${text}`, column: this.#meaning });
    this.#section = { text, place };
    this.#crossedOut = undefined;
  }

  /** With the same people, days that come again are hardly those of the block above. */
  #note(name: string, { cells: _, ...row }: GridRow): void {
    if (name === '') return;
    const { text, place } = this.#section ?? {};
    if (this.#style === '' && text === name && place && this.#meaning)
      throw mayBeBoth(text, place, this.#meaning);
    this.#notes.ledger.people.add(name);
    this.#ofBlock.add(name);
    if (!this.#ofBlocksAbove.has(name)) return;
    const message = `${quote(name)} already stands under these days: if this block is of another time, write the week or month of each block above it`;
    throw refusedAt(row, message);
  }
}

function styleOf(text: string, isMerged = false): string {
  if (text.endsWith(':')) return 'colon';
  // Two letters are initials.
  const isUpper = text.length > 2 && text === text.toUpperCase() && text !== text.toLowerCase();
  return [isUpper ? 'capitals' : '', isMerged ? 'merged' : ''].filter(Boolean).join();
}

function mayBeBoth(text: string, place: SheetPlace, meaning: SectionMeaning): SheetRefused {
  return refusedAt(
    place,
    `${quote(text)} may be the ${meaning} of the rows below it, or a row without shifts: end each ${meaning} with a colon, such as "Kitchen:"`,
  );
}

function twoAbove(section: string, ofColumn: string, place: SheetPlace): SheetRefused {
  return refusedAt(
    place,
    `this shift stands below ${quote(section)} and below ${quote(ofColumn)}, and only one of them can be its group or location: write the other one beside each name, in a column of its own`,
  );
}

function lackingIn(places: ColumnPlaces): readonly ('group' | 'location')[] {
  return (['group', 'location'] as const).filter((column) => places[column] === undefined);
}

function whatIsAbove(
  text: string,
  place: SheetPlace,
  places: ColumnPlaces,
  below: 'rows' | 'shifts',
): SheetRefused {
  const [likely = 'group', other] = lackingIn(places);
  const orOther = other === undefined ? '' : `; if it is their ${other}, --sections ${other}`;
  return new SheetRefused({
    place: placeInSheet(place),
    message: `${quote(text)} may be the ${likely} of the ${below} below it`,
    advice: `; if so, say --sections ${likely}${orOther}; if it is nothing of the kind, --sections nothing`,
    fix: byOption('sections', likely, ...(other === undefined ? [] : [other]), 'nothing'),
  });
}
