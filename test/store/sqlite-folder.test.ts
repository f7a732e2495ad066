/** A folder that a SQLite database cannot be looked for or made in. */

import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openReader, openStore } from '../../src/store/open.ts';
import { newFolder } from '../support/database.ts';
import { asOrdinaryUser } from '../support/ordinary-user.ts';

test('a database in a folder that nobody may look into is not said to be missing', async (t) => {
  const folder = await newFolder(t);
  const url = `sqlite:${join(folder, 'shifts.db')}`;
  await chmod(folder, 0);
  const denied = {
    message: `The database ${join(folder, 'shifts.db')} cannot be opened: permission denied.`,
  };
  await asOrdinaryUser(async () => {
    for (const missing of ['fail', 'pretend', 'create'] as const) {
      await assert.rejects(openStore(url, { missing }), denied);
    }
    await assert.rejects(openReader(url), denied);
    await assert.rejects(openStore(`sqlite:${join(folder, 'new/shifts.db')}`, { missing: 'create' }), {
      message: `The folder ${join(folder, 'new')} of the database cannot be made: permission denied.`,
    });
  });
});
