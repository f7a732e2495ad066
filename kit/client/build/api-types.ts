/** Writes `src/api.ts`, the types of the client, from the OpenAPI description of the service. */

export interface Description {
  readonly components: {
    readonly schemas: Readonly<Record<string, ObjectSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

interface ObjectSchema {
  readonly description: string;
  readonly properties: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Schema;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
}

const HEAD = `/**
 * What the API takes and gives. Made from its OpenAPI description: do not edit, "npm run client-types" writes it anew.
 */`;

/** What a listing consists of. The bodies of other answers are not for readers of shifts. */
const BODIES = ['Listing', 'Meta', 'Shift', 'Group', 'Location', 'Person'];

export function writeApiTypes({ components }: Description): string {
  const bodies = BODIES.map((name): [string, ObjectSchema] => {
    const schema = components.schemas[name];
    if (schema === undefined) throw new Error(`The description has no schema "${name}".`);
    return [name, schema];
  });
  const parameters = Object.values(components.parameters).filter(({ in: place }) => place === 'query');
  const parts = [
    HEAD,
    ...bodies.map(([name, { description, properties }]) =>
      writeInterface(name, description, Object.entries(properties), ''),
    ),
    writeInterface(
      'ShiftFilter',
      'What to list. All parts that are given apply together.',
      parameters.map(({ name, description, schema }) => [
        name,
        { ...schema, description: inCode(description) },
      ]),
      '?',
    ),
    `/** What each part of a filter takes. */\n${writeTable(
      'PARAMETERS',
      parameters.map(({ name, schema }) => `${name}: '${kindOf(schema)}',`),
    )}`,
    `/** What each member of an answer is. */\n${writeTable(
      'SHAPES',
      bodies.flatMap(([name, { properties }]) => [
        `${name}: {`,
        ...Object.entries(properties).map(([key, schema]) => `  ${key}: '${kindOf(schema)}',`),
        '},',
      ]),
    )}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function writeInterface(
  name: string,
  description: string,
  members: readonly (readonly [string, Schema])[],
  mark: '' | '?',
): string {
  const lines = members.flatMap(([key, schema]) => [
    ...(schema.description === undefined ? [] : writeComment(schema.description, '  ')),
    `  readonly ${key}${mark}: ${typeOf(schema)};`,
  ]);
  return [...writeComment(description, ''), `export interface ${name} {`, ...lines, '}'].join('\n');
}

function writeTable(name: string, lines: readonly string[]): string {
  return [`export const ${name} = {`, ...lines.map((line) => `  ${line}`), '} as const;'].join('\n');
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.items !== undefined) return `readonly ${typeOf(schema.items)}[]`;
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type;
  throw new Error(`There is no type for ${JSON.stringify(schema)}.`);
}

/** A word for the checks of the client: they need to know less than the schema says. */
function kindOf(schema: Schema): string {
  if (schema.items !== undefined) return `${kindOf(schema.items)}[]`;
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.anyOf !== undefined) return schema.anyOf.map(kindOf).join('|');
  if (schema.format === 'date') return 'date';
  if (schema.pattern?.includes(':')) return 'time';
  if (schema.type === 'string') return schema.minLength === undefined ? 'text' : 'name';
  return [schema.type ?? 'unknown'].flat()[0] ?? 'unknown';
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The description speaks of the text of a URL; a filter has arrays and booleans. */
function inCode(description: string): string {
  return description.replace(', separated by commas', '').replace(' Accepts true, false, 1 or 0.', '');
}

const LINE_CHARACTERS = 110;

function writeComment(text: string, indent: string): string[] {
  const single = `${indent}/** ${text} */`;
  if (single.length <= LINE_CHARACTERS) return [single];
  const lines: string[] = [];
  let line = `${indent} *`;
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > LINE_CHARACTERS) {
      lines.push(line);
      line = `${indent} *`;
    }
    line += ` ${word}`;
  }
  return [`${indent}/**`, ...lines, line, `${indent} */`];
}
