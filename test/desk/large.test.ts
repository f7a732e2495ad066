import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_FILE_BYTES } from '../../src/desk/imports.ts';
import { asDate, asTime, xlsx } from '../import/sheet/make-workbook.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { often } from '../support/strength.ts';
import { openDesk } from './desk.ts';

/** In the long tests there is also a file that is nearly as large as allowed: a column that nobody asked for. */
const NOTE_BYTES = often(0, 15_000);

function workbook(rows: number, noteBytes: number): Uint8Array<ArrayBuffer> {
  const row = (_: unknown, i: number) => [
    asDate(`2027-01-${10 + (i % 20)}`),
    asTime('09:00'),
    asTime('17:00'),
    'Kitchen',
    `row ${i}`,
    asDate('2026-11-01'),
    'Ada',
    randomBytes(noteBytes).toString('base64'),
  ];
  const headings = [
    'date',
    'start_time',
    'end_time',
    'group',
    'remarks',
    'publish_date',
    'person',
    'payroll',
  ];
  return new Uint8Array(xlsx([{ name: 'Plan', rows: [headings, ...Array.from({ length: rows }, row)] }]));
}

test('while a large workbook is read and imported, everybody else is answered', async (context) => {
  const desk = await openDesk(context);
  await desk.import(acme([shift('2026-11-18')]));
  const service = await startService(context, { now: '2026-11-18T12:00:00Z', databaseUrl: desk.databaseUrl });
  const token = await service.token('acme');
  const planner = await desk.visitor(await desk.key('acme', 'Noor'));
  const owner = await desk.visitor(await desk.key('acme', 'Ada', 'owner'));

  /** Asks for everything, also to write, now and then until the file is at rest again. */
  async function askMeanwhile(id: string): Promise<Set<string>> {
    const states = new Set<string>();
    for (let isAtRest = false; !isAtRest; ) {
      const { state } = await planner.get(`imports/${id}`);
      for (const path of ['session', 'history', 'shifts?from=2026-11-01&to=2026-11-30'])
        await owner.get(path);
      assert.equal((await owner.send('PATCH', 'settings', { name: ACME.name })).status, 204);
      await service.list('acme', '', token);
      states.add(state);
      isAtRest = state === 'read' || state === 'done';
      await pause(20);
    }
    return states;
  }

  if (NOTE_BYTES > 0) {
    const large = workbook(6_500, NOTE_BYTES);
    assert.ok(large.length > 0.9 * MAX_FILE_BYTES && large.length <= MAX_FILE_BYTES);
    const id = await planner.upload('large.xlsx', large);
    assert.ok((await askMeanwhile(id)).has('reading'));
    assert.notEqual((await planner.resultOf(id)).kind, 'failed');
  }
  const id = await planner.upload('plan.xlsx', workbook(500, 0));
  await askMeanwhile(id);
  const preview = await planner.resultOf(id);
  assert.equal(preview.kind, 'preview', JSON.stringify(preview).slice(0, 500));
  await planner.post(`imports/${id}/import`, { digest: preview.digest });
  await askMeanwhile(id);
  assert.equal((await planner.resultOf(id)).kind, 'imported');
});
