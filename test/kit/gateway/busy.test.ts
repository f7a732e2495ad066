/** What visitors see of a plan that somebody writes to while the gateway reads it, and what that costs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Shift } from '@shiftfeed/client';
import { openGateway, type UpstreamAttempt } from '@shiftfeed/gateway';
import { fakeUpstream, makeShift, optionsFor, visitTo } from './upstream.ts';

const START_MS = Date.parse('2026-11-16T12:00:00Z');
const SECOND = 1000;
const MAX_AGE = 60;
/** Some pages a month, and less than a page a day. */
const PER_DAY = 40;
const DAYS = 60;

for (const writtenMs of [undefined, START_MS]) {
  const server = writtenMs === undefined ? 'a server that does not tell its state' : 'the service';
  test(`shifts of ${server} that are written to all the time are shown: each once, and none is missing`, async () => {
    const { upstream, visit, attempts, pass, settled } = start(writtenMs);
    const staying = new Set(upstream.shifts.map(({ id }) => id));
    writeAllTheTime(upstream);

    const first = await visit();
    assert.equal(first.status, 200);
    assert.equal(new Set(first.ids).size, first.ids.length, 'a shift is there twice');
    assert.deepEqual(
      [...staying].filter((id) => !first.ids.includes(id)),
      [],
    );
    assert.deepEqual(
      attempts.map(({ isMixed, error }) => [isMixed, error]),
      [[true, undefined]],
    );
    // Nobody keeps it for longer than until it is read again, which is soon.
    assert.equal(first.cacheControl, 'public, max-age=5');

    upstream.afterAnswer = undefined;
    pass(4 * SECOND);
    await visit();
    assert.equal(attempts.length, 1);
    pass(SECOND);
    await visit();
    await settled();
    assert.deepEqual(
      attempts.map(({ isMixed }) => isMixed),
      [true, undefined],
    );
    const second = await visit();
    assert.deepEqual(
      second.ids,
      upstream.shifts.map(({ id }) => id),
    );
    assert.equal(second.cacheControl, `public, max-age=${MAX_AGE}`);
  });
}

test('a day of several pages that is written to all the time is shown, and none of its shifts is missing', async () => {
  const { upstream, visit, attempts } = start(START_MS, { perDay: 1200, days: 2 });
  const staying = upstream.shifts.map(({ id }) => id);
  writeAllTheTime(upstream);
  const { status, ids } = await visit();
  assert.equal(status, 200);
  assert.equal(new Set(ids).size, ids.length, 'a shift is there twice');
  assert.deepEqual(
    staying.filter((id) => !ids.includes(id)),
    [],
  );
  assert.deepEqual(
    attempts.map(({ isMixed }) => isMixed),
    [true],
  );
});

test('a shift that goes back and forth between months while they are read is not there twice', async () => {
  const { upstream, visit, attempts } = start(START_MS);
  const [moving, ...others] = upstream.shifts;
  assert.ok(moving);
  let writes = 0;
  upstream.afterAnswer = () => {
    const atMs = START_MS + ++writes;
    const there = { ...moving, date: '2027-01-14', end_date: '2027-01-14' };
    upstream.write(writes % 2 === 0 ? [moving, ...others] : [...others, there], atMs);
  };
  const { ids } = await visit();
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(others.every(({ id }) => ids.includes(id)));
  assert.equal(attempts[0]?.isMixed, true);
});

test('a plan that changes once while it is read is read again, as one state', async () => {
  const { upstream, visit, attempts } = start(START_MS);
  let answers = 0;
  upstream.afterAnswer = () => {
    if (++answers === 5) upstream.write(upstream.shifts.slice(1), START_MS + 1);
  };
  const { ids } = await visit();
  assert.deepEqual(
    ids,
    upstream.shifts.map(({ id }) => id),
  );
  assert.deepEqual(
    attempts.map(({ isMixed }) => isMixed),
    [undefined],
  );
});

test('as long as nothing changes, a poll is one conditional request, however many pages there are', async () => {
  const { upstream, visit, pass, settled } = start(START_MS);
  await visit();
  for (let polls = 0; polls < 3; polls++) {
    const before = upstream.requests.length;
    pass(MAX_AGE * SECOND);
    await visit();
    await settled();
    assert.equal(upstream.requests.length, before + 1);
    assert.ok(upstream.requests.at(-1)?.headers.has('if-none-match'));
  }
});

test('when a month changes, the others are not read again', async () => {
  const { upstream, visit, pass, settled } = start(START_MS);
  await visit();
  const before = upstream.requests.length;
  const [last] = upstream.shifts.slice(-1);
  upstream.write(
    [...upstream.shifts.slice(0, -1), { ...(last as Shift), remarks: 'New' }],
    START_MS + SECOND,
  );
  pass(MAX_AGE * SECOND);
  await visit();
  await settled();
  const asked = upstream.requests.slice(before).map(({ url: { searchParams: query } }) => {
    // A single shift is asked for to see whether the tag is the same.
    return `${query.get('date_from')} ${query.get('per_page') === '1' ? 'tag' : query.get('page')}`;
  });
  assert.deepEqual(asked.sort(), [
    '2026-11-08 1',
    '2026-11-08 tag',
    '2026-11-08 tag',
    '2026-12-01 tag',
    '2027-01-01 1',
    '2027-01-01 2',
    '2027-01-01 tag',
  ]);
  assert.deepEqual((await visit()).remarks.slice(-1), ['New']);
});

test('a plan that its server lists from memory, because its database is away, is shown as one state', async () => {
  const { upstream, visit, attempts } = start(START_MS, {
    respond(response) {
      response.headers.set('shiftfeed-stale', '3');
      return response;
    },
  });
  const { ids, cacheControl } = await visit();
  assert.equal(ids.length, upstream.shifts.length);
  assert.equal(cacheControl, `public, max-age=${MAX_AGE}`);
  assert.deepEqual(
    attempts.map(({ isMixed }) => isMixed),
    [undefined],
  );
});

test('an upstream that limits how often it is asked is waited for, once a reading has begun', async () => {
  const { upstream, visit, attempts } = start(START_MS, { perDay: 1 });
  upstream.afterAnswer = () => {
    upstream.instead = () => {
      upstream.instead = undefined;
      return new Response('{}', { status: 429, headers: { 'retry-after': '0' } });
    };
  };
  const { status, ids } = await visit();
  assert.deepEqual([status, ids.length], [200, DAYS]);
  assert.equal(attempts.length, 1);
});

/** After each answer, the first shift goes or another one comes before all others: so all pages shift. */
function writeAllTheTime(upstream: ReturnType<typeof fakeUpstream>): void {
  let writes = 0;
  upstream.afterAnswer = () => {
    const atMs = START_MS + ++writes;
    const isLate = (shift: Shift) => shift.id > 1_000_000;
    if (upstream.shifts.some(isLate)) {
      upstream.write(
        upstream.shifts.filter((shift) => !isLate(shift)),
        atMs,
      );
    } else {
      const added = ['2026-11-16', '2026-12-01', '2027-01-01'].map((date, i) =>
        makeShift({ id: 1_000_001 + 3 * writes + i, date, start_time: '00:00' }),
      );
      upstream.write(
        [...added, ...upstream.shifts].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)),
        atMs,
      );
    }
  };
}

function start(
  writtenMs: number | undefined,
  { perDay = PER_DAY, days = DAYS, respond = (response: Response) => response } = {},
) {
  const shifts = Array.from({ length: days * perDay }, (_, i) => {
    const date = Temporal.PlainDate.from('2026-11-16')
      .add({ days: Math.floor(i / perDay) })
      .toString();
    return makeShift({ id: i + 1, date });
  });
  const upstream = fakeUpstream({ shifts, ...(writtenMs !== undefined && { writtenMs }) });
  const attempts: UpstreamAttempt[] = [];
  let nowMs = START_MS;
  const fetch: typeof upstream.fetch = async (url, init) => respond(await upstream.fetch(url, init));
  const onAttempt = (attempt: UpstreamAttempt) => attempts.push(attempt);
  const feed = { show: ['group', 'remarks'], days_ahead: DAYS, max_age: MAX_AGE } as const;
  const gateway = openGateway(optionsFor({ fetch }, feed, { clock: () => nowMs, onAttempt }));
  return {
    upstream,
    attempts,
    settled: gateway.settled,
    pass(ms: number) {
      nowMs += ms;
    },
    async visit() {
      const { status, headers, body } = await gateway.answer(visitTo('/kitchen/shifts'));
      const { shifts = [] } = JSON.parse(new TextDecoder().decode(body)) as { shifts?: Shift[] };
      return {
        status,
        cacheControl: headers['cache-control'],
        ids: shifts.map(({ id }) => id),
        dates: shifts.map(({ date }) => date),
        remarks: shifts.map(({ remarks }) => remarks),
      };
    },
  };
}
