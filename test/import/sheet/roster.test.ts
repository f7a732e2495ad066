import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importer } from '../importer.ts';

test('a roster whose cells follow the dates is written to a new account', async (t) => {
  const { importSheet } = await importer(t);
  const { tables } = await importSheet('Name,2026-12-01,2026-12-02\nAda,9-17,10-18\n', {
    group: 'Bar',
    publishedFrom: '2026-11-01',
  });
  assert.equal(tables.shifts.added, 2);
});
