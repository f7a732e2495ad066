/** The JSON Schema of the document accepts what an import accepts, so that an editor finds what an import would. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { ACCOUNT_FIELDS, type Fields, RECORD_FIELDS } from '../../src/import/fields.ts';
import { anyGrapheme } from '../support/any-character.ts';
import { often } from '../support/strength.ts';
import { problemsOfText, readBack } from './reading.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const RUNS = often(200, 6_000);

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
addFormats.default(ajv, ['date']);
const isValid = ajv.compile(describeDocument());

test('docs/import.schema.json is the schema; when that changes on purpose, "npm run import-schema" writes it anew', (context) => {
  context.assert.fileSnapshot(describeDocument(), join(DOCS, 'import.schema.json'), {
    serializers: [(schema: unknown) => `${JSON.stringify(schema, null, 2)}\n`],
  });
});

test('the import document of the manual is valid', () => {
  const block = /`plan\.json`:\n\n```json\n([\s\S]+?)```/.exec(
    readFileSync(join(DOCS, 'importing.md'), 'utf8'),
  )?.[1];
  assert.ok(isValid(JSON.parse(block ?? '')), ajv.errorsText(isValid.errors));
});

test('each field takes the same values by the schema and by an import, as they are, and says what it expects', async () => {
  const kinds: [place: string, fields: Fields, documentWith: (field: object) => object][] = [
    ['account', ACCOUNT_FIELDS, (field) => ({ account: { slug: 'acme', ...field } })],
  ];
  for (const [table, fields] of Object.entries(RECORD_FIELDS)) {
    const documentWith = (field: object) => ({ account: { slug: 'acme' }, [table]: [{ id: 1, ...field }] });
    kinds.push([`${table}[0]`, fields, documentWith]);
  }
  for (const [place, fields, documentWith] of kinds) {
    for (const name of Object.keys(fields)) {
      const outcomes = new Set<boolean>();
      for (const value of valuesOf(name)) {
        const document = documentWith({ [name]: value });
        const shown = `${place} ${name} ${JSON.stringify(value).slice(0, 60)}`;
        const [problem, ...others] = await problemsOfText(JSON.stringify(document));
        outcomes.add(problem === undefined);
        assert.equal(isValid(document), problem === undefined, shown);
        if (problem === undefined) {
          const taken = documentWith({ [name]: value ?? NULLS[name] ?? null });
          assert.partialDeepStrictEqual(await readBack(document), taken, shown);
        } else {
          assert.deepEqual([problem.place, others], [`${place}.${name}`, []], shown);
          assert.ok(problem.message.endsWith(` is not ${EXPECTED[name]}`), `${shown}: ${problem.message}`);
        }
      }
      assert.equal(outcomes.size, 2, `${place} ${name} was both taken and refused`);
    }
  }
});

test('random documents are valid if and only if an import takes them', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(anyDocument(), async (document) => {
      const isTaken = await isAccepted(document);
      if (isTaken) accepted++;
      assert.equal(isValid(document), isTaken, ajv.errorsText(isValid.errors));
    }),
    { numRuns: RUNS },
  );
  assert.ok(accepted > RUNS / 10 && accepted < RUNS - RUNS / 10, `${accepted} of ${RUNS} were accepted`);
});

/** What null stands for, where it does not stand for itself. */
const NULLS: Readonly<Record<string, string>> = { address: '', remarks: '' };

const ID = 'a whole number from 1 to 9007199254740991';
const DATE = 'a date YYYY-MM-DD from 1000-01-01 to 9999-12-31';
const TIME = 'a time HH:MM from 00:00 to 23:59';
const FLAG = 'true or false';
const EXPECTED: Readonly<Record<string, string>> = {
  slug: '1 to 63 lower-case letters, digits and hyphens, starting with a letter or digit',
  time_zone: 'an IANA time zone such as Europe/Amsterdam',
  sort: '"time" or "group"',
  name: 'a text of 1 to 200 characters without control characters',
  address: 'a text of at most 1000 characters without control characters',
  remarks: 'a text of at most 10000 characters without control characters',
  ...{ id: ID, group_id: ID, location_id: ID, person_id: ID },
  ...{ date: DATE, end_date: DATE, publish_date: DATE, start_time: TIME, end_time: TIME },
  ...{ premium: FLAG, active: FLAG, private: FLAG, starred: FLAG, cancelled: FLAG, noshow: FLAG },
};

/** A schema cannot say which time zones there are, nor that half of a character is none. */
function valuesOf(name: string): readonly unknown[] {
  if (name !== 'time_zone') return VALUES;
  const zones = ['UTC', 'Europe/Amsterdam', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata'];
  return [null, true, 1, [], {}, '', '+01:00', '-05', '2026-12-01', ...zones];
}

const VALUES: readonly unknown[] = [
  ...[null, true, false, 'true', [], {}, [1]],
  ...[0, 1, 2, -1, 1.5, -1.5, 1e3, 2 ** 53 - 1, 2 ** 53, 1e300, 900, 20260101, '1'],
  ...['2026-12-01', '2024-02-29', '2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '1900-02-29'],
  ...['1000-01-01', '0999-12-31', '9999-12-31', '10000-01-01', '2026-1-1', '2026-12-01\n', ' 2026-12-01'],
  ...['2026-01-01T00:00', '2026-12-01T12:00:00Z'],
  ...['00:00', '09:05', '23:59', '24:00', '9:00', '09:60', '09:00:00', '09:00\n', '１２:00'],
  ...['UTC', 'Europe/Amsterdam', '+01:00', '-05', 'time', 'group', 'Group', 'date'],
  ...['', ' ', 'acme', '0', 'a-', 'acme-2', '-acme', 'a b', 'a/b', 'café', 'a_b', 'Acme', 'acme\n'],
  ...[63, 64, 200, 201, 1_000, 1_001, 10_000, 10_001].map((count) => 'x'.repeat(count)),
  ...[200, 201, 1_000, 1_001, 10_000, 10_001].map((count) => '😀'.repeat(count)),
  ...['tab\tand\r\nbreak', '\u00a0', '👩‍🍳 Zoë'],
  ...['\u0000', '\u001b[31m', 'bell\u0007', 'c1\u0085', '\u007f', '\f'],
];

async function isAccepted(document: unknown): Promise<boolean> {
  return (await problemsOfText(JSON.stringify(document))).length === 0;
}

/** Mostly good documents, so that each way to be bad is met by itself. */
function anyDocument(): fc.Arbitrary<unknown> {
  const lists = Object.entries(RECORD_FIELDS).map(([table, fields]) => {
    const list = fc.array(usually(anyObject(fields, 'id'), anyJson()), { maxLength: 2 });
    return [table, usually(fc.option(list), anyJson())] as const;
  });
  const account = usually(anyObject(ACCOUNT_FIELDS, 'slug'), anyJson());
  const members = { $schema: anyJson(), account, ...Object.fromEntries(lists) };
  return usually(withStrayKeys(members, 'account'), anyJson());
}

function anyObject(fields: Fields, required: string): fc.Arbitrary<unknown> {
  const members = Object.entries(fields).map(([name, { read }]) => {
    const good = valuesOf(name).filter((value) => read(value) !== undefined);
    return [name, usually(fc.constantFrom(...good), fc.constantFrom(...valuesOf(name)))] as const;
  });
  return withStrayKeys(Object.fromEntries(members), required);
}

/** Some of these members, hardly ever without the one that is required or with one that nobody knows. */
function withStrayKeys(
  members: Record<string, fc.Arbitrary<unknown>>,
  required: string,
): fc.Arbitrary<unknown> {
  const strayKey = fc.constantFrom('colour', 'Id', 'account', 'constructor', 'shifts', '');
  return fc
    .tuple(
      fc.record(members, { requiredKeys: [required] }),
      usually(fc.constant({}), fc.record({ [required]: fc.constant(undefined) })),
      usually(
        fc.constant({}),
        strayKey.map((key) => ({ [key]: null })),
      ),
    )
    .map((parts) => JSON.parse(JSON.stringify(Object.assign({}, ...parts))));
}

function anyJson(): fc.Arbitrary<unknown> {
  return fc.jsonValue({ maxDepth: 1, stringUnit: anyGrapheme });
}

function usually<T, U>(most: fc.Arbitrary<T>, some: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 40, arbitrary: most }, { weight: 1, arbitrary: some });
}

/** The JSON Schema of the import document, for editors: draft 7, which they know best. */
function describeDocument(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A document for "shiftfeed import"',
    type: 'object',
    properties: {
      $schema: { description: 'Where this schema is, for editors. Ignored by the import.' },
      account: objectOf(ACCOUNT_FIELDS, 'slug', 'The account that the document is for.'),
      ...Object.fromEntries(
        Object.entries(RECORD_FIELDS).map(([table, fields]) => [
          table,
          {
            type: ['array', 'null'],
            items: objectOf(fields, 'id', 'A field that is left out keeps its value.'),
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
