/** The short form of `npm run torture -- --only overload`, without times. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { ATTACKS } from '../../torture/overload/attacks.ts';
import { watchAttack } from '../../torture/overload/part.ts';
import { type RunningTarget, startTargets } from '../../torture/overload/targets.ts';
import { listen } from '../support/listening.ts';
import { isLong } from '../support/strength.ts';

if (isLong)
  test('while a crowd asks as often as it is answered, a service and a gateway answer everybody else', async (context) => {
    const crowd = ATTACKS.find(({ name }) => name.endsWith('ask as often as they are answered'));
    assert.ok(crowd);
    const targets = await startTargets(context, 200);
    await Promise.all(
      targets.map(async (target) => {
        const { during, after } = await watchAttack(crowd, target, 0.5);
        assert.ok(during.answered > 0, target.kind);
        assert.deepEqual([during.failed, after.failed], [0, 0], target.kind);
      }),
    );
  });

test('an attacker that ends at once attacks nobody, which is a failure', async (context) => {
  const server = createServer((_, response) => void response.end());
  const target = { url: `http://127.0.0.1:${await listen(context, server)}`, path: '/' } as RunningTarget;
  const unknown = { name: 'an attack that no attacker knows', isHttp: true, run: async () => undefined };
  await assert.rejects(watchAttack(unknown, target, 0.1), /^Error: The attacker ended by itself: an attack/);
});
