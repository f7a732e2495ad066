/** The short form of `npm run torture -- --only overload`, without times. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTACKS } from '../../torture/overload/attacks.ts';
import { watchAttack } from '../../torture/overload/part.ts';
import { startTargets } from '../../torture/overload/targets.ts';

test('while a crowd asks as often as it is answered, a service and a gateway answer everybody else', async (context) => {
  const crowd = ATTACKS.find(({ name }) => name.endsWith('ask as often as they are answered'));
  assert.ok(crowd);
  const targets = await startTargets(context, { acme: 200, wide: 200 });
  await Promise.all(
    targets.map(async (target) => {
      const { during, after, newcomer } = await watchAttack(crowd, target, 0.5);
      assert.ok(during.answered > 0, target.kind);
      assert.deepEqual([during.failed, after.failed, newcomer], [0, 0, 'answered'], target.kind);
    }),
  );
});
