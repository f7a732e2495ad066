import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGateway, type ShowKey } from '@shiftfeed/gateway';
import { often } from '../../support/strength.ts';
import { tryFeeds } from './privacy.ts';
import { fakeUpstream, makeShift } from './upstream.ts';

test('no answer in any form holds a field, a group or a shift that the owner did not allow', () =>
  tryFeeds({ numRuns: often(25, 600) }));

test('the order of shifts does not tell their groups where those are not shown', async () => {
  // As an account lists them that is sorted by group.
  const shifts = [
    makeShift({ id: 3, start_time: '09:00', group: { id: 1, name: 'A' } }),
    makeShift({ id: 1, start_time: '12:00', group: { id: 1, name: 'A' } }),
    makeShift({ id: 2, start_time: '09:00', group: { id: 2, name: 'B' } }),
  ];
  const idsOf = async (show: readonly ShowKey[]) => {
    const gateway = createGateway({
      config: { upstream: 'https://up.example/acme', feeds: { kitchen: { group_ids: 'all', show } } },
      token: 'shiftfeed_x',
      clock: () => Date.parse('2026-11-15T12:00:00Z'),
      fetch: fakeUpstream({ shifts }).fetch,
    });
    const response = await gateway(new Request('https://gw.example.org/kitchen/shifts'));
    const body = (await response.json()) as { shifts: { id: number }[] };
    return body.shifts.map(({ id }) => id);
  };
  assert.deepEqual(await idsOf(['group']), [3, 1, 2]);
  assert.deepEqual(await idsOf([]), [2, 3, 1]);
});
