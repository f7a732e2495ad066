/**
 * Everything that is wrong with a document is told in one run, by place and id, and nothing that merely follows from
 * it.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeProblem, type ImportProblem } from '../../src/import/problems.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { importer } from './importer.ts';

const UNKNOWN_GROUP = 'there is no group 9 in the document or the account';

for (const database of ['sqlite', 'postgres'] as const) {
  test(`problems of every kind come in one list, in the order of the document, on ${database}`, async (t) => {
    const { problems } = await importer(t, database);
    const document = {
      account: { ...ACME, time_zone: 'Mars/Olympus' },
      shifts: [
        shift('2026-12-01', { id: 5, group_id: 9 }),
        { ...shift('2026-12-01', { id: 6, person_id: 4 }), start_time: '25:61' },
        shift('2026-12-02', { id: 5, end_date: '2026-12-01' }),
        {
          id: 7,
          date: '2026-12-01',
          start_time: '10:00',
          end_time: '09:00',
          end_date: '2026-12-01',
          group_id: 9,
        },
        'nothing',
      ],
      people: [{ id: 1 }, { id: 1, name: '' }],
      colour: 'blue',
      groups: [KITCHEN],
    };
    assert.deepEqual(described(await problems(document)), [
      'account.time_zone: "Mars/Olympus" is not an IANA time zone such as Europe/Amsterdam',
      'colour: there is no such key',
      `shifts[0].group_id (id 5): ${UNKNOWN_GROUP}`,
      'shifts[1].start_time (id 6): "25:61" is not a time HH:MM from 00:00 to 23:59',
      'shifts[1].person_id (id 6): there is no person 4 in the document or the account',
      'shifts[2].id: 5 is the id of shifts[0] too',
      'shifts[2].end_date (id 5): the end, 2026-12-01 17:00, is not after the start, 2026-12-02 09:00',
      'shifts[3] (id 7): is new and lacks publish_date',
      'shifts[3].end_date (id 7): the end, 2026-12-01 09:00, is not after the start, 2026-12-01 10:00',
      `shifts[3].group_id (id 7): ${UNKNOWN_GROUP}`,
      'shifts[4]: "nothing" is not an object that describes a shift',
      'people[0] (id 1): is new and lacks name',
      'people[1].id: 1 is the id of people[0] too',
      'people[1].name (id 1): "" is not a text of 1 to 200 characters without control characters',
    ]);
  });
}

describe('what merely follows from a problem is no problem: ', () => {
  const withGroups = (groups: unknown) => ({
    account: ACME,
    groups,
    shifts: [shift('2026-12-01', { id: 5, group_id: 9 })],
  });
  const cases: [name: string, document: object | string, place: string][] = [
    ['a group with a bad name is there', withGroups([{ id: 9, name: '' }]), 'groups[0].name'],
    ['so is one that lacks its name', withGroups([{ id: 9 }]), 'groups[0]'],
    ['so is one whose id is a text', withGroups([{ id: '9', name: 'Bar' }]), 'groups[0].id'],
    ['a group without an id may be the one', withGroups([{ name: 'Bar' }]), 'groups[0].id'],
    ['a group that is none may be the one', withGroups(['Bar']), 'groups[0]'],
    ['groups that are no array may have it', withGroups({ 9: 'Bar' }), 'groups'],
    ['groups under a misspelt key may have it', { ...withGroups([]), Gruops: [] }, 'Gruops'],
    [
      'groups that are there twice may have it',
      JSON.stringify(withGroups([])).replace('{', '{"groups": [{"id": 1, "name": "Bar"}], '),
      'groups',
    ],
    [
      'a group that has its id twice may be either',
      JSON.stringify(withGroups(['BAR'])).replace('"BAR"', '{"id": 9, "id": 1, "name": "Bar"}'),
      'groups[0].id',
    ],
    ['an account under a misspelt key is not missing', { Account: ACME }, 'Account'],
    ['an account without a slug is not asked for', { ...withGroups([]), account: {} }, 'account.slug'],
    ['nor is one that is missing', { groups: [{ id: 9 }], shifts: [{ id: 1, group_id: 7 }] }, 'account'],
    ['a field that is bad is not lacking', acme([{ ...shift('2026-12-01'), date: 'x' }]), 'shifts[0].date'],
    [
      'nor is one under a misspelt key',
      acme([{ ...shift('2026-12-01'), date: undefined, day: 'x' } as object]),
      'shifts[0].day',
    ],
    [
      'an end without times is not too early',
      acme([{ id: 5, date: '2026-12-02', end_date: '2026-12-01' }]),
      'shifts[0]',
    ],
    ['a record without an id may be known', acme([{ starred: true }]), 'shifts[0].id'],
    [
      'a file that breaks off may still have everything',
      `${JSON.stringify(withGroups([])).slice(0, -1)},`,
      '',
    ],
  ];
  for (const [name, document, place] of cases) {
    test(name, async (t) => {
      const { problems } = await importer(t);
      const found = await problems(document);
      assert.deepEqual(
        found.map((problem) => problem.place),
        [place],
        described(found).join('\n'),
      );
    });
  }

  test('a bad reference of a known shift is not taken for the one that it had', async (t) => {
    const { run, problems } = await importer(t);
    await run(acme([shift('2026-12-01', { id: 5 })]));
    const document = { account: ACME, groups: [], shifts: [{ id: 5, group_id: 'Kitchen' }] };
    const found = await problems(document, { replace: true });
    assert.deepEqual(
      found.map(({ place }) => place),
      ['shifts[0].group_id'],
    );
  });
});

test('but all that can still be judged is', async (t) => {
  const { problems } = await importer(t);
  const document = {
    account: { slug: 'Not a slug' },
    groups: [KITCHEN, KITCHEN, { name: 'Bar' }],
    shifts: [
      shift('2026-12-02', { id: 5, end_date: '2026-12-01', group_id: 9, location_id: 8 }),
      { id: 6, group_id: 9 },
    ],
  };
  const places = async (account: object) =>
    (await problems({ ...document, account })).map(({ place }) => place);
  const ofGroups = ['groups[1].id', 'groups[2].id'];
  assert.deepEqual(await places({ slug: 'Not a slug' }), ['account.slug', ...ofGroups, 'shifts[0].end_date']);
  assert.deepEqual(await places(ACME), [
    ...ofGroups,
    'shifts[0].end_date',
    'shifts[0].location_id',
    'shifts[1]',
  ]);
});

test('problems against the database are found for a known account with bad settings', async (t) => {
  const { run, problems } = await importer(t);
  await run(acme([shift('2026-12-01', { id: 5 })]));
  const document = { account: { slug: 'acme', sort: 'x' }, shifts: [{ id: 5, group_id: 1 }, { id: 6 }] };
  assert.deepEqual(
    (await problems(document)).map(({ place }) => place),
    ['account.sort', 'shifts[1]'],
  );
});

test('whoever wants to know every problem is told as they are found, and nothing is kept', async (t) => {
  const { problems } = await importer(t);
  const told: ImportProblem[] = [];
  const shifts = Array.from({ length: 3_000 }, (_, i) => shift('2026-12-01', { id: i + 1, group_id: 9 }));
  const kept = await problems(acme(shifts), {
    onProblems: async (problems) => {
      told.push(...problems);
    },
  });
  assert.deepEqual(kept, []);
  assert.equal(told.length, 3_000);
  assert.deepEqual(told.at(-1), { place: 'shifts[2999].group_id', id: 3_000, message: UNKNOWN_GROUP });
});

describe('an unknown key gets a hint', () => {
  const hints: [place: string, hint: string][] = [
    ['Shifts', 'shifts'],
    ['employees', 'people'],
    ['schema', '$schema'],
    ['account.Name', 'name'],
    ['account.timezone', 'time_zone'],
    ['groups[0].isActive', 'active'],
    ['locations[0].adress', 'address'],
    ['people[0].fullName', 'name'],
    ['shifts[0].startTime', 'start_time'],
    ['shifts[0].start', 'start_time'],
    ['shifts[0].end', 'end_time'],
    ['shifts[0].end-date', 'end_date'],
    ['shifts[0].location', 'location_id'],
    ['shifts[0].personId', 'person_id'],
    ['shifts[0].person', 'person_id'],
    ['shifts[0].group', 'group_id'],
    ['shifts[0].published', 'publish_date'],
    ['shifts[0].publsh_date', 'publish_date'],
    ['shifts[0].note', 'remarks'],
    ['shifts[0].notes', 'remarks'],
    ['shifts[0].canceled', 'cancelled'],
    ['shifts[0].no_show', 'noshow'],
  ];
  for (const [place, hint] of hints) {
    test(`${place}: ${hint}`, async (t) => {
      const { problems } = await importer(t);
      const [found, ...others] = await problems(documentWith(place, hint));
      assert.equal(found?.message, `there is no such key; did you mean "${hint}"?`);
      assert.deepEqual(others, []);
    });
  }

  test('unless nothing is near, or the right key is there as well', async (t) => {
    const { problems } = await importer(t);
    const { start_time, ...rest } = shift('2026-12-01', { id: 1 });
    const document = acme([{ ...rest, start_time, start: '09:00', phone: 5, i: 1, toString: 1 } as object]);
    const messages = (await problems(document)).map(({ place, message }) => `${place}: ${message}`);
    assert.deepEqual(
      messages,
      ['start', 'phone', 'i', 'toString'].map((key) => `shifts[0].${key}: there is no such key`),
    );
  });
});

function described(problems: readonly ImportProblem[]): string[] {
  return problems.map(describeProblem);
}

/** A document that has an unknown key in place of the one that was meant, and lacks nothing else. */
function documentWith(place: string, meant: string): object {
  const [, table, key = ''] = /^(?:(\w+)(?:\[0\])?\.)?(.+)$/.exec(place) ?? [];
  const document: Record<string, unknown> = { ...acme([shift('2026-12-01')]), locations: [], people: [] };
  if (table === undefined) return { ...document, shifts: [], [key]: null };
  const record = table === 'account' ? ACME : table === 'shifts' ? shift('2026-12-01') : { id: 1, name: 'x' };
  const { [meant]: _, ...rest } = record as Record<string, unknown>;
  const changed = { ...rest, [key]: null };
  return { ...document, [table]: table === 'account' ? changed : [changed] };
}
