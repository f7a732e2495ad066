import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { randomFrom } from '@shiftfeed/common/random';
import { jsonOf, shiftsByMonth } from '../bench/accounts.ts';
import { type AimName, judge } from '../bench/aims.ts';
import { ratioOf } from '../bench/processor-time.ts';
import { markdownOf, openReport, type Results } from '../bench/report.ts';
import { drawResults, keepResults } from '../bench/results.ts';
import { startService } from './support/service.ts';

const BENCH = join(import.meta.dirname, '../bench');
/** 2026-11-15, in days since 1970. */
const TODAY = Date.UTC(2026, 10, 15) / 86_400_000;

test('accounts of the benchmark have the size they say, are the same in every run of a day, and can be imported', async (context) => {
  const months = [...shiftsByMonth(1_000, TODAY)];
  assert.equal(months.length, 36);
  assert.deepEqual([...shiftsByMonth(1_000, TODAY)], months);
  const shifts = months.flat();
  assert.ok(Math.abs(shifts.length - 3_000) < 30, `${shifts.length} shifts`);
  assert.equal(new Set(shifts.map(({ id }) => id)).size, shifts.length);
  const ahead = shifts.filter(({ date }) => date >= '2026-11-15');
  const unpublished = ahead.filter(({ publish_date }) => publish_date > '2026-11-15');
  assert.ok(unpublished.length > ahead.length * 0.03 && unpublished.length < ahead.length * 0.07);
  const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
  await service.import(JSON.parse([...jsonOf('small', months)].join('')));
});

test('aims are met on their limit and missed beyond it, whichever way they point', () => {
  const verdicts = (aim: AimName, ...values: number[]) =>
    values.map((value) => judge({ aim, value }, 'arm64'));
  assert.deepEqual(verdicts('flat', 1.5, 1.51), ['met', 'missed']);
  assert.deepEqual(verdicts('notModified', 0.8, 0.79, Number.NaN), ['met', 'missed', 'missed']);
});

test('an aim may have another limit on another processor', () => {
  const finding = { aim: 'compressedToFixed', value: 0.75 } as const;
  assert.deepEqual([judge(finding, 'arm64'), judge(finding, 'x64')], ['missed', 'met']);
});

test('of a value that is known badly and lies close to its limit, nobody can tell whether it meets the aim', () => {
  const verdict = (value: number, uncertainty: number) =>
    judge({ aim: 'notModified', value, uncertainty }, 'arm64');
  assert.equal(verdict(0.79, 0.02), 'cannot tell');
  assert.equal(verdict(0.81, 0.02), 'cannot tell');
  assert.equal(verdict(0.9, 0.02), 'met');
  assert.equal(verdict(0.7, 0.02), 'missed');
  assert.equal(verdict(0.79, 0.015), 'missed');
});

/** What a run on a processor gives that measured one thing. */
function resultsOf(architecture: string, name: string, value: number, uncertainty = 0.02): Results {
  const report = openReport(name, () => {});
  report.text('Some.');
  report.table('question | ratio')('first page', String(value));
  report.worst('flat', [{ value: value / 2 }, { value, of: 'a week' }]);
  report.finding('start', 0.75);
  report.finding('tenToFixed', 0.74, uncertainty);
  const sections = { [name]: report.finish('Measured today.') };
  return { processor: 'Fast One', architecture, machine: { cores: '2' }, method: ['Carefully.'], sections };
}

test('the results say what was met and what was missed', () => {
  const document = markdownOf([resultsOf('arm64', 'pages', 1.2)]);
  assert.match(document, /\| ≤ 1\.5 \| 1\.2 \(a week\) \| met \|/);
  assert.match(document, /\| ≤ 0\.35 s \| 0\.75 s \| \*\*missed\*\* \|/);
  assert.match(document, /\| ≥ 0\.75 \| 0\.74 ±0\.020 \| \*\*cannot tell\*\* \|/);
  assert.match(document, /^- From the start of the process .+: .+\.$/m);
  assert.match(document, /^## Fast One, arm64$/m);
  assert.match(document, /^### pages\n\nSome\.\n\n\| question \| ratio \|$/m);
});

test('a run replaces what it measured on its processor, and leaves all else as it is', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-results-'));
  context.after(() => rm(folder, { recursive: true }));
  const order = ['processor', 'pages'];
  const keep = (results: Results) => keepResults(folder, results, new Map([['plot', '<svg/>']]), order);
  await keep(resultsOf('arm64', 'pages', 1.1));
  await keep(resultsOf('x64', 'pages', 1.2, Number.POSITIVE_INFINITY));
  await keep(resultsOf('arm64', 'processor', 1.3));
  await keep(resultsOf('arm64', 'processor', 1.4));
  const document = await readFile(join(folder, 'RESULTS.md'), 'utf8');
  assert.match(document, /0\.74 ±∞ \| \*\*cannot tell\*\*/);
  const found = document.match(/^## .*|^### p.*|^\| first page .*/gm);
  assert.deepEqual(found, [
    '## Fast One, arm64',
    ...['### processor', '| first page | 1.4 |', '### pages', '| first page | 1.1 |'],
    '## Fast One, x64',
    ...['### pages', '| first page | 1.2 |'],
  ]);
  assert.equal(await readFile(join(folder, 'plots/plot.svg'), 'utf8'), '<svg/>');
});

test('RESULTS.md is what the kept results are', async () => {
  assert.equal(await readFile(join(BENCH, 'RESULTS.md'), 'utf8'), await drawResults(BENCH));
});

test('in 19 of 20 runs the true ratio lies within the uncertainty, however much the starts differ', () => {
  for (const { starts, differ } of [
    { starts: 4, differ: 0.1 },
    { starts: 8, differ: 0.1 },
    { starts: 14, differ: 0.02 },
  ]) {
    const random = randomFrom(1);
    const runs = Array.from({ length: 2_000 }, () =>
      ratioOf(Array.from({ length: starts }, () => 0.8 + differ * (random() - 0.5))),
    );
    const within = runs.filter(({ ratio, uncertainty }) => Math.abs(ratio - 0.8) <= uncertainty);
    const share = within.length / runs.length;
    assert.ok(share > 0.93 && share < 0.97, `${starts} starts: ${share}`);
  }
});
