import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { makeDraw } from '../../torture/draw.ts';
import type { Part } from '../../torture/part.ts';
import { PARTS } from '../../torture/parts.ts';
import { drawPage, markdownOf, type Result } from '../../torture/results.ts';
import { readSettings } from '../../torture/settings.ts';

const PART: Part = {
  name: 'sample',
  promises: ['It stands.'],
  trial: 'It is pushed.',
  unit: 'pushes',
  amounts: { quick: 5, whole: 50 },
  run: async () => ({ figures: {}, failures: [] }),
};

test('results are kept of a run of all parts with all that they have, or of any when that is asked for', () => {
  const isKept = (...args: string[]) => readSettings(args, [PART]).isKept;
  for (const args of [[], ['--seed', '7'], ['--amount', '7', '--keep'], ['--only', 'sample', '--keep']])
    assert.ok(isKept(...args));
  for (const args of [['--quick'], ['--only', 'sample'], ['--amount', '7']]) assert.ok(!isKept(...args));
});

test('how much is tried follows from the part, unless it is said', () => {
  const amount = (...args: string[]) => readSettings(args, [PART]).amountOf(PART);
  assert.deepEqual([amount(), amount('--quick'), amount('--amount', '7')], [50, 5, 7]);
  assert.deepEqual([amount('--amount', 'sample=9')], [9]);
});

test('a part that does not exist and a seed that is none are told', () => {
  assert.throws(() => readSettings(['--only', 'other'], [PART]), /There is no part other, only sample\./);
  assert.throws(() => readSettings(['--seed', 'x'], [PART]), /--seed must be a whole number/);
});

test('the page has each promise, how it was tried, the figures, what broke, and what was mended', () => {
  const found = [{ part: 'sample', what: 'It leaned.', test: 'test/lean.test.ts' }];
  const result: Result = {
    part: 'sample',
    date: '2026-11-16',
    commit: 'abc',
    machine: 'a heap',
    node: '26',
    amount: 50,
    seed: 3,
    seconds: 2,
    figures: { falls: 1 },
    failures: [{ seed: 12, what: 'It fell.\nAt length.' }],
    plots: ['falls.svg'],
  };
  const page = markdownOf([PART], [result], found);
  const less = markdownOf([PART], [{ ...result, amount: 5 }], []);
  assert.ok(less.includes('| pushes | 5 (a whole run has 50) |'), less);
  assert.ok(markdownOf([PART], [], []).includes('No run was kept yet.'));
  for (const text of [
    '## Sample',
    '- It stands.',
    'It is pushed.',
    'Last run: 2026-11-16 at commit abc, on a heap, with Node 26.',
    '| pushes | 50 |',
    '| falls | 1 |',
    '| broken promises | 1 |',
    '(falls.svg)',
    '- **Broken** (seed 12): It fell.\n',
    '- It leaned. (`test/lean.test.ts`)',
  ])
    assert.ok(page.includes(text), text);
});

test('docs/reliability.md is what the kept results give', async () => {
  const page = await readFile(new URL('../../docs/reliability.md', import.meta.url), 'utf8');
  assert.equal(page, await drawPage(), 'npm run torture -- --page draws it anew.');
});

test('names of parts are words for the command line, and each part says what it promises', () => {
  assert.equal(new Set(PARTS.map(({ name }) => name)).size, PARTS.length);
  for (const { name, promises } of PARTS) {
    assert.match(name, /^[a-z-]+$/);
    assert.ok(promises.length > 0 && promises.every((promise) => promise.endsWith('.')), name);
  }
});

test('what is drawn follows from the seed and its stream, and covers its range', () => {
  const draws = (seed: number, stream?: string) => {
    const draw = makeDraw(seed, stream);
    return Array.from({ length: 50 }, () => draw.integer(1, 6));
  };
  assert.deepEqual(draws(1), draws(1));
  assert.notDeepEqual(draws(1), draws(2));
  assert.notDeepEqual(draws(1, 'a'), draws(1, 'b'));
  assert.deepEqual([...new Set(draws(1))].sort(), [1, 2, 3, 4, 5, 6]);
});
