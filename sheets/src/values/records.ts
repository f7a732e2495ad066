/** Turns the rows of a list into shifts, which are checked by the same table of fields as those of a JSON document. */

import { memoize } from '@shiftfeed/common/memoize';
import { count, quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type Cell, type GridRow, isError, textOf, whyError } from '../cell.ts';
import type { Columns, ListColumns } from '../columns.ts';
import { type Flaw, naming, orWithoutIds, positionOf, type Reason } from '../problem.ts';
import { cover, type Notes, noteCell, type SheetRow, type SheetShift } from '../report.ts';
import type { ColumnPlaces } from '../shape/heading-row.ts';
import type { PlainField, SheetFields, SheetOptions } from '../sheet-options.ts';
import type { TableColumn } from '../words/headings.ts';
import { FLAG_RULE, readFlag } from '../words/words.ts';
import type { ColumnFormats } from './formats.ts';
import { nameReader } from './row-names.ts';
import { statusReader } from './row-status.ts';
import { EMPTY, REQUIRED, type Refuse, type ValueColumn, valueIn } from './value-column.ts';
import { NoShift, whenReader } from './when.ts';

/** Makes the function that reads the rows of a list. undefined: the row says that there is no shift. */
export function rowReader(
  columns: Columns,
  options: SheetOptions,
  formats: ColumnFormats,
  report: Notes,
  fields: SheetFields,
): (row: GridRow) => SheetRow | undefined {
  const { places, width, lacking } = columns;
  const readWhen = whenReader(columns, options, formats);
  const blocks = watchBlocks(columns);
  const plain = plainColumns(places, options, formats, fields);
  const readStatus = statusReader(columns, options, formats.statuses);
  const list = columns.kind === 'list' ? columns : undefined;
  const beside = list ? besideValues(list) : [];
  const readNames = nameReader(columns, options, formats.haveNamesCommas, report, fields);

  return (row) => {
    const { cells } = row;
    if (list?.isText && cells.length > width && hasMore(cells, width))
      return widerRow(row, width, Object.keys(fields.shifts));
    blocks.look(row);
    const flaws: Flaw[] = [];
    const unclear: string[] = [];
    const refuse: Refuse = (column, unknown, reason) => {
      const told = reason === EMPTY ? blocks.whyEmpty(column) : reason;
      flaws.push({ path: [column], ...(typeof told === 'string' ? { message: told } : told) });
      unclear.push(...unknown);
    };
    if (places.id !== undefined && lacking.length > 0 && !cells[places.id]) {
      const wouldNeed = (nameOf: (column: string) => string) =>
        `is empty, and without an id the row would need ${lacking.map(nameOf).join(', ')} as well`;
      refuse('id', ['id'], naming(wouldNeed));
    }
    for (const { place, heading } of beside) {
      const cell = cells[place];
      if (cell && isError(cell)) flaws.push({ path: [heading], message: whyError(cell) });
    }
    let isAsked = flaws.length > 0;
    const status = readStatus?.(cells, (heading, reason) => {
      isAsked = true;
      flaws.push({ path: [heading], ...reason });
    });
    const when = readWhen(cells, refuse, status?.meaning === 'none');
    const isNone = when instanceof NoShift;
    // Each question is asked once, so it must not be lost with its row.
    if (isNone && !isAsked) {
      cover(report.covers, when.date, textOf(cells[places.group ?? -1]));
      noteCell(report.noShifts, status?.word || textOf(cells[places.start_time ?? places.times ?? -1]));
      return undefined;
    }
    const shift: Record<string, unknown> = isNone ? {} : { ...when };
    if (status !== undefined && (formats.statuses.size > 0 || status.meaning !== 'shift')) {
      shift.cancelled = status.meaning === 'cancelled';
      shift.noshow = status.meaning === 'noshow';
    }
    for (const column of plain) {
      const value = valueIn(column, cells, refuse);
      if (value !== undefined) shift[column.name] = shift[column.name] === true || value;
    }
    if (places.publish_date === undefined && options.publishedFrom !== undefined) {
      shift.publish_date = options.publishedFrom;
    }
    const names = readNames(row, refuse);
    cover(report.covers, when.date, names.group);
    if (flaws.length > 0) shift.flawed = { flaws, unclear };
    return { position: positionOf(row), shift: shift as SheetShift, ...names };
  };
}

/** The columns of a workbook that are only compared with others. Those of values tell themselves what cannot be read. */
function besideValues({ became, places, headings, isText }: ListColumns) {
  const values = new Set(Object.values(places));
  if (isText) return [];
  return became.flatMap((as, place) =>
    as === undefined || values.has(place) ? [] : { place, heading: headings[place] ?? '' },
  );
}

/** A row with too many cells may be shifted by a column, so none of its cells is checked. */
function widerRow(row: GridRow, width: number, unclear: readonly string[]): SheetRow {
  const message = `has ${count(row.cells.length, 'cell', 'cells')}, but the header has ${count(width, 'cell', 'cells')}`;
  const flawed = { flaws: [{ path: [], message }], unclear };
  return {
    position: positionOf(row),
    shift: { flawed },
    group: undefined,
    location: undefined,
    person: undefined,
  };
}

/** The columns in which each cell is a field of the shift. */
function plainColumns(
  places: ColumnPlaces,
  { publishedFrom }: SheetOptions,
  formats: ColumnFormats,
  fields: SheetFields,
): readonly ValueColumn<unknown>[] {
  const of = (
    name: PlainField,
    readText: (text: string) => unknown,
    whenEmpty: unknown,
    whyNot?: (text: string) => string | Reason | undefined,
  ): ValueColumn<unknown> => {
    const field = fields.shifts[name];
    const read = (text: string) => field.read(readText(text));
    return {
      name,
      place: places[name],
      fields: [name],
      read,
      why: (text) => whyNot?.(text) ?? `${quote(text)} is not ${field.expected}`,
      whenEmpty,
    };
  };
  const flag = (name: PlainField) =>
    of(name, memoize(readFlag), false, (text) => `${quote(text)} is not ${FLAG_RULE}`);
  return [
    of('id', (text) => (/^\d{1,16}$/.test(text) ? Number(text) : undefined), undefined, whyNoId),
    of(
      'publish_date',
      memoize(publishDate(formats, publishedFrom)),
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
function whyNoId(text: string): Reason | undefined {
  if (/^\d{1,30}[.,]0{1,30}$/.test(text))
    return orWithoutIds(`${quote(text)} has decimals: format the column as a number without decimals; or`);
  if (!/^\d[\d.,]{0,30}E\+\d{1,3}$/i.test(text)) return undefined;
  return orWithoutIds(
    `${quote(text)} was cut short by the spreadsheet: format the column as a number without decimals; or`,
  );
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
        message: `${quote(text)} does not tell from when on`,
        advice: ': give the date for such rows with --published-from',
        fix: byOption('published-from', 'today'),
      };
    case false:
      return `${quote(text)} says that the shift is not published: leave such rows out of the sheet, or give the date from which on they are`;
    default:
      return undefined;
  }
}

/** Some spreadsheets write a date together with the time 00:00. */
function dateAtMidnight(read: (text: string) => string | undefined): (text: string) => string | undefined {
  return (text) => read(text) ?? read(text.replace(/[ T]0?0:00(?::00(?:\.0{1,9})?)?Z?$/, ''));
}

function hasMore(cells: readonly Cell[], width: number): boolean {
  return cells.slice(width).some((cell) => cell !== '');
}

/**
 * Watches columns that may be filled only in the first row of each block. If equal cells follow each other, the column
 * repeats its values, so an empty cell is a mistake and not a repetition.
 */
function watchBlocks({ places, kind }: Columns) {
  // The dates of a roster are its headings.
  const names = kind === 'list' ? (['date', 'group'] as const) : (['group'] as const);
  const columns = names.flatMap((name) => {
    const place = places[name];
    return place === undefined ? [] : { name, place, last: '', repeats: false };
  });
  let line = 0;
  return {
    look({ cells, line: next }: GridRow): void {
      // Several shifts of a row have the same cells.
      if (next === line) return;
      line = next;
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
        message: EMPTY,
        advice: `; if it is as the one above, say --fill-down ${name}`,
        fix: byOption('fill-down', name),
      };
    },
  };
}
