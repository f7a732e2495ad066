import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreFailure } from '../../src/store/failure.ts';
import { importer } from '../import/importer.ts';
import { DATABASES } from '../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';

for (const kind of DATABASES)
  describe(`Accounts on ${kind}`, () => {
    test('are read and written by several at the same moment', async (context) => {
      const { run, store, account } = await importer(context, kind);
      await run(acme([shift('2026-12-31')]));
      const { id } = await account();
      const [first, , second, accounts] = await Promise.all([
        store.describeAccount(id),
        store.renameAccount(id, 'acme-south'),
        store.describeAccount(id),
        store.accounts(),
      ]);
      assert.deepEqual(first, second);
      assert.equal(accounts.length, 1);
    });

    test('are described, listed, changed, renamed and removed', async (context) => {
      const { run, store, account, contents } = await importer(context, kind);
      const closed = { id: 2, name: 'Closed', active: false, private: true };
      const noor = { id: 3, name: 'Noor' };
      await run({ account: { ...ACME, slug: 'other' }, groups: [KITCHEN], shifts: [shift('2027-01-01')] });
      await run(
        acme(
          [
            shift('2026-12-31', { person_id: 3, publish_date: '2026-11-15' }),
            shift('2027-01-01', { publish_date: '2026-11-16' }),
            shift('2027-01-31', { group_id: 2 }),
          ],
          { groups: [KITCHEN, closed], people: [noor] },
        ),
      );
      const { id, ...settings } = await account();
      const { revision, lastImportedAtMs, ...described } = await store.describeAccount(id, '2026-11-15');
      assert.deepEqual(described, {
        groups: 2,
        inactiveGroups: 1,
        locations: 0,
        people: 1,
        tokens: 0,
        shifts: 3,
        firstDate: '2026-12-31',
        lastDate: '2027-01-31',
        months: [
          { month: '2026-12', shifts: 1, open: 0, unpublished: 0, unlisted: 0 },
          { month: '2027-01', shifts: 2, open: 2, unpublished: 1, unlisted: 1 },
        ],
      });
      assert.ok(lastImportedAtMs);
      assert.equal((await store.describeAccount(id)).months[0]?.unpublished, null);
      assert.deepEqual(await store.list('people', id), [{ ...noor, shifts: 1 }]);
      assert.deepEqual(await store.list('locations', id), []);

      assert.deepEqual(await store.change('groups', id, 1, {}), KITCHEN);
      assert.equal(await store.change('groups', id, 9, { name: 'Bar' }), undefined);
      assert.equal((await contents()).revision, revision);
      const opened = { ...closed, name: 'Open', active: true, private: false };
      assert.deepEqual(
        await store.change('groups', id, 2, { name: 'Open', active: true, private: false }),
        opened,
      );
      assert.ok((await contents()).revision > revision);
      assert.deepEqual(await store.list('groups', id), [
        { ...KITCHEN, shifts: 2 },
        { ...opened, shifts: 1 },
      ]);

      await store.renameAccount(id, 'acme-north');
      assert.deepEqual(await account('acme-north'), { ...settings, id, slug: 'acme-north' });
      await assert.rejects(store.renameAccount(id, 'other'), StoreFailure);

      const before = await contents('other');
      await store.removeAccount(id);
      assert.deepEqual(await store.accounts(), [await account('other')]);
      assert.deepEqual(await contents('other'), before);
    });

    test('lose a person or a location while the shifts stay, and a group only if no shift needs it', async (context) => {
      const { run, store, account, contents } = await importer(context, kind);
      const document = acme(
        [
          shift('2026-12-31', { person_id: 3, location_id: 7 }),
          shift('2027-01-01', { person_id: 3 }),
          shift('2027-01-31', { person_id: 4, location_id: 7 }),
        ],
        {
          groups: [KITCHEN, { id: 2, name: 'Bar' }],
          locations: [{ id: 7, name: 'Pier', address: 'Long Pier 4' }],
          people: [
            { id: 3, name: 'Noor' },
            { id: 4, name: 'Ada' },
          ],
        },
      );
      await run(document);
      await run({ ...document, account: { ...ACME, slug: 'other' } });
      const { id } = await account();
      const other = await contents('other');
      let { revision } = await contents();
      const isRaised = async () => {
        const before = revision;
        ({ revision } = await contents());
        return revision > before;
      };

      const moved = { name: 'Quay', address: '' };
      assert.deepEqual(await store.change('locations', id, 7, moved), { id: 7, ...moved });
      assert.ok(await isRaised());
      assert.deepEqual(await store.change('people', id, 4, { name: 'Ada L.' }), { id: 4, name: 'Ada L.' });
      assert.ok(await isRaised());

      assert.deepEqual(await store.remove('people', id, 3), { isRemoved: true, shifts: 2 });
      assert.ok(await isRaised());
      assert.deepEqual(await store.list('people', id), [{ id: 4, name: 'Ada L.', shifts: 1 }]);
      assert.deepEqual(await store.remove('locations', id, 7), { isRemoved: true, shifts: 2 });
      assert.ok(await isRaised());
      assert.deepEqual(await store.list('locations', id), []);
      const { months } = await store.describeAccount(id, '2026-11-15');
      assert.deepEqual(
        months.map(({ month, shifts, open }) => [month, shifts, open]),
        [
          ['2026-12', 1, 1],
          ['2027-01', 2, 1],
        ],
      );

      assert.deepEqual(await store.remove('groups', id, 1), { isRemoved: false, shifts: 3 });
      assert.deepEqual(await store.remove('groups', id, 2), { isRemoved: true, shifts: 0 });
      assert.deepEqual(await store.list('groups', id), [{ ...KITCHEN, shifts: 3 }]);
      for (const table of ['groups', 'locations', 'people'] as const)
        assert.equal(await store.remove(table, id, 99), undefined);
      assert.equal(await isRaised(), false);
      assert.deepEqual(await contents('other'), other);
    });
  });
