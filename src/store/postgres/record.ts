import { COLUMN_NAMES, COLUMNS, type RecordOf, type Table } from '../records.ts';

/** The columns of a table for `recordOf`: dates as text. */
export function selectedColumns(table: Table): string {
  return COLUMN_NAMES[table].map((name) => (isDate(name) ? `${name}::text` : name)).join(', ');
}

/** Big integers arrive as text; ours are all within the safe range. */
export function recordOf<T extends Table>(table: T, row: Readonly<Record<string, unknown>>): RecordOf<T> {
  const entries = Object.entries(COLUMNS[table]).map(([name, type]) => {
    const value = row[name];
    return [name, type === 'integer' && value !== null ? Number(value) : value];
  });
  return Object.fromEntries(entries);
}

function isDate(column: string): boolean {
  return column === 'date' || column.endsWith('_date');
}
