/** What a planner may not change is refused, and so is what nobody decides at a desk. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { whyForbidden } from '../../src/desk/roles.ts';
import { uploader } from '../import/uploader.ts';
import { ACME, KITCHEN, shift } from '../support/document.ts';
import { openDesk } from './desk.ts';

const BEFORE = {
  account: ACME,
  groups: [KITCHEN],
  people: [{ id: 1, name: 'Ada' }],
  shifts: [shift('2027-06-01', { id: 1, person_id: 1 })],
};
const SLUG = { slug: 'acme' };
const NAMES = 'only an owner can change the name, the time zone and the order of the account';
const RECORDS = 'only an owner can change or remove';
const PREMIUM = 'whether the account is premium cannot be changed here';

const CASES: readonly [name: string, document: object, planner: string, owner: string][] = [
  ['shifts', { account: SLUG, shifts: [{ id: 1, remarks: 'Keys' }] }, '', ''],
  [
    'new people and groups',
    { account: SLUG, people: [{ id: 2, name: 'Bo' }], groups: [{ id: 2, name: 'Bar' }] },
    '',
    '',
  ],
  ['the same settings', { account: ACME }, '', ''],
  ['the name', { account: { ...SLUG, name: 'New' } }, NAMES, ''],
  ['the time zone', { account: { ...SLUG, time_zone: 'Europe/Amsterdam' } }, NAMES, ''],
  ['the order', { account: { ...SLUG, sort: 'group' } }, NAMES, ''],
  ['a name of a person', { account: SLUG, people: [{ id: 1, name: 'Bo' }] }, `${RECORDS} people`, ''],
  ['a private group', { account: SLUG, groups: [{ id: 1, private: true }] }, `${RECORDS} groups`, ''],
  ['what is premium', { account: { ...SLUG, premium: false } }, PREMIUM, PREMIUM],
];

describe('a document with', () => {
  for (const [name, document, planner, owner] of CASES)
    test(`${name}`, async (t) => {
      const { run, read, plan } = await uploader(t);
      await run(BEFORE);
      const before = await plan();
      for (const [role, sentence] of [
        ['planner', planner],
        ['owner', owner],
      ] as const) {
        const refuses = (planned: Parameters<typeof whyForbidden>[0]) => whyForbidden(planned, role);
        const result = await read(JSON.stringify(document), [], { name: 'plan.json' }, { refuses });
        const told = result.kind === 'mistakes' ? result.problems[0]?.message : '';
        assert.equal(
          result.kind,
          sentence === '' ? 'preview' : 'mistakes',
          `${role}: ${JSON.stringify(result)}`,
        );
        assert.ok(told?.startsWith(sentence), `${role}: ${told}`);
        if (sentence === '') continue;
        // Not even without a preview.
        const forced = await read(
          JSON.stringify(document),
          [],
          { name: 'plan.json', kind: 'import' },
          { refuses },
        );
        assert.equal(forced.kind, 'mistakes');
        assert.deepEqual(await plan(), before);
      }
    });
});

test('an account is made by an owner, and never premium', async (t) => {
  const { read } = await uploader(t);
  const by = (role: 'planner' | 'owner', document: object) =>
    read(
      JSON.stringify(document),
      [],
      { name: 'plan.json' },
      { refuses: (planned) => whyForbidden(planned, role) },
    );
  assert.equal((await by('planner', { account: SLUG })).kind, 'mistakes');
  assert.equal((await by('owner', { account: { ...SLUG, premium: true } })).kind, 'mistakes');
  assert.equal((await by('owner', { account: SLUG })).kind, 'preview');
});

test('the time zone of a sheet is a setting, too', async (t) => {
  const { run, read } = await uploader(t);
  await run(BEFORE);
  const sheet = 'date,start_time,end_time,group,publish_date\n2027-06-03,9:00,17:00,Kitchen,2026-01-01';
  const refuses = (planned: Parameters<typeof whyForbidden>[0]) => whyForbidden(planned, 'planner');
  assert.equal((await read(sheet, [['time-zone', 'Asia/Tokyo']], {}, { refuses })).kind, 'mistakes');
});

test('a document cannot bring tokens along', async (t) => {
  const { run, read, contents } = await uploader(t);
  await run(BEFORE);
  const document = JSON.stringify({ account: SLUG, tokens: [{ hash: 'a'.repeat(64) }] });
  assert.equal((await read(document, [], { name: 'plan.json' })).kind, 'mistakes');
  assert.equal((await contents()).tokens, 0);
});

describe('whoever may not change something may not change it back:', () => {
  const UNDOS: readonly [what: string, document: object, planner: boolean, owner: boolean][] = [
    ['what is premium', { account: { ...SLUG, premium: false } }, false, false],
    ['the name', { account: { ...SLUG, name: 'New' } }, false, true],
    ['the time zone', { account: { ...SLUG, time_zone: 'Europe/Amsterdam' } }, false, true],
    ['a private group', { account: SLUG, groups: [{ id: 1, private: true }] }, false, true],
    ['a new group', { account: SLUG, groups: [{ id: 2, name: 'Bar' }] }, false, true],
    ['new people and shifts', { account: SLUG, people: [{ id: 2, name: 'Bo' }], shifts: [] }, true, true],
  ];
  for (const [what, document, ...may] of UNDOS)
    test(what, async (t) => {
      const desk = await openDesk(t);
      await desk.import(BEFORE);
      await desk.import(document);
      const now = await desk.store.findAccount('acme');
      const keys = [await desk.key('acme', 'Noor'), await desk.key('acme', 'Ada', 'owner')] as const;
      const [entry] = await desk.store.history(now?.id ?? 0);
      for (const [i, key] of keys.entries()) {
        const visitor = await desk.visitor(key);
        const { undo } = await visitor.get('history');
        assert.equal('entry' in undo, may[i], JSON.stringify(undo));
        if (may[i]) continue;
        assert.match(undo.refusal, /^The import at .* cannot be taken back with your key: .*\.$/);
        const refused = await visitor.send('POST', 'undo', { entry: entry?.id });
        assert.equal(refused.status, 409);
        assert.deepEqual(await refused.json(), { error: undo.refusal });
        assert.deepEqual(await desk.store.findAccount('acme'), now);
        assert.equal((await desk.store.history(now?.id ?? 0)).length, 2);
      }
    });
});
