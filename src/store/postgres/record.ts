import { COLUMN_NAMES, COLUMNS, type RecordOf, type Table } from '../records.ts';

/** The columns of a table, or of what it is called in a query, for `recordOf`: dates as text. */
export function selectedColumns(table: Table, alias: string = table): string {
  return COLUMN_NAMES[table].map((name) => `${alias}.${name}${isDate(name) ? '::text' : ''}`).join(', ');
}

/** Big integers arrive as text; ours are all within the safe range. */
export function recordOf<T extends Table>(table: T, row: Readonly<Record<string, unknown>>): RecordOf<T> {
  const entries = Object.entries(COLUMNS[table]).map(([name, type]) => {
    const value = row[name];
    return [name, type === 'integer' && value !== null ? Number(value) : value];
  });
  return Object.fromEntries(entries);
}

export function isDate(column: string): boolean {
  return column === 'date' || column.endsWith('_date');
}
