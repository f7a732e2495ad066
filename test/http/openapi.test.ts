import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { FIRST_YEAR, LAST_YEAR } from '@shiftfeed/common/days';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import description from '../../docs/openapi.json' with { type: 'json' };
import { expectation, PARAMETERS, type ParameterType } from '../../src/http/listing/parameters.ts';
import { parseQuery } from '../../src/http/listing/query.ts';
import { PROBLEMS, type Problem } from '../../src/http/protocol/problems.ts';
import { MAX_PER_PAGE } from '../../src/listing/filter.ts';
import { encodeShift } from '../../src/listing/shift.ts';
import { SLUG } from '../../src/store/account.ts';
import { anyCase } from '../listing/arbitraries.ts';
import { anyCharacter } from '../support/any-character.ts';
import { assertMatches, listingContents } from '../support/description.ts';
import { startService } from '../support/service.ts';

const NOW = '2026-11-15T12:00:00Z';
const service = await startService({ after }, { now: NOW });
const { components } = description;
const listing = description.paths['/{account}/api/v1/shifts'];

test('docs/openapi.json is served as it is, compressed, with a tag and to HEAD as well', async () => {
  const response = await service.fetch('/openapi.json');
  assert.equal(await response.text(), JSON.stringify(description));
  const headers = { 'accept-encoding': 'identity' };
  const plain = await service.fetch('/openapi.json', { headers });
  const etag = plain.headers.get('etag') ?? '';
  assert.notEqual(etag, response.headers.get('etag'));
  const again = await service.fetch('/openapi.json', { headers: { ...headers, 'if-none-match': etag } });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get('etag'), etag);
  const head = await service.fetch('/openapi.json', { method: 'HEAD', headers });
  assert.equal(head.headers.get('content-length'), plain.headers.get('content-length'));
  const refused = await service.fetch('/openapi.json', { headers: { 'accept-encoding': '*;q=0' } });
  assert.equal(refused.status, 406);
});

test('docs/openapi.json has no key twice, and is indented as JSON.stringify does it', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8');
  assert.equal(text, `${JSON.stringify(description, null, 2)}\n`);
});

test('the description says where the service is reached', async (context) => {
  const baseUrl = 'https://shifts.example.org';
  const other = await startService(context, { now: NOW, app: { baseUrl } });
  const served = await (await other.fetch('/openapi.json')).json();
  assert.deepEqual(served, { ...description, servers: [{ url: baseUrl }] });
});

test('the description has nothing that a linter would object to, and the linter can object', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const lint = async (linted: object) => {
    const problems = await lintFromString({ source: JSON.stringify(linted), config });
    return problems.map(({ ruleId, severity, message }) => `${severity} ${ruleId}: ${message}`);
  };
  assert.deepEqual(await lint(description), []);
  const { license: _, ...info } = description.info;
  assert.match((await lint({ ...description, info })).join(), /info-license/);
});

test('the schemas follow the rules of JSON Schema', () => {
  const ajv = new Ajv2020();
  const { schemas, headers } = components;
  for (const schema of [...Object.values(schemas), ...Object.values(headers).map((one) => one.schema)])
    assert.ok(ajv.validateSchema(schema), ajv.errorsText());
  assert.equal(ajv.validateSchema({ type: 'nothing' }), false);
});

test('the bodies have every property that is described, so a property that the service does not write is noticed', () => {
  for (const [name, { required, properties }] of Object.entries(components.schemas))
    assert.deepEqual(required, Object.keys(properties), name);
});

test('the limits of the service are those of the description', () => {
  const { Listing, Meta, Shift } = components.schemas;
  assert.equal(Listing.properties.shifts.maxItems, MAX_PER_PAGE);
  assert.equal(Meta.properties.per_page.maximum, MAX_PER_PAGE);
  assert.match(
    Shift.properties.date.description,
    new RegExp(`From ${FIRST_YEAR}-01-01 to ${LAST_YEAR}-12-31`),
  );
  assert.equal(components.parameters.account.schema.pattern, SLUG.source);
});

interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: { readonly examples: readonly unknown[] };
}

const described = Object.values<DescribedParameter>(components.parameters);

test('the parameters of the parser are described, in its order, and the listing takes all that are described', () => {
  const names = described.filter(({ in: place }) => place === 'query').map(({ name }) => name);
  assert.deepEqual(names, Object.keys(PARAMETERS));
  const all = Object.keys(components.parameters).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  assert.deepEqual(listing.get.parameters, all);
  assert.deepEqual(listing.head.parameters, all);
});

for (const [name, type] of Object.entries<ParameterType>(PARAMETERS)) {
  test(`${name} is described with its range and its default`, () => {
    const parameter = described.find((one) => one.name === name);
    assert.ok(parameter);
    assert.ok(parameter.description.endsWith(` Accepts ${expectation(type)}.`), parameter.description);
    // Lists are written with commas.
    const isList = type.kind === 'integers';
    assert.equal(parameter.style, isList ? 'form' : undefined);
    assert.equal(parameter.explode, isList ? false : undefined);
    const { examples, ...schema } = parameter.schema;
    assert.equal(examples.length, 1);
    assert.deepEqual(schema, schemaOf(type));
  });
}

function schemaOf(type: ParameterType): object {
  switch (type.kind) {
    case 'integers':
      return { type: 'array', items: { type: 'integer', minimum: type.min, maximum: type.max }, minItems: 1 };
    case 'integer':
      return { type: 'integer', minimum: type.min, maximum: type.max, default: type.default };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'boolean':
      return { type: ['boolean', 'integer'], enum: [true, false, 1, 0], default: type.default };
  }
}

test('a client that checks what it sends may write published as the parser reads it, and in no other way', () => {
  const isDescribed = new Ajv2020({ allowUnionTypes: true }).compile(components.parameters.published.schema);
  for (const value of [true, false, 1, 0]) {
    assert.doesNotThrow(() => parseQuery(`published=${value}`));
    assert.ok(isDescribed(value), String(value));
  }
  for (const value of [2, 'true', null]) {
    assert.ok(!isDescribed(value), String(value));
  }
});

test('every status that an error of the service has is described on the listing, with a sentence that the service says', () => {
  const problems: readonly Problem[] = Object.values(PROBLEMS);
  for (const { status } of problems) assert.ok(Object.hasOwn(listing.get.responses, status), String(status));
  const told = listingContents().flatMap(({ status, json }) =>
    json?.example === undefined ? [] : [{ status, message: json.example.error }],
  );
  assert.equal(told.length, 6);
  for (const { status, message } of told) {
    const isSaid = problems.some((problem) => problem.status === status && problem.message === message);
    assert.ok(isSaid, message);
  }
});

test('whatever a shift holds, it is written as the schema says', () => {
  const anyTexts = fc.record({
    groupName: fc.string({ minLength: 1, unit: anyCharacter }),
    remarks: fc.string(),
  });
  fc.assert(
    fc.property(anyCase, anyTexts, ({ shifts }, texts) => {
      for (const shift of shifts) assertMatches('Shift', JSON.parse(encodeShift({ ...shift, ...texts })));
    }),
  );
});
