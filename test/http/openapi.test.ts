import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FIRST_YEAR, LAST_YEAR } from '@shiftfeed/common/days';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import description from '../../docs/openapi.json' with { type: 'json' };
import { expectation, PARAMETERS, type ParameterType, parseQuery } from '../../src/http/listing/query.ts';
import { PROBLEMS, type Problem } from '../../src/http/protocol/problems.ts';
import { MAX_PER_PAGE } from '../../src/listing/filter.ts';
import { encodeShift } from '../../src/listing/shift.ts';
import { SLUG } from '../../src/store/account.ts';
import { anyCase } from '../listing/arbitraries.ts';
import { anyCharacter } from '../support/any-character.ts';
import { assertDescribed, assertMatches, listingContents } from '../support/description.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { isLong } from '../support/strength.ts';

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

if (isLong)
  test('the description has nothing that a linter would object to, and the linter can object', async () => {
    const { createConfig, lintFromString } = await import('@redocly/openapi-core');
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

await service.import({
  account: ACME,
  groups: [
    { id: 10, name: 'Counter' },
    { id: 11, name: 'Kitchen' },
  ],
  locations: [{ id: 2, name: 'Pier', address: 'Long Pier 4' }],
  people: [{ id: 31, name: 'Noor' }],
  shifts: [
    {
      id: 5001,
      date: '2027-03-06',
      start_time: '18:30',
      end_time: '01:00',
      group_id: 10,
      location_id: 2,
      person_id: 31,
      publish_date: '2026-11-01',
      remarks: 'Live music from nine',
      starred: true,
    },
    ...[
      { id: 5000, date: '2026-12-31' },
      { id: 5002, date: '2027-01-31' },
    ].map((fields) => ({
      start_time: '09:00',
      end_time: '17:30',
      group_id: 11,
      publish_date: '2026-11-01',
      ...fields,
    })),
  ],
});
const token = await service.token('acme');

/** The headers of the examples that do not just have a live token. */
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  noToken: {},
  nothingAcceptable: { authorization: `Bearer ${token}`, 'accept-encoding': '*;q=0' },
};

const examples = listingContents().flatMap(({ status, json }) =>
  Object.entries(json?.examples ?? {}).map(([name, example]) => ({ status, name, ...example })),
);
for (const { status, name, description: request, value } of examples) {
  test(`the example ${name} is what the service answers`, async () => {
    const [, method = '', target = ''] = /^`(GET|POST) (\S+)`$/.exec(request) ?? [];
    const headers = HEADERS[name] ?? { authorization: `Bearer ${token}` };
    const response = await service.fetch(target, { method, headers });
    assert.equal(response.status, status);
    assert.deepEqual(await response.json(), value);
  });
}

// One shift a day, so that the days of an answer are the days that were asked for.
const FIRST = Temporal.PlainDate.from('2025-11-01');
const DAYS = 1000;
const daily = Array.from({ length: DAYS }, (_, i) => shift(FIRST.add({ days: i }).toString(), { id: i + 1 }));
await service.import({
  ...acme(daily.map((fields) => ({ ...fields, group_id: 10, location_id: 2 }))),
  account: { ...ACME, slug: 'daily' },
  groups: [{ id: 10, name: 'Counter' }],
  locations: [{ id: 2, name: 'Pier' }],
});
const dailyToken = await service.token('daily');

/** The rows of the table in the description of the listing. */
const { description: guide } = description.paths['/{account}/api/v1/shifts'].get;
const queries = [...guide.matchAll(/^\| (?:\(none\)|`(.+)`) \| .+ \| (.+) \|$/gm)];

for (const [, query = '', days = ''] of queries) {
  test(`the example query "${query}" lists ${days}`, async () => {
    const { shifts } = await service.list('daily', `?${query}`, dailyToken);
    assert.ok(shifts.length > 0);
    if (days === 'relative to today') return;
    const [first, last = first] = days.split(' to ');
    assert.deepEqual([shifts[0]?.date, shifts.at(-1)?.date], [first, last]);
  });
}

test('the examples and the table were found', () => {
  assert.equal(examples.length, 8);
  assert.equal(queries.length, 9);
});

for (const parameter of Object.values(description.components.parameters)) {
  if (parameter.in !== 'query') continue;
  const { name, schema } = parameter;
  test(`the example of ${name} is accepted and matches something`, async () => {
    const { meta } = await service.list('daily', `?${name}=${schema.examples[0]}`, dailyToken);
    assert.ok(meta.total > 0);
  });
}

const LISTING = {
  method: 'GET',
  target: '/acme/api/v1/shifts?months=12',
  status: 200,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-cache',
    vary: 'Accept-Encoding',
    etag: '"tag"',
    link: '</acme/api/v1/shifts?page=1>; rel="first"',
    'shiftfeed-listing': 'tag',
    'shiftfeed-revision': '12',
    'shiftfeed-time-zone': 'UTC',
    'x-request-id': 'id',
  },
  body: { shifts: [] as unknown[], meta: { total: 0, page: 1, per_page: 500, total_pages: 0 } },
};

function check(change: object = {}): void {
  const { headers, body, ...rest } = { ...LISTING, ...change };
  assertDescribed({ ...rest, headers: new Headers(headers), body: JSON.stringify(body) });
}

test('what is described passes', () => check());

const { etag: _etag, ...withoutTag } = LISTING.headers;
const undescribed: [string, object][] = [
  ['a status', { status: 202 }],
  ['an answer where there is no path', { target: '/acme/api/v2/shifts' }],
  ['an answer to a method that is not there', { method: 'DELETE' }],
  ['a header', { headers: { ...LISTING.headers, 'x-powered-by': 'magic' } }],
  ['a value of a header', { headers: { ...LISTING.headers, 'shiftfeed-revision': 'twelve' } }],
  ['the lack of a header', { headers: withoutTag }],
  ['a type of content', { headers: { ...LISTING.headers, 'content-type': 'text/plain' } }],
  ['a property', { body: { ...LISTING.body, next: null } }],
  ['the lack of a property', { body: { shifts: [] } }],
  ['a property of another type', { body: { ...LISTING.body, shifts: [{ id: '1' }] } }],
  ['a body in answer to HEAD', { method: 'HEAD' }],
];
for (const [what, change] of undescribed) {
  test(`${what} that is not described is noticed`, () => {
    assert.throws(() => check(change), assert.AssertionError);
  });
}
