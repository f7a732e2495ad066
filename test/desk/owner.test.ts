import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashToken } from '../../src/feed/access/token.ts';
import { DATABASES } from '../support/database.ts';
import { acme, KITCHEN, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { openDesk } from './desk.ts';

/** What both databases do alike is tried on PostgreSQL in the long tests. */
for (const kind of DATABASES.slice(0, often(1, 2)))
  describe(`What owners do at the desk on ${kind}`, () => {
    async function setUp(context: Parameters<typeof openDesk>[0]) {
      const desk = await openDesk(context, { kind });
      await desk.import(
        acme([shift('2026-11-18', { person_id: 1, location_id: 1 })], {
          people: [
            { id: 1, name: 'Noor' },
            { id: 2, name: 'Ada' },
          ],
          locations: [{ id: 1, name: 'Pier', address: '' }],
        }),
      );
      const owner = await desk.visitor(await desk.key('acme', 'Owner', 'owner'));
      const change = async (path: string, body: object) => (await owner.send('PATCH', path, body)).status;
      return { desk, owner, change };
    }

    test('a token is shown once, listed, and revoked', async (context) => {
      const { desk, owner } = await setUp(context);
      const { id, token } = await owner.post('tokens', { label: 'website', expires: '30d' });
      const [stored] = await desk.store.tokens();
      assert.equal(stored?.id, id);
      const answers = await desk.store.readAccount('acme', async ({ tokens }) => Array.fromAsync(tokens()));
      assert.equal(answers?.[0]?.[0]?.hash, hashToken(token));
      const { premium, tokens } = await owner.get('tokens');
      assert.equal(premium, true);
      assert.deepEqual(tokens[0], {
        id,
        hint: token.slice(0, 14),
        label: 'website',
        state: 'live',
        created_at: '2026-11-18T12:00:00.000Z',
        expires_at: '2026-12-18T12:00:00.000Z',
        last_used_at: null,
      });
      assert.equal((await owner.send('DELETE', `tokens/${id}`)).status, 204);
      assert.equal((await owner.get('tokens')).tokens[0].state, 'revoked');
      const wrong = await owner.send('POST', 'tokens', { expires: 'soon' });
      assert.match(await wrong.text(), /"Expected a date such as/);
      const past = await owner.send('POST', 'tokens', { expires: '2020-01-01' });
      assert.match(await past.text(), /is in the past/);
    });

    test('settings, groups, locations and people are changed, within their rules', async (context) => {
      const { desk, owner, change } = await setUp(context);
      assert.equal(
        await change('settings', { name: 'Acme & Co', time_zone: 'Europe/Paris', sort: 'group' }),
        204,
      );
      assert.equal(await change('groups/1', { name: 'Bar', active: false, private: true }), 204);
      assert.equal(await change('locations/1', { address: 'Quay 1' }), 204);
      assert.equal(await change('people/1', { name: 'Noor Smit' }), 204);
      assert.deepEqual(await owner.get('settings'), {
        account: { slug: 'acme', name: 'Acme & Co', time_zone: 'Europe/Paris', sort: 'group', premium: true },
        sorts: ['time', 'group'],
      });
      assert.deepEqual((await owner.get('groups')).records, [
        { id: 1, name: 'Bar', active: false, private: true, shifts: 1 },
      ]);
      assert.deepEqual((await owner.get('locations')).records, [
        { id: 1, name: 'Pier', address: 'Quay 1', shifts: 1 },
      ]);
      const [noor, ada] = [
        { id: 1, name: 'Noor Smit', shifts: 1 },
        { id: 2, name: 'Ada', shifts: 0 },
      ];
      assert.deepEqual(await owner.get('people'), { records: [noor, ada] });
      assert.deepEqual(await owner.get('people?after=1'), { records: [ada] });
      for (const [path, body, status] of [
        ['settings', { time_zone: 'Europe/Nowhere' }, 400],
        ['settings', { sort: 'size' }, 400],
        ['settings', { name: '' }, 400],
        ['settings', { name: 5 }, 400],
        ['groups/1', { active: 'no' }, 400],
        ['groups/99', { name: 'Nobody' }, 404],
        ['groups/1%20OR%201', { name: 'Nobody' }, 404],
        ['people/1', { name: 'ADA' }, 409],
        ['people/2', { name: 'ADA' }, 204],
      ] as const)
        assert.equal(await change(path, body), status, `${path} ${JSON.stringify(body)}`);
      await change('settings', { premium: false, slug: 'mine' });
      assert.equal((await desk.store.findAccount('acme'))?.premium, true);
    });

    test('of two people who get one new name at the same moment, one keeps the old name', async (context) => {
      const { change } = await setUp(context);
      for (const name of ['Jo', 'Sam', 'Kim']) {
        const statuses = await Promise.all([1, 2].map((id) => change(`people/${id}`, { name })));
        assert.deepEqual(statuses.toSorted(), [204, 409], name);
      }
    });

    test('ids may be as large as imports make them', async (context) => {
      const { desk, owner, change } = await setUp(context);
      const [id, largest] = [1_795_000_000_000_123, Number.MAX_SAFE_INTEGER];
      const named = { id, name: 'Large' };
      await desk.import(
        acme([shift('2026-11-19', { id }), shift('2026-11-19', { id: largest })], {
          groups: [KITCHEN, named],
          locations: [{ ...named, address: '' }],
          people: [named, { id: largest, name: 'Largest' }],
        }),
      );
      for (const table of ['groups', 'locations', 'people']) {
        assert.equal(await change(`${table}/${id}`, { name: 'Other' }), 204, table);
        const { records } = await owner.get(`${table}?after=${id - 1}`);
        assert.deepEqual([records[0].id, records[0].name], [id, 'Other'], table);
      }
      const days = 'from=2026-11-19&to=2026-11-19';
      const { shifts } = await owner.get(`shifts?${days}&after=2026-11-19,${id}`);
      assert.deepEqual(
        shifts.map((one: { id: number }) => one.id),
        [largest],
      );
      assert.equal((await owner.send('DELETE', `people/${largest}`)).status, 204);
      assert.equal((await owner.send('DELETE', `people/${largest + 1}`)).status, 404);
      for (const path of [`people?after=${largest + 1}`, `shifts?${days}&after=2026-11-19,${largest + 1}`])
        assert.equal((await owner.send('GET', path)).status, 400, path);
    });

    test('a shift counts as published from the first moment of its day, where the account is', async (context) => {
      const { desk, owner } = await setUp(context);
      await desk.import(
        acme(
          ['2026-11-17', '2026-11-18', '2026-11-19'].map((publish_date, i) =>
            shift('2026-12-01', { id: 10 + i, publish_date }),
          ),
        ),
      );
      const published = async () => {
        const { shifts } = await owner.get('shifts?from=2026-12-01&to=2026-12-01');
        return shifts.map((one: { published: boolean }) => one.published);
      };
      assert.deepEqual(await published(), [true, true, false]);
      await owner.send('PATCH', 'settings', { time_zone: 'Pacific/Kiritimati' });
      assert.deepEqual(await published(), [true, true, true]);
    });

    test('somebody who is forgotten leaves open shifts', async (context) => {
      const { owner } = await setUp(context);
      assert.equal((await owner.send('DELETE', 'people/1')).status, 204);
      assert.equal((await owner.send('DELETE', 'people/1')).status, 404);
      const { shifts } = await owner.get('shifts?from=2026-11-01&to=2026-11-30');
      assert.equal(shifts[0].person, null);
      assert.equal(shifts[0].published, true);
    });

    test('an invitation is a link that works once it is opened, and ends when it is revoked', async (context) => {
      const { desk, owner } = await setUp(context);
      const { link } = await owner.post('keys', { name: 'Jo', role: 'planner' });
      assert.ok(link.startsWith(`${desk.url}/#key=`));
      const again = await owner.send('POST', 'keys', { name: 'Jo' });
      assert.equal(again.status, 409);
      const jo = await desk.visitor(link.split('#key=')[1]);
      assert.equal((await jo.get('session')).role, 'planner');
      const { keys } = await owner.get('keys');
      const [, key] = keys;
      assert.equal(key.name, 'Jo');
      assert.equal(key.expires_at, '2027-02-16T12:00:00.000Z');
      assert.equal((await owner.send('DELETE', `keys/${key.id}`)).status, 204);
      assert.equal((await jo.send('GET', 'session')).status, 401);
      assert.equal((await owner.send('POST', 'keys', { name: 'Eve', role: 'king' })).status, 400);
      // Whoever empties the field has not asked for a key that never ends.
      for (const expires of ['', null]) {
        await owner.post('keys', { name: `Eve ${expires}`, expires });
        const { keys } = await owner.get('keys');
        assert.equal(keys.at(-1).expires_at, '2027-02-16T12:00:00.000Z');
      }
    });
  });
