import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { PARAMETERS } from '../../src/http/listing/parameters.ts';
import { parseQuery } from '../../src/http/listing/query.ts';
import { describeApi } from '../../src/http/openapi/description.ts';
import { PROBLEMS } from '../../src/http/protocol/problems.ts';
import { encodeShift } from '../../src/listing/shift.ts';
import { anyCase } from '../listing/arbitraries.ts';
import { anyCharacter } from '../support/any-character.ts';
import { assertMatches } from '../support/description.ts';
import { startService } from '../support/service.ts';

const NOW = '2026-11-15T12:00:00Z';
const service = await startService({ after }, { now: NOW });
const GOLDEN = join(import.meta.dirname, '../../docs/openapi.json');

test('the description is served as it is, compressed, with a tag and to HEAD as well', async () => {
  const response = await service.fetch('/openapi.json');
  assert.deepEqual(await response.json(), JSON.parse(JSON.stringify(describeApi(''))));
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

test('the description says where the service is reached', async (context) => {
  const baseUrl = 'https://shifts.example.org';
  const other = await startService(context, { now: NOW, app: { baseUrl } });
  const { servers } = (await (await other.fetch('/openapi.json')).json()) as { servers: unknown };
  assert.deepEqual(servers, [{ url: baseUrl }]);
  assert.deepEqual(describeApi('').servers, [{ url: '/' }]);
});

test('docs/openapi.json is the description; when that changes on purpose, "npm run openapi" writes it anew', (context) => {
  context.assert.fileSnapshot(describeApi(''), GOLDEN, {
    serializers: [(description: unknown) => `${JSON.stringify(description, null, 2)}\n`],
  });
});

test('the description has nothing that a linter would object to, and the linter can object', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const lint = async (description: object) => {
    const problems = await lintFromString({ source: JSON.stringify(description), config });
    return problems.map(({ ruleId, severity, message }) => `${severity} ${ruleId}: ${message}`);
  };
  assert.deepEqual(await lint(describeApi('')), []);
  const { license: _, ...info } = describeApi('').info;
  assert.match((await lint({ ...describeApi(''), info })).join(), /info-license/);
});

test('the schemas follow the rules of JSON Schema', () => {
  const ajv = new Ajv2020();
  const { schemas, headers } = describeApi('').components;
  for (const schema of [...Object.values(schemas), ...Object.values(headers).map((one) => one.schema)])
    assert.ok(ajv.validateSchema(schema), ajv.errorsText());
  assert.equal(ajv.validateSchema({ type: 'nothing' }), false);
});

test('every parameter of the parser is described, with its range and its default', () => {
  const { parameters } = describeApi('').components;
  const described = Object.values<{ name: string; in: string }>(parameters);
  const names = described.filter(({ in: place }) => place === 'query').map(({ name }) => name);
  assert.deepEqual(names, Object.keys(PARAMETERS));
  assert.deepEqual((parameters as Record<string, { schema?: unknown }>).days?.schema, {
    type: 'array',
    items: { type: 'integer', minimum: 1, maximum: 7 },
    minItems: 1,
    examples: [[7, 1]],
  });
});

test('a client that checks what it sends may write published as the parser reads it, and in no other way', () => {
  const { published } = describeApi('').components.parameters as Record<string, { schema?: object }>;
  const isDescribed = new Ajv2020({ allowUnionTypes: true }).compile(published?.schema ?? false);
  for (const value of [true, false, 1, 0]) {
    assert.doesNotThrow(() => parseQuery(`published=${value}`));
    assert.ok(isDescribed(value), String(value));
  }
  for (const value of [2, 'true', null]) {
    assert.ok(!isDescribed(value), String(value));
  }
});

test('every status that an error of the service has is described on the listing', () => {
  const { responses } = describeApi('').paths['/{account}/api/v1/shifts'].get;
  const statuses = new Set(Object.keys(responses).map(Number));
  for (const { status } of Object.values(PROBLEMS)) assert.ok(statuses.has(status), String(status));
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
