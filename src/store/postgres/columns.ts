import { COLUMNS, type Table } from '../records.ts';

/** The columns of a table, or of what it is called in a query, for `recordOf`: dates as text. */
export function selectedColumns(table: Table, alias: string = table): string {
  return Object.entries(COLUMNS[table])
    .map(([name, type]) => `${alias}.${name}${type === 'date' ? '::text' : ''}`)
    .join(', ');
}
