/** Visitors who make the gateway work, and those who must not notice. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as otherWork } from 'node:timers/promises';
import { type GatewayOptions, openGateway } from '@shiftfeed/gateway';
import { oneAtATime } from '../../src/gateway/run.ts';
import { fakeUpstream, makeShift, optionsFor, visitTo } from '../kit/gateway/upstream.ts';

test('answers are written one at a time with other work in between, those that everybody sees first', async () => {
  const schedule = oneAtATime();
  const events: string[] = [];
  const write = (name: string) => () => {
    events.push(name);
    return name;
  };
  const written = [
    schedule(write('query 1'), false),
    schedule(write('query 2'), false),
    schedule(write('query 3'), false),
    schedule(write('usual'), true),
    otherWork().then(() => events.push('other work')),
  ];
  await Promise.all(written);
  assert.deepEqual(events, ['query 1', 'usual', 'other work', 'query 2', 'query 3']);
  assert.equal(await schedule(write('later'), false), 'later');
});

test('an answer that cannot be written fails by itself', async () => {
  const schedule = oneAtATime();
  const fail = () => {
    throw new Error('broken');
  };
  await assert.rejects(schedule(fail, false), /broken/);
  assert.equal(await schedule(() => 'well', false), 'well');
});

test('a client that asks for a hundred different days at once is told to come again, and others see the shifts', async () => {
  const upstream = fakeUpstream({ shifts: [makeShift()] });
  const gateway = openGateway(optionsFor(upstream, {}, { schedule: oneAtATime(10) }));
  const visit = (path: string, search = '') => gateway.answer(visitTo(path + search));
  assert.equal((await visit('/kitchen/shifts')).status, 200);
  // The next turn begins after other work.
  for (let i = 0; i < 2; i++) await otherWork();

  const queries = Array.from({ length: 100 }, (_, i) => `?group_ids=${i + 1}`);
  const many = Promise.all(queries.map((query) => visit('/kitchen/shifts', query)));
  const others = await Promise.all([
    visit('/kitchen/shifts'),
    visit('/kitchen'),
    visit('/kitchen/shifts.ics'),
  ]);
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 200, 200],
  );
  const answers = await many;
  const refused = answers.filter(({ status }) => status === 503);
  assert.equal(answers.filter(({ status }) => status === 200).length, 100 - refused.length);
  assert.equal(refused.length, 89);
  assert.ok(refused.every(({ headers }) => headers['retry-after'] === '1'));
  assert.equal((await visit('/kitchen/shifts', queries.at(-1))).status, 200);
});

test('a client that makes up hosts and languages has few pages written, and visitors see theirs', async () => {
  let nowMs = Date.parse('2026-11-15T12:00:00Z');
  let written = 0;
  const schedule: GatewayOptions['schedule'] = async (write) => {
    written++;
    return write();
  };
  const upstream = fakeUpstream({ shifts: [makeShift()] });
  const gateway = openGateway(optionsFor(upstream, {}, { clock: () => nowMs, schedule }));
  const visit = async (origin: string, language = 'en') => {
    const visit = visitTo(`${origin}/kitchen`, { 'accept-language': language });
    const { status, body } = await gateway.answer(visit);
    assert.equal(status, 200);
    return Buffer.from(body ?? '').toString();
  };
  const own = await visit('http://a.example', 'de-AT');
  assert.ok(own.includes('webcal://a.example/kitchen/shifts.ics'));
  for (let i = 0; i < 100; i++) await visit(`http://${i}.example`);
  const languages = Intl.supportedValuesOf('currency').map((code) => `en-${code.slice(0, 2)}`);
  for (const language of languages) await visit('http://b.example', `${language}, de-CH;q=0.5`);
  assert.ok(written < 40, `${written} pages were written`);

  assert.equal(await visit('http://a.example', 'de-AT'), own);
  const shared = await visit('http://made.up.example', 'de-LI');
  assert.ok(shared.includes('<html lang="de">') && shared.includes('href="/kitchen/shifts.ics"'));
  // Hosts that nobody asks for any more make room.
  nowMs += 3_600_000;
  assert.ok((await visit('http://c.example')).includes('webcal://c.example/kitchen/shifts.ics'));
});
