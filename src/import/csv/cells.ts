/** The cells of a sheet → values as an import document has them. What a cell may not say becomes undefined. */

import type { DateFormat } from './date-format.ts';

export interface CellType {
  /** What it takes, as the end of a sentence. Those of JSON are told by the field itself. */
  readonly expected?: string;
  /** The cell is neither empty nor surrounded by spaces. */
  read(cell: string): unknown;
}

export const ID_CELL: CellType = {
  read: (cell) => (/^\d{1,16}$/.test(cell) ? Number(cell) : undefined),
};

export const TEXT_CELL: CellType = { read: (cell) => cell };

export const FLAG_CELL: CellType = {
  expected: 'yes or no, true or false, 1 or 0, x or empty',
  read: (cell) => FLAGS[cell.toLowerCase()],
};

const FLAGS: Readonly<Record<string, boolean>> = {
  yes: true,
  no: false,
  true: true,
  false: false,
  1: true,
  0: false,
  x: true,
};

export const TIME_CELL: CellType = {
  expected: 'a time from 00:00 to 23:59, such as 09:00, 9:00, 09:00:00 or 9:00 AM',
  read: (cell) => (/^\d\d:\d\d$/.test(cell) ? cell : spreadsheetTime(cell)),
};

/**
 * Seconds are left out when there are none: shifts begin and end on whole minutes. Some programs write a narrow space
 * before AM.
 */
function spreadsheetTime(cell: string): string | undefined {
  const parts = /^(\d{1,2}):(\d\d)(?::00)?(?:\s?([ap])m)?$/i.exec(cell);
  if (parts === null) return undefined;
  const [, hourText = '', minute = '', half] = parts;
  let hour = Number(hourText);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  return `${String(hour).padStart(2, '0')}:${minute}`;
}

const ISO_DATE = /^\d{4}-\d\d-\d\d$/;
/** Some spreadsheets write a date with a time of day, which is midnight. */
const MIDNIGHT = /^(\d{4}-\d\d-\d\d)[ T]00:00(?::00(?:\.0+)?)?$/;

export function dateCell(format: DateFormat | undefined): CellType {
  return {
    expected:
      format === undefined
        ? 'a date YYYY-MM-DD; if dates are written otherwise, say how, such as --date-format DD-MM-YYYY'
        : `a date ${format.name} or YYYY-MM-DD from 1000-01-01 to 9999-12-31`,
    read: (cell) => (ISO_DATE.test(cell) ? cell : (MIDNIGHT.exec(cell)?.[1] ?? format?.read(cell))),
  };
}
