/** Turns the rows of a list into shifts, which are checked by the same table of fields as those of a JSON document. */

import { quote } from '@shiftfeed/common/quote';
import type { Flaw, StagedRecord } from '../../../store/records.ts';
import { type Field, RECORD_FIELDS } from '../../fields.ts';
import { positionOf } from '../../place.ts';
import { WITHOUT_IDS } from '../../problems.ts';
import { remembered } from '../../remembered.ts';
import { type Cell, type GridRow, isError, type TypedCell, textOf } from '../cell.ts';
import type { Columns } from '../columns.ts';
import type { SheetOptions } from '../options.ts';
import type { SheetRow } from '../report.ts';
import type { ColumnPlaces } from '../shape/headings.ts';
import type { SheetColumn, TableColumn } from '../words/headings.ts';
import { FLAG_RULE, readFlag } from '../words/words.ts';
import type { ColumnFormats, Reason } from './formats.ts';
import { EMPTY, NO_SHIFT, REQUIRED, type Refuse, type ValueColumn, valueIn, whenReader } from './when.ts';

/** Makes the function that reads the rows of a list. undefined: the row says that there is no shift. */
export function rowReader(
  columns: Columns,
  options: SheetOptions,
  formats: ColumnFormats,
): (row: GridRow) => SheetRow | undefined {
  const { places, width, lacking } = columns;
  const readWhen = whenReader(columns, options, formats);
  const blocks = watchBlocks(places);
  const plain = plainColumns(places, options, formats);
  const readNames = nameReader(places, options.group);

  return (row) => {
    const { cells } = row;
    if (cells.length > width && columns.isStrict && hasMore(cells, width)) return widerRow(row, width);
    blocks.look(cells);
    const flaws: Flaw[] = [];
    const unclear: string[] = [];
    const refuse: Refuse = (column, unknown, reason) => {
      const told = reason === EMPTY ? blocks.whyEmpty(column) : reason;
      flaws.push({ path: [column], ...(typeof told === 'string' ? { message: told } : told) });
      unclear.push(...unknown);
    };
    if (places.id !== undefined && lacking.length > 0 && !cells[places.id]) {
      refuse('id', ['id'], `is empty, and without an id the row would need ${lacking.join(', ')} as well`);
    }
    const when = readWhen(cells, refuse);
    if (when === NO_SHIFT) return undefined;
    const shift = when as Record<string, unknown>;
    for (const column of plain) {
      const value = valueIn(column, cells, refuse);
      if (value !== undefined) shift[column.name] = value;
    }
    if (places.publish_date === undefined && options.publishedFrom !== undefined) {
      shift.publish_date = options.publishedFrom;
    }
    const names = readNames(cells, refuse);
    if (flaws.length > 0) shift.flawed = { flaws, unclear };
    return { position: positionOf(row), shift: shift as StagedRecord<'shifts'>, ...names };
  };
}

/** A row with too many cells may be shifted by a column, so none of its cells is checked. */
function widerRow(row: GridRow, width: number): SheetRow {
  const message = `has ${countOf(row.cells.length)}, but the header has ${countOf(width)}`;
  const flawed = { flaws: [{ path: [], message }], unclear: ALL_FIELDS };
  return {
    position: positionOf(row),
    shift: { flawed },
    group: undefined,
    location: undefined,
    person: undefined,
  };
}

/** Reads the names of a row: group, location and person. */
function nameReader(
  places: ColumnPlaces,
  groupOfAll: string | undefined,
): (cells: readonly Cell[], refuse: Refuse) => Pick<SheetRow, 'group' | 'location' | 'person'> {
  const column = (name: TableColumn, field: string): ValueColumn<string> => ({
    name,
    place: places[name],
    fields: [field],
    read: (text, cell) => (isError(cell) || isDateOrTime(cell) ? undefined : NAME.read(text)),
    why: whyNoName,
    whenEmpty: '',
  });
  const groups = column('group', 'group_id');
  const locations = column('location', 'location_id');
  const people = column('person', 'person_id');
  const firstNames = column('first_name', 'person_id');
  const lastNames = column('last_name', 'person_id');

  return (cells, refuse) => {
    const group = groups.place === undefined ? groupOfAll : valueIn(groups, cells, refuse);
    if (group === '' && groupOfAll === undefined) refuse('group', ['group_id'], EMPTY);
    const place = valueIn(locations, cells, refuse);
    const address = places.address === undefined ? undefined : textOf(cells[places.address]);
    if (address !== undefined) checkAddress(cells[places.address ?? 0] ?? '', address, place, refuse);
    const person =
      valueIn(people, cells, refuse) ??
      joined(valueIn(firstNames, cells, refuse), valueIn(lastNames, cells, refuse));
    return {
      group: (group === '' ? groupOfAll : group) || undefined,
      location: place === undefined ? undefined : place === '' ? null : { name: place, address },
      person: person === '' ? null : person,
    };
  };
}

/** undefined: neither column is there. */
function joined(first: string | undefined, last: string | undefined): string | undefined {
  return first === undefined || last === undefined ? (first ?? last) : `${first} ${last}`.trim();
}

/** Spreadsheets turn text that looks like a date into a date. */
function isDateOrTime(cell: Cell): cell is TypedCell {
  return typeof cell !== 'string' && ['date', 'time', 'date and time'].includes(cell.type);
}

function whyNoName(text: string, cell: Cell): string {
  if (isError(cell)) return errorIn(cell);
  if (isDateOrTime(cell)) return `is a ${cell.type}, ${text}, and not a name`;
  return `${quote(text)} is not ${NAME.expected}`;
}

function checkAddress(cell: Cell, address: string, place: string | undefined, refuse: Refuse): void {
  if (isError(cell)) {
    refuse('address', ['location_id'], errorIn(cell));
  } else if (ADDRESS.read(address) === undefined) {
    refuse('address', ['location_id'], `${quote(address)} is not ${ADDRESS.expected}`);
  } else if (place === '' && address) {
    refuse('address', ['location_id'], 'an address belongs to a location, and there is none');
  }
}

function errorIn(cell: Cell): string {
  return `${quote(textOf(cell))} is an error of the spreadsheet: mend the formula, or empty the cell`;
}

const NAME = RECORD_FIELDS.groups.name;
const ADDRESS = RECORD_FIELDS.locations.address;
const ALL_FIELDS = Object.keys(RECORD_FIELDS.shifts);

type PlainColumn = Extract<
  SheetColumn,
  'id' | 'publish_date' | 'remarks' | 'starred' | 'cancelled' | 'noshow'
>;

/** The columns in which each cell is a field of the shift. */
function plainColumns(
  places: ColumnPlaces,
  { publishedFrom }: SheetOptions,
  formats: ColumnFormats,
): readonly ValueColumn<unknown>[] {
  const of = (
    name: PlainColumn,
    readText: (text: string) => unknown,
    whenEmpty: unknown,
    whyNot?: (text: string) => string | Reason | undefined,
  ): ValueColumn<unknown> => {
    const field: Field<unknown> = RECORD_FIELDS.shifts[name];
    const read = (text: string) => field.read(readText(text));
    return {
      name,
      place: places[name],
      fields: [name],
      read: (text, cell) => (isError(cell) ? undefined : read(text)),
      why(text, cell) {
        if (isError(cell) && read(text) !== undefined) return errorIn(cell);
        return whyNot?.(text) ?? `${quote(text)} is not ${field.expected}`;
      },
      whenEmpty,
    };
  };
  const flag = (name: PlainColumn) =>
    of(name, remembered(readFlag), false, (text) => `${quote(text)} is not ${FLAG_RULE}`);
  return [
    of('id', (text) => (/^\d{1,16}$/.test(text) ? Number(text) : undefined), undefined, whyNoId),
    of(
      'publish_date',
      remembered(publishDate(formats, publishedFrom)),
      publishedFrom ?? REQUIRED,
      (text) => whyNotPublished(text) ?? formats.whyNoDate(text),
    ),
    of('remarks', (text) => text, ''),
    flag('starred'),
    flag('cancelled'),
    flag('noshow'),
  ].filter(({ place }) => place !== undefined);
}

/** Spreadsheets show long numbers as `5.0E+14`, and a CSV gets what they show. Other programs write `544835500965149.0`. */
function whyNoId(text: string): string | undefined {
  if (/^\d{1,30}[.,]0{1,30}$/.test(text))
    return `${quote(text)} has decimals: format the column as a number without decimals; or ${WITHOUT_IDS}`;
  if (!/^\d[\d.,]{0,30}E\+\d{1,3}$/i.test(text)) return undefined;
  return `${quote(text)} was cut short by the spreadsheet: format the column as a number without decimals; or ${WITHOUT_IDS}`;
}

/** Some programs say only that a shift is published, and not since when. */
function publishDate(
  formats: ColumnFormats,
  publishedFrom: string | undefined,
): (text: string) => string | undefined {
  const read = dateAtMidnight(formats.date('publish_date'));
  return (text) => read(text) ?? (readFlag(text) ? publishedFrom : undefined);
}

function whyNotPublished(text: string): string | Reason | undefined {
  switch (readFlag(text)) {
    case true:
      return {
        message: `${quote(text)} does not tell from when on: give the date for such rows with --published-from`,
        fix: ['--published-from', 'today'],
      };
    case false:
      return `${quote(text)} says that the shift is not published: leave such rows out of the sheet, or give the date from which on they are`;
    default:
      return undefined;
  }
}

/** Some spreadsheets write a date together with the time 00:00. */
function dateAtMidnight(read: (text: string) => string | undefined): (text: string) => string | undefined {
  return (text) => read(text) ?? read(text.replace(/[ T]0?0:00(?::00(?:\.0{1,9})?)?$/, ''));
}

function hasMore(cells: readonly Cell[], width: number): boolean {
  return cells.slice(width).some((cell) => cell !== '');
}

function countOf(cells: number): string {
  return cells === 1 ? '1 cell' : `${cells} cells`;
}

/**
 * Watches columns that may be filled only in the first row of each block. If equal cells follow each other, the column
 * repeats its values, so an empty cell is a mistake and not a repetition.
 */
function watchBlocks(places: ColumnPlaces) {
  const columns = (['date', 'group'] as const).flatMap((name) => {
    const place = places[name];
    return place === undefined ? [] : { name, place, last: '', repeats: false };
  });
  return {
    look(cells: readonly Cell[]): void {
      for (const column of columns) {
        const text = textOf(cells[column.place]);
        if (text === '') continue;
        column.repeats ||= text === column.last;
        column.last = text;
      }
    },
    /** The message for an empty cell. */
    whyEmpty(name: TableColumn): string | Reason {
      const column = columns.find((one) => one.name === name);
      if (column === undefined || column.repeats || column.last === '') return EMPTY;
      return {
        message: `${EMPTY}; if it is as the one above, say --fill-down ${name}`,
        fix: ['--fill-down', name],
      };
    },
  };
}
