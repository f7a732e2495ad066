/** The calendar, read by a parser that has nothing to do with the program that wrote it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Shift, shiftEnd, shiftStart } from '@shiftfeed/client';
import { createGateway, type FeedDocument, type Gateway, openGateway } from '@shiftfeed/gateway';
import fc from 'fast-check';
import ICAL from 'ical.js';
import { anyGrapheme } from '../../support/any-character.ts';
import { often } from '../../support/strength.ts';
import { type FakeUpstream, fakeUpstream, makeShift, visitTo } from './upstream.ts';

const FEED: FeedDocument = {
  title: 'Kitchen, service; more',
  group_ids: 'all',
  show: ['group', 'location', 'person', 'remarks', 'starred', 'noshow', 'open'],
  days_back: 400,
  days_ahead: 400,
};

test('a calendar has a name, an interval, and an event for each shift with all that is shown', async () => {
  const { calendar, events } = await read([
    makeShift({ id: 7, remarks: 'Bring: knife, apron; "clogs"\\\nSecond line', starred: true }),
    makeShift({ id: 8, cancelled: true, location: null, person: null, noshow: true }),
  ]);
  assert.equal(calendar.getFirstPropertyValue('version'), '2.0');
  // The parser does not know these names, so it leaves their texts as they are.
  assert.equal(calendar.getFirstPropertyValue('name'), 'Kitchen\\, service\\; more');
  assert.equal(calendar.getFirstPropertyValue('x-wr-calname'), 'Kitchen\\, service\\; more');
  assert.equal(String(calendar.getFirstPropertyValue('refresh-interval')), 'PT15M');
  const [seventh, eighth] = events.map(({ component }) => (name: string) => {
    const value = component.getFirstPropertyValue(name);
    return value === null ? undefined : String(value);
  });
  assert.equal(seventh?.('uid'), 'kitchen-7@shiftfeed');
  // Nobody says when it was written.
  assert.equal(seventh?.('dtstamp'), '1970-01-01T00:00:00Z');
  assert.deepEqual([seventh?.('last-modified'), seventh?.('sequence')], [undefined, undefined]);
  assert.equal(seventh?.('summary'), '★ Kitchen: Robin Doe');
  assert.equal(seventh?.('location'), 'Harbour, 1 Quay Street');
  assert.equal(seventh?.('description'), 'Bring: knife, apron; "clogs"\\\nSecond line');
  assert.equal(seventh?.('categories'), 'Kitchen');
  assert.equal(seventh?.('status'), 'CONFIRMED');
  assert.equal(eighth?.('summary'), 'Cancelled: Kitchen: open');
  assert.equal(eighth?.('status'), 'CANCELLED');
  assert.equal(eighth?.('location'), undefined);
  assert.equal(eighth?.('description'), 'No-show');
});

test('what is written is what is read, whatever the texts are, and no line is longer than 75 octets', async () => {
  const text = fc.string({ unit: anyGrapheme, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(text, text, async (name, remarks) => {
      const { text: body, events } = await read([
        makeShift({ group: { id: 1, name }, remarks, person: null }),
      ]);
      const [event] = events;
      const expected = (value: string) => value.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\t\n]/gu, '');
      assert.equal(event?.summary, `${expected(name)}: open`);
      assert.equal(event?.description ?? '', expected(remarks));
      assertLines(body);
    }),
    { numRuns: often(60, 500) },
  );
});

test('a character of several octets is not cut in two when its line is folded', async () => {
  for (let padding = 0; padding < 8; padding++) {
    const remarks = `${'x'.repeat(padding)}${'日本語 🦞 e\u0301'.repeat(40)}`;
    const { text, events } = await read([makeShift({ remarks })]);
    assert.equal(events[0]?.description, remarks);
    assert.ok(!text.includes('\ufffd'));
    assertLines(text);
  }
});

/** Nights when clocks change, and some that are ordinary; RFC 5545 says which instant a local time is. */
const NIGHTS: readonly [zone: string, from: string, to: string][] = [
  ['Europe/Amsterdam', '2026-10-24T22:00', '2026-10-25T06:00'],
  ['Europe/Amsterdam', '2026-10-25T02:30', '2026-10-25T03:30'],
  ['Europe/Amsterdam', '2027-03-27T22:00', '2027-03-28T06:00'],
  ['Europe/Amsterdam', '2027-03-28T02:30', '2027-03-28T05:00'],
  ['Europe/London', '2027-03-28T00:30', '2027-03-28T02:30'],
  ['America/New_York', '2026-10-31T22:00', '2026-11-01T06:00'],
  ['America/New_York', '2027-03-13T23:00', '2027-03-14T07:00'],
  ['America/St_Johns', '2026-11-01T01:30', '2026-11-01T05:00'],
  ['America/Santiago', '2027-04-03T22:00', '2027-04-04T06:00'],
  ['Australia/Lord_Howe', '2027-04-03T22:00', '2027-04-04T06:00'],
  ['Australia/Lord_Howe', '2026-10-03T22:00', '2026-10-04T06:00'],
  ['Pacific/Auckland', '2027-04-03T22:00', '2027-04-04T06:00'],
  ['Africa/Cairo', '2026-10-29T22:00', '2026-10-30T06:00'],
  ['Africa/Casablanca', '2027-02-06T22:00', '2027-02-07T06:00'],
  ['Asia/Kolkata', '2026-12-01T22:00', '2026-12-02T06:00'],
  ['Asia/Kathmandu', '2026-12-01T22:00', '2026-12-02T06:00'],
  ['America/Sao_Paulo', '2026-12-01T22:00', '2026-12-02T06:00'],
  ['UTC', '2026-12-01T22:00', '2026-12-02T06:00'],
];

for (const [zone, from, to] of NIGHTS) {
  test(`a shift in ${zone} from ${from} to ${to} is at the right instants`, async () => {
    const [date = '', start_time = ''] = from.split('T');
    const [end_date = '', end_time = ''] = to.split('T');
    const { events } = await read([makeShift({ date, start_time, end_date, end_time })], zone);
    assert.equal(events[0]?.startDate.toJSDate().toISOString(), instant(from, zone));
    assert.equal(events[0]?.endDate.toJSDate().toISOString(), instant(to, zone));
  });
}

test('the zone of a calendar agrees with Temporal on the days around every change of the clocks', async () => {
  const more = [
    'Europe/Dublin',
    'America/Asuncion',
    'Asia/Gaza',
    'Antarctica/Troll',
    'America/Nuuk',
    'Asia/Beirut',
  ];
  for (const zone of new Set([...more, ...NIGHTS.map(([name]) => name)])) {
    const shifts = daysAroundChanges(zone).map((date, i) =>
      makeShift({ id: i + 1, date, start_time: '12:00', end_date: date, end_time: '13:00' }),
    );
    const { events } = await read(shifts, zone);
    assert.deepEqual(
      events.map(({ startDate }) => startDate.toJSDate().toISOString()),
      shifts.map(({ date }) => instant(`${date}T12:00`, zone)),
      zone,
    );
  }
});

test('a shift that the change of clocks turns around lasts as long as it seems to', async () => {
  const night = { date: '2027-03-28', start_time: '02:30', end_date: '2027-03-28', end_time: '03:15' };
  const { events } = await read([makeShift(night)]);
  assert.equal(events[0]?.startDate.toJSDate().toISOString(), '2027-03-28T01:30:00.000Z');
  assert.equal(events[0]?.endDate.toJSDate().toISOString(), '2027-03-28T02:15:00.000Z');
});

test('around an hour that is skipped, shifts are when the client says that they are', async () => {
  const day = '2027-03-28';
  const times = ['01:59', '02:00', '02:30', '02:59', '03:00', '03:15', '03:30', '04:00'];
  const shifts = times
    .flatMap((start_time, i) => times.slice(i + 1).map((end_time) => ({ start_time, end_time })))
    .map((clock, i) => makeShift({ id: i + 1, date: day, end_date: day, ...clock }));
  const { events } = await read(shifts);
  for (const shift of shifts) {
    const event = events.find(({ uid }) => uid.includes(`-${shift.id}@`));
    const told = [event?.startDate, event?.endDate].map((time) => time?.toJSDate());
    const expected = [shiftStart(shift, 'Europe/Amsterdam'), shiftEnd(shift, 'Europe/Amsterdam')];
    assert.deepEqual(told, expected, `${shift.start_time} to ${shift.end_time}`);
  }
});

test('rules that stay the same from year to year are written as rules, which Outlook needs', async () => {
  const { text } = await read([]);
  assert.deepEqual(text.match(/RRULE:.*|DTSTART:.*/g), [
    'DTSTART:19700329T020000',
    'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
    'DTSTART:19701025T030000',
    'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  ]);
});

const IN_A_YEAR = often(500, 10_000);

test(`a year of ${IN_A_YEAR} shifts is one calendar, with the same bytes from every gateway as long as nothing changed`, async () => {
  const shifts = Array.from({ length: IN_A_YEAR }, (_, i) => {
    const date = Temporal.PlainDate.from('2026-11-15')
      .add({ days: Math.floor((i * 365) / IN_A_YEAR) })
      .toString();
    return makeShift({ id: i + 1, date, end_date: date, remarks: `Remark ${i}` });
  });
  const text = await write(shifts);
  const components = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  assert.equal(new Set(components.map((event) => event.getFirstPropertyValue('uid'))).size, IN_A_YEAR);
  // Another process, some hours later on the same day.
  assert.ok((await write(shifts, 'Europe/Amsterdam', '2026-11-15T20:00:00Z')) === text);
});

const NOVEMBER = makeShift({ id: 1, date: '2026-11-20' });
const DECEMBER = makeShift({ id: 2, date: '2026-12-20' });
const OTHER_OF_DECEMBER = makeShift({ id: 3, date: '2026-12-24' });
const WRITTEN_MS = Date.parse('2026-11-01T10:00:00Z');

test('an event says when its month was last written to, so that calendars notice, and no other event does', async () => {
  const upstream = fakeUpstream({ shifts: [NOVEMBER, DECEMBER, OTHER_OF_DECEMBER], writtenMs: WRITTEN_MS });
  const { gateway, pass } = open(upstream);
  const first = await fetchCalendar(gateway);
  assert.deepEqual(stampsOf(first.text), {
    'kitchen-1@shiftfeed': ['2026-11-01T10:00:00Z', '2026-11-01T10:00:00Z', 215_690_400],
    'kitchen-2@shiftfeed': ['2026-11-01T10:00:00Z', '2026-11-01T10:00:00Z', 215_690_400],
    'kitchen-3@shiftfeed': ['2026-11-01T10:00:00Z', '2026-11-01T10:00:00Z', 215_690_400],
  });

  const moved = { ...DECEMBER, start_time: '10:00' };
  upstream.write([NOVEMBER, moved, OTHER_OF_DECEMBER], Date.parse('2026-11-15T12:00:30Z'));
  pass(60);
  await fetchCalendar(gateway);
  await gateway.settled();
  const second = await fetchCalendar(gateway, first.etag);
  assert.equal(second.status, 200);
  assert.deepEqual(stampsOf(second.text), {
    'kitchen-1@shiftfeed': ['2026-11-01T10:00:00Z', '2026-11-01T10:00:00Z', 215_690_400],
    'kitchen-2@shiftfeed': ['2026-11-15T12:00:30Z', '2026-11-15T12:00:30Z', 216_907_230],
    'kitchen-3@shiftfeed': ['2026-11-15T12:00:30Z', '2026-11-15T12:00:30Z', 216_907_230],
  });

  // Another process says the same, and so does this one as long as nothing is written.
  assert.equal((await fetchCalendar(open(upstream).gateway)).text, second.text);
  pass(60);
  await fetchCalendar(gateway);
  await gateway.settled();
  assert.equal((await fetchCalendar(gateway, second.etag)).status, 304);
});

test('a write to shifts that a feed does not show is no reason to read its calendar again', async () => {
  const upstream = fakeUpstream({ shifts: [NOVEMBER], writtenMs: WRITTEN_MS });
  const { gateway, pass } = open(upstream);
  const { etag } = await fetchCalendar(gateway);
  upstream.write([NOVEMBER, makeShift({ id: 9, date: '2029-01-01' })], WRITTEN_MS + 60_000);
  pass(60);
  await fetchCalendar(gateway);
  await gateway.settled();
  assert.equal((await fetchCalendar(gateway, etag)).status, 304);
});

test('the number of an event never goes back: not when the month that was written to last is over, nor below zero', async () => {
  const upstream = fakeUpstream({
    shifts: [NOVEMBER, DECEMBER],
    writtenMs: Date.parse('2019-05-01T00:00:00Z'),
  });
  const before = stampsOf((await fetchCalendar(open(upstream).gateway)).text);
  assert.deepEqual(before['kitchen-2@shiftfeed'], ['2019-05-01T00:00:00Z', '2019-05-01T00:00:00Z', 0]);
  upstream.write([{ ...NOVEMBER, remarks: 'New' }, DECEMBER], WRITTEN_MS);
  const numberOf = async (now: string) => {
    const { text } = await fetchCalendar(open(upstream, { now, feed: { ...FEED, days_back: 0 } }).gateway);
    return stampsOf(text)['kitchen-2@shiftfeed']?.[2];
  };
  assert.deepEqual([await numberOf('2026-11-15T12:00:00Z'), await numberOf('2026-12-15T12:00:00Z')], [0, 0]);
});

test('events of two gateways have different identities, by the name of the calendar or where visitors are', async () => {
  const upstream = fakeUpstream({ shifts: [NOVEMBER] });
  const uidOf = async (...args: Parameters<typeof open> extends [unknown, ...infer Rest] ? Rest : never) => {
    const { text } = await fetchCalendar(open(upstream, ...args).gateway);
    return /^UID:(.*)\r$/m.exec(text)?.[1];
  };
  assert.equal(await uidOf(), 'kitchen-1@shiftfeed');
  assert.equal(await uidOf({ baseUrl: 'https://Shifts.example.org/rota/' }), 'kitchen-1@shifts.example.org');
  assert.equal(await uidOf({ baseUrl: 'http://127.0.0.1:8090' }), 'kitchen-1@127.0.0.1:8090');
  assert.equal(
    await uidOf({ baseUrl: 'https://a.example', calendarId: 'acme.example' }),
    'kitchen-1@acme.example',
  );
});

test('a calendar speaks the language of its feed', async () => {
  const off = makeShift({ cancelled: true, noshow: true, person: null, starred: true });
  const spoken = async (language: string) => {
    const { text } = await fetchCalendar(
      open(fakeUpstream({ shifts: [off] }), { feed: { ...FEED, language } }).gateway,
    );
    const [event] = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
    return ['summary', 'description'].map((name) => event?.getFirstPropertyValue(name));
  };
  assert.deepEqual(await spoken('en'), ['Cancelled: ★ Kitchen: open', 'No-show']);
  assert.deepEqual(await spoken('nl-BE'), ['Geannuleerd: ★ Kitchen: open', 'Niet verschenen']);
  assert.deepEqual(await spoken('ar'), ['ملغاة: ★ Kitchen: شاغرة', 'تغيّب']);
  assert.deepEqual(await spoken('fr'), ['Annulé: ★ Kitchen: à pourvoir', 'Absent']);
});

/** By their UID: DTSTAMP, LAST-MODIFIED and SEQUENCE. */
function stampsOf(text: string): Record<string, unknown[]> {
  const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  return Object.fromEntries(
    events.map((event) => {
      const [uid, dtstamp, modified, sequence] = ['uid', 'dtstamp', 'last-modified', 'sequence'].map((name) =>
        event.getFirstPropertyValue(name),
      );
      return [String(uid), [String(dtstamp), String(modified), sequence]];
    }),
  );
}

async function fetchCalendar(gateway: Gateway, etag?: string) {
  const known: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
  const { status, headers, body } = await gateway.answer(visitTo('/kitchen/shifts.ics', known));
  return { status, etag: headers.etag, text: new TextDecoder().decode(body) };
}

interface Opened {
  readonly feed?: FeedDocument;
  readonly now?: string;
  readonly baseUrl?: string;
  readonly calendarId?: string;
}

function open(
  upstream: FakeUpstream,
  { feed = FEED, now = '2026-11-15T12:00:00Z', baseUrl, calendarId }: Opened = {},
) {
  let nowMs = Date.parse(now);
  const gateway = openGateway({
    config: {
      upstream: 'https://up.example/acme',
      time_zone: 'Europe/Amsterdam',
      ...(calendarId !== undefined && { calendar_id: calendarId }),
      feeds: { kitchen: feed },
    },
    token: 'shiftfeed_x',
    baseUrl,
    clock: () => nowMs,
    fetch: upstream.fetch,
  });
  return {
    gateway,
    pass(seconds: number) {
      nowMs += 1000 * seconds;
    },
  };
}

async function read(shifts: readonly Shift[], zone?: string) {
  const text = await write(shifts, zone);
  const calendar = new ICAL.Component(ICAL.parse(text));
  // The parser knows zones that it has seen before: it has to use the calendar's own.
  ICAL.TimezoneService.reset();
  for (const component of calendar.getAllSubcomponents('vtimezone')) {
    ICAL.TimezoneService.register(new ICAL.Timezone(component));
  }
  const events = calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
  return { text, calendar, events };
}

async function write(shifts: readonly Shift[], zone = 'Europe/Amsterdam', now = '2026-11-15T12:00:00Z') {
  const gateway = createGateway({
    config: { upstream: 'https://up.example/acme', time_zone: zone, feeds: { kitchen: FEED } },
    token: 'shiftfeed_x',
    clock: () => Date.parse(now),
    fetch: fakeUpstream({ shifts }).fetch,
  });
  const response = await gateway(new Request('https://gw.example.org/kitchen/shifts.ics'));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/calendar; charset=utf-8');
  return response.text();
}

function instant(wall: string, zone: string): string {
  const { epochMilliseconds } = Temporal.PlainDateTime.from(wall).toZonedDateTime(zone);
  return new Date(epochMilliseconds).toISOString();
}

/** Within what the feed shows. */
function daysAroundChanges(zone: string): readonly string[] {
  const last = Temporal.ZonedDateTime.from(`2027-12-18T00:00[${zone}]`);
  const days = [last.toPlainDate()];
  for (
    let change = last.getTimeZoneTransition('previous');
    change !== null && change.year > 2025;
    change = change.getTimeZoneTransition('previous')
  ) {
    days.push(
      ...[1, 0, -1].map((step) => (change as Temporal.ZonedDateTime).toPlainDate().add({ days: step })),
    );
  }
  return days.map(String).reverse();
}

function assertLines(text: string): void {
  assert.ok(text.endsWith('\r\n'));
  for (const line of text.slice(0, -2).split('\r\n')) {
    assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.doesNotMatch(line, /[\r\n]/);
  }
}
