import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import description from '../../docs/openapi.json' with { type: 'json' };
import { listingContents } from '../support/description.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });

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
