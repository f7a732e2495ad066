import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeDeskMetrics } from '../../src/desk/metrics.ts';
import { acme, shift } from '../support/document.ts';
import { until } from '../support/until.ts';
import { openDesk } from './desk.ts';

test('operators see requests, connections to the database, and what becomes of files', async (context) => {
  const metrics = makeDeskMetrics();
  const desk = await openDesk(context, { kind: 'postgres', metrics });
  await desk.import(acme([shift('2026-11-18')]));
  const planner = await desk.visitor(await desk.key('acme', 'Noor'));
  const plan = JSON.stringify(acme([shift('2026-11-19')]));
  const id = await planner.upload('plan.json', plan);
  const { digest } = await planner.resultOf(id);
  await planner.post(`imports/${id}/import`, { digest });
  assert.equal((await planner.resultOf(id)).kind, 'imported');
  const { kind } = await planner.resultOf(await planner.upload('plan.csv', 'date,start_time\n'));

  const told = async (line: string) => (await metrics.registry.metrics()).split('\n').includes(line);
  for (const line of [
    'shiftfeed_http_requests_total{route="imports",status="201"} 2',
    'shiftfeed_http_requests_total{route="imports/:id/import",status="202"} 1',
    'shiftfeed_desk_tasks_total{kind="read",result="preview"} 1',
    'shiftfeed_desk_tasks_total{kind="import",result="imported"} 1',
    `shiftfeed_desk_tasks_total{kind="read",result="${kind}"} 1`,
    'shiftfeed_desk_tasks{state="waiting"} 0',
    'shiftfeed_desk_tasks{state="running"} 0',
    'shiftfeed_database_waiting{pool="requests"} 0',
  ])
    await until(line, () => told(line));
  assert.doesNotMatch(await metrics.registry.metrics(), /acme|Noor|plan\./);
});
