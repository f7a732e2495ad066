/** The cells of a row → a shift that is checked by the same table as that of a JSON document. */

import { quote } from '../../quote.ts';
import type { Flaw, StagedRecord } from '../../store/records.ts';
import { type Field, RECORD_FIELDS } from '../fields.ts';
import { remembered } from '../remembered.ts';
import { type CellType, dateCell, FLAG_CELL, ID_CELL, TEXT_CELL, TIME_CELL } from './cells.ts';
import type { ColumnPlaces, Header } from './columns.ts';
import type { DateFormat } from './date-format.ts';
import type { SheetColumn, SheetRow } from './sheet.ts';

export interface RowOptions {
  readonly dateFormat: DateFormat | undefined;
  /** For rows that do not say when they are published. */
  readonly publishedFrom: string | undefined;
}

/** Makes the function that reads the rows under a header. */
export function rowReader(
  header: Header,
  options: RowOptions,
): (cells: readonly string[], line: number) => SheetRow {
  const { places, width, nameless, lacking } = header;
  const columns = plainFields(options).flatMap((field) => {
    const place = places[field.name];
    return place === undefined ? [] : { ...field, place };
  });

  return (cells, line) => {
    if (cells.length !== width && hasOtherWidth(cells, width)) return rowOfOtherWidth(cells, line, width);
    const flaws: Flaw[] = [];
    const unclear: string[] = [];
    const refuse: Refuse = (column, field, message) => {
      flaws.push({ path: [column], message });
      unclear.push(field);
    };
    if (nameless.some((i) => (cells[i] ?? '') !== '')) {
      flaws.push({ path: [], message: 'there is a cell in a column without a name' });
    }
    if (places.id !== undefined && lacking.length > 0 && !cells[places.id]) {
      refuse('id', 'id', `is empty, and without an id the row would need ${lacking.join(', ')} as well`);
    }
    const shift = readPlainCells(cells, columns, refuse);
    if (places.publish_date === undefined && options.publishedFrom !== undefined) {
      shift.publish_date = options.publishedFrom;
    }
    const names = readNames(cells, places, refuse);
    if (flaws.length > 0) shift.flawed = { flaws, unclear };
    return { line, shift: shift as StagedRecord<'shifts'>, ...names };
  };
}

/** Takes what is wrong with a cell, and which field of the shift is unknown by that. */
type Refuse = (column: SheetColumn, field: string, message: string) => void;

/** Nothing can be said of a row whose cells may be those of other columns. */
function rowOfOtherWidth(cells: readonly string[], line: number, width: number): SheetRow {
  const message = `has ${countOf(cells.length)}, but the header has ${countOf(width)}`;
  const flawed = { flaws: [{ path: [], message }], unclear: ALL_FIELDS };
  return { line, shift: { flawed }, group: undefined, location: undefined, person: undefined };
}

function readPlainCells(
  cells: readonly string[],
  columns: readonly (PlainField & { readonly place: number })[],
  refuse: Refuse,
): Record<string, unknown> {
  const shift: Record<string, unknown> = {};
  for (const { name, read, expected, place, whenEmpty } of columns) {
    const cell = cells[place] ?? '';
    if (cell === '') {
      if (whenEmpty === REQUIRED) refuse(name, name, 'is empty');
      else if (whenEmpty !== undefined) shift[name] = whenEmpty;
      continue;
    }
    const value = read(cell);
    if (value === undefined) refuse(name, name, `${quote(cell)} is not ${expected}`);
    else shift[name] = value;
  }
  return shift;
}

function readNames(
  cells: readonly string[],
  places: ColumnPlaces,
  refuse: Refuse,
): Pick<SheetRow, 'group' | 'location' | 'person'> {
  /** undefined: there is no such column, or its cell cannot be read. */
  const nameIn = (column: 'group' | 'location' | 'person', field: string): string | undefined => {
    const place = places[column];
    if (place === undefined) return undefined;
    const cell = cells[place] ?? '';
    if (cell === '' || NAME.read(cell) !== undefined) return cell;
    refuse(column, field, `${quote(cell)} is not ${NAME.expected}`);
    return undefined;
  };
  const group = nameIn('group', 'group_id');
  if (group === '') refuse('group', 'group_id', 'is empty');
  const place = nameIn('location', 'location_id');
  const address = places.address === undefined ? undefined : (cells[places.address] ?? '');
  if (address !== undefined && ADDRESS.read(address) === undefined) {
    refuse('address', 'location_id', `${quote(address)} is not ${ADDRESS.expected}`);
  } else if (place === '' && address) {
    refuse('address', 'location_id', 'an address belongs to a location, and there is none');
  }
  const person = nameIn('person', 'person_id');
  return {
    group: group || undefined,
    location: place === undefined ? undefined : place === '' ? null : { name: place, address },
    person: person === '' ? null : person,
  };
}

const NAME = RECORD_FIELDS.groups.name;
const ADDRESS = RECORD_FIELDS.locations.address;
const ALL_FIELDS = Object.keys(RECORD_FIELDS.shifts);

/** An empty cell is a problem. */
const REQUIRED = Symbol('required');

interface PlainField {
  readonly name: Exclude<SheetColumn, 'group' | 'location' | 'address' | 'person'>;
  /** undefined: the cell is not what is expected. */
  readonly read: (cell: string) => unknown;
  readonly expected: string;
  /** What an empty cell stands for; undefined for nothing said. */
  readonly whenEmpty: unknown;
}

/** The columns whose cells are values by themselves. */
function plainFields({ dateFormat, publishedFrom }: RowOptions): readonly PlainField[] {
  const date = dateCell(dateFormat);
  const of = (name: PlainField['name'], type: CellType, whenEmpty: unknown): PlainField => {
    const field: Field<unknown> = RECORD_FIELDS.shifts[name];
    const read = (cell: string) => field.read(type.read(cell));
    const hasFewValues = type !== ID_CELL && type !== TEXT_CELL;
    return {
      name,
      read: hasFewValues ? remembered(read) : read,
      expected: type.expected ?? field.expected,
      whenEmpty,
    };
  };
  return [
    of('id', ID_CELL, undefined),
    of('date', date, REQUIRED),
    of('start_time', TIME_CELL, REQUIRED),
    of('end_time', TIME_CELL, REQUIRED),
    of('end_date', date, null),
    of('publish_date', date, publishedFrom ?? REQUIRED),
    of('remarks', TEXT_CELL, ''),
    of('starred', FLAG_CELL, false),
    of('cancelled', FLAG_CELL, false),
    of('noshow', FLAG_CELL, false),
  ];
}

/** Spreadsheets may add empty cells at the end of a row. */
function hasOtherWidth(cells: readonly string[], width: number): boolean {
  return cells.length < width || cells.slice(width).some((cell) => cell !== '');
}

function countOf(cells: number): string {
  return cells === 1 ? '1 cell' : `${cells} cells`;
}
