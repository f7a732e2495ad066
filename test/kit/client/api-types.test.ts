import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import description from '../../../docs/openapi.json' with { type: 'json' };
import { PARAMETERS, SHAPES } from '../../../kit/client/src/api.ts';

interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Schema;
}

const schemas: Readonly<Record<string, Schema>> = description.components.schemas;
const parameters = Object.values<Parameter>(description.components.parameters).filter(
  ({ in: place }) => place === 'query',
);

test('the client knows of listings and filters what the description of the API says', () => {
  const kinds = Object.keys(SHAPES).map((name) => {
    const properties = Object.entries(schemas[name]?.properties ?? {});
    return [name, Object.fromEntries(properties.map(([key, schema]) => [key, kindOf(schema)]))];
  });
  assert.deepEqual(SHAPES, Object.fromEntries(kinds));
  assert.deepEqual(
    PARAMETERS,
    Object.fromEntries(parameters.map(({ name, schema }) => [name, kindOf(schema)])),
  );
});

test('the types of the client have the sentences of the description of the API', () => {
  const source = new URL('../../../kit/client/src/api.ts', import.meta.url);
  const text = readFileSync(source, 'utf8').replace(/\n *\* /g, ' ');
  const sentences = Object.keys(SHAPES).flatMap((name) => {
    const schema = schemas[name];
    return [schema, ...Object.values(schema?.properties ?? {})].map((one) => one?.description ?? '');
  });
  // The description speaks of the text of a URL; a filter has arrays and booleans.
  const filters = parameters.map((parameter) =>
    parameter.description.replace(', separated by commas', '').replace(' Accepts true, false, 1 or 0.', ''),
  );
  for (const sentence of [...sentences, ...filters]) assert.ok(text.includes(sentence), sentence);
});

/** A word for the checks of the client: they need to know less than the schema says. */
function kindOf(schema: Schema): string {
  if (schema.items !== undefined) return `${kindOf(schema.items)}[]`;
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.anyOf !== undefined) return schema.anyOf.map(kindOf).join('|');
  if (schema.format === 'date') return 'date';
  if (schema.pattern?.includes(':')) return 'time';
  if (schema.type === 'string') return schema.minLength === undefined ? 'text' : 'name';
  return [schema.type ?? 'unknown'].flat()[0] ?? 'unknown';
}
