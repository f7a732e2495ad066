/** The short form of `npm run torture -- --only away`, without times. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promoteLaggingStandby } from '../../torture/away/lost-commits.ts';
import { lineOutages, lockedFile, missingFile, replacedFile } from '../../torture/away/outages.ts';
import { promoteStandby, type Replicated } from '../../torture/away/promotion.ts';
import { openScene, type Scene } from '../../torture/away/scene.ts';
import { makeDraw } from '../../torture/draw.ts';
import { withCleanup } from '../../torture/trial.ts';
import { type Cleanup, newStoreUrl } from '../support/database.ts';
import { startLine } from '../support/line.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';

test('however a line to PostgreSQL breaks, no page is older than its request, and all is well again afterwards', async (context) => {
  const url = await newStoreUrl(context, 'postgres');
  const line = await startLine(context, url);
  const scene = await openScene(context, url, line.url);
  for (const outage of lineOutages(line)) {
    await until('it answers', async () => (await scene.ask()).status === 200);
    await outage.begin();
    await scene.change();
    const answers = await Promise.all(Array.from({ length: 5 }, () => scene.ask()));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [503], outage.name);
    await outage.end();
  }
  await until('it answers again', async () => (await scene.ask()).status === 200);
});

test('while a file of SQLite is locked, replaced or moved away, no page is older than its request', async (context) => {
  const url = await newStoreUrl(context);
  const path = url.slice('sqlite:'.length);
  const scene = await openScene(context, url);
  for (const outage of [lockedFile(path), replacedFile(path), missingFile(path)]) {
    await outage.begin();
    if (outage.isWritable) await scene.change();
    const answers = await Promise.all(Array.from({ length: 5 }, () => scene.ask()));
    const expected = outage.isHarmless ? 200 : 503;
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [expected], outage.name);
    await outage.end();
    await until('it answers', async () => (await scene.ask()).status === 200);
  }
});

if (isLong)
  test('a standby that takes the place of its primary under load shows nothing older than what was shown; if it never does, that is told', () =>
    withCleanup(async (context) => {
      const replicated = await startReplicated(context);
      const { line, scene } = replicated;
      const { standby, measured } = await promoteStandby(context, replicated, 1);
      assert.ok(measured.answers.length > 0);

      const asking = (ask: Scene['ask']) => ({ scene: { ...scene, ask } });
      const planted: readonly [Partial<Replicated>, RegExp, number][] = [
        [asking(() => new Promise(() => undefined)), /was not over after 0\.5 s/, 500],
        [asking(() => Promise.reject(new Error('An old page.'))), /^Error: An old page\.$/, 10_000],
        [{ line: { ...line, leadTo: () => undefined } }, /was not over after 3 s/, 3_000],
      ];
      for (const [fault, problem, givenUpMs] of planted) {
        const parts = { primary: standby, line, scene, ...fault };
        await assert.rejects(promoteStandby(context, parts, 2, givenUpMs), problem);
      }
    }));

if (isLong)
  test('a standby that takes the place of its primary and lacks commits shows nothing of what was lost', () =>
    withCleanup(async (context) => {
      const draw = makeDraw(1, 'lost commits');
      const { measured } = await promoteLaggingStandby(context, await startReplicated(context), draw, true);
      assert.ok(measured.answers.length > 0);
    }));

async function startReplicated(context: Cleanup): Promise<Replicated> {
  const primary = await startPostgres();
  context.after(() => primary.remove());
  const line = await startLine(context, primary.url);
  return { primary, line, scene: await openScene(context, primary.url, line.url) };
}
