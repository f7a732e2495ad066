import { COLUMNS, type Table } from '../records.ts';

/** The columns that `recordOf` reads, of a table or its alias in a query. Dates become text. */
export function selectedColumns(table: Table, alias: string = table): string {
  return Object.entries(COLUMNS[table])
    .map(([name, type]) => `${alias}.${name}${type === 'date' ? '::text' : ''}`)
    .join(', ');
}
