/** The part of `npm run torture -- --only supply` that needs no registry. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canConfine, serveConfined, unexplainedDependencies } from '../../torture/supply/part.ts';

test('docs/decisions.md says of each direct dependency why it is there', async () => {
  const { explained, unexplained } = await unexplainedDependencies();
  assert.deepEqual(unexplained, []);
  assert.ok(explained > 0);
});

test('the service runs without root on a read-only file system, but for the folder of its database', async (context) => {
  if (!canConfine())
    context.skip(
      'This needs root, a project that everybody can read, bwrap and setpriv ("apt-get install bubblewrap").',
    );
  else await serveConfined(context);
});
