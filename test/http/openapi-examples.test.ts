import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PARAMETERS } from '../../src/http/listing/parameters.ts';
import { describeApi } from '../../src/http/openapi/description.ts';
import { EXAMPLE_QUERIES, EXAMPLES } from '../../src/http/openapi/examples.ts';
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

for (const [name, example] of Object.entries(EXAMPLES)) {
  test(`the example ${name} is what the service answers`, async () => {
    const { method, target, hasToken, status, body } = example;
    const headers = {
      ...('headers' in example ? example.headers : {}),
      ...(hasToken ? { authorization: `Bearer ${token}` } : {}),
    };
    const response = await service.fetch(target, { method, headers });
    assert.equal(response.status, status);
    assert.deepEqual(await response.json(), body);
  });
}

test('the description shows each of these examples, and none that is not run here', () => {
  const responses: Record<string, object> = describeApi('').components.responses;
  const examples = Object.values(responses as Record<string, ShownResponse>).map(
    ({ content }) => content?.['application/json']?.examples ?? {},
  );
  assert.deepEqual(examples.flatMap(Object.keys).sort(), Object.keys(EXAMPLES).sort());
});

interface ShownResponse {
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
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

for (const { query, days } of EXAMPLE_QUERIES) {
  test(`the example query "${query}" lists ${days?.join(' to ') ?? 'something'}`, async () => {
    const { shifts } = await service.list('daily', `?${query}`, dailyToken);
    assert.ok(shifts.length > 0);
    if (days !== undefined) assert.deepEqual([shifts[0]?.date, shifts.at(-1)?.date], days);
  });
}

for (const [name, { example }] of Object.entries(PARAMETERS)) {
  test(`the example of ${name} is accepted and matches something`, async () => {
    const { meta } = await service.list('daily', `?${name}=${example}`, dailyToken);
    assert.ok(meta.total > 0);
  });
}
