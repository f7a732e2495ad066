/** The JSON Schema of the import document, for editors. It is made from the same table as the check. */

import { TABLES } from '../store/records.ts';
import { ACCOUNT_FIELDS, type Fields, RECORD_FIELDS } from './fields.ts';

/** Draft 7, because that is what editors know best. */
export function describeDocument(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A document for "shiftfeed import"',
    type: 'object',
    properties: {
      $schema: { description: 'Where this schema is, for editors. Ignored by the import.' },
      account: objectOf(ACCOUNT_FIELDS, 'slug', 'The account that the document is for.'),
      ...Object.fromEntries(
        TABLES.map((table) => [
          table,
          {
            type: ['array', 'null'],
            items: objectOf(RECORD_FIELDS[table], 'id', 'A field that is left out keeps its value.'),
          },
        ]),
      ),
    },
    required: ['account'],
    additionalProperties: false,
  };
}

function objectOf(fields: Fields, required: string, description: string): object {
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        { description: field.description, ...field.schema },
      ]),
    ),
    required: [required],
    additionalProperties: false,
  };
}
