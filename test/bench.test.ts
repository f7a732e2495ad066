import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { jsonOf, randomFrom, shiftsByMonth } from '../bench/accounts.ts';
import { type AimName, judge } from '../bench/aims.ts';
import { Refused } from '../bench/load.ts';
import { ratio, sampleOf } from '../bench/numbers.ts';
import { barPlot, linePlot } from '../bench/plots.ts';
import {
  compareProcessorTime,
  costOf,
  isKnown,
  type Pair,
  type ProcessorRatio,
  ratioOf,
  type Starts,
} from '../bench/processor-time.ts';
import { markdownOf, openReport, type Results } from '../bench/report.ts';
import { drawResults, keepResults } from '../bench/results.ts';
import { startService } from './support/service.ts';

const BENCH = join(import.meta.dirname, '../bench');
/** 2026-11-15, in days since 1970. */
const TODAY = Date.UTC(2026, 10, 15) / 86_400_000;

test('accounts of the benchmark have the size they say, month by month, and can be imported', async (context) => {
  const months = [...shiftsByMonth(1_000, TODAY)];
  assert.equal(months.length, 36);
  const shifts = months.flat();
  assert.ok(Math.abs(shifts.length - 3_000) < 30, `${shifts.length} shifts`);
  assert.equal(new Set(shifts.map(({ id }) => id)).size, shifts.length);
  const ahead = shifts.filter(({ date }) => date >= '2026-11-15');
  const unpublished = ahead.filter(({ publish_date }) => publish_date > '2026-11-15');
  assert.ok(unpublished.length > ahead.length * 0.03 && unpublished.length < ahead.length * 0.07);
  const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
  await service.import(JSON.parse([...jsonOf('small', months)].join('')));
});

test('accounts of the benchmark are the same in every run of a day', () => {
  assert.deepEqual([...shiftsByMonth(1_000, TODAY)], [...shiftsByMonth(1_000, TODAY)]);
});

test('a sample has the median and both ends of its rounds', () => {
  const { median, lowest, highest } = sampleOf([30, 10, 20, 50, 40]);
  assert.deepEqual({ median, lowest, highest }, { median: 30, lowest: 10, highest: 50 });
  assert.equal(sampleOf([4, 1, 3, 2]).median, 2.5);
});

test('contestants are compared round by round, so that a slow round of both changes nothing', () => {
  assert.equal(ratio(sampleOf([50, 5, 48]), sampleOf([100, 10, 96])), 0.5);
  assert.equal(ratio(sampleOf([50, 5, 96]), sampleOf([100, 10, 96])), 0.5);
});

test('aims are met on their limit and missed beyond it, whichever way they point', () => {
  const verdicts = (aim: AimName, ...values: number[]) =>
    values.map((value) => judge({ aim, value }, 'arm64'));
  assert.deepEqual(verdicts('flat', 1.5, 1.51), ['met', 'missed']);
  assert.deepEqual(verdicts('notModified', 0.8, 0.79, Number.NaN), ['met', 'missed', 'missed']);
});

test('an aim may have another limit on another processor', () => {
  const finding = { aim: 'notModified', value: 0.75 } as const;
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

test('a row is printed as soon as it is known', () => {
  const printed: string[] = [];
  const addRow = openReport('Pages', (line) => printed.push(line)).table('question | ratio');
  addRow('first page', '0.9');
  assert.equal(printed.at(-1), '| first page | 0.9 |');
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

test('bars grow by the logarithm of their value, and texts are escaped', () => {
  const bars = [1, 10, 100].map((value) => ({ label: 'a & b', colour: '#000000', value }));
  const svg = barPlot('x < y', [{ label: 'g', bars }]);
  const widths = [...svg.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  const [none, half, whole] = widths as [number, number, number];
  assert.equal(none, 0);
  assert.equal(half * 2, whole);
  assert.ok(svg.includes('a &amp; b') && svg.includes('x &lt; y') && !svg.includes('x < y'));
});

test('labels of lines that end close together do not cover each other', () => {
  const lineTo = (y: number) => ({
    label: `to ${y}`,
    colour: '#000000',
    points: [
      { x: 1, y: 100 },
      { x: 10, y },
    ],
  });
  const svg = linePlot('t', 'x', [lineTo(100), lineTo(101)]);
  const [first = Number.NaN, second = Number.NaN] = Array.from(
    svg.matchAll(/y="([\d.]+)"[^>]*>to \d+:/g),
    ([, y]) => Number(y),
  );
  assert.ok(Math.abs(first - second) >= 13);
});

test('processor times are compared turn by turn, and turns in which a server had to wait do not count', () => {
  const { ratio, microseconds, isDisturbed } = costOf(pairsWith({ disturbed: 6, of: 12 }), 1_000_000);
  assert.equal(ratio.toFixed(3), '0.800');
  assert.ok(microseconds.ours < 22);
  assert.equal(isDisturbed, false);
  assert.equal(costOf(pairsWith({ disturbed: 10, of: 12 }), 1_000_000).isDisturbed, true);
});

test('a server that shares its cores always waits, which is no disturbance', () => {
  const cost = costOf(pairsWith({ disturbed: 12, of: 12 }), 1_000_000, { sharesCores: true });
  assert.equal(cost.isDisturbed, false);
});

/** Of one needing 0.8 of the other, and a fifth more where it was disturbed. */
function pairsWith({ disturbed, of }: { readonly disturbed: number; readonly of: number }): Pair[] {
  return Array.from({ length: of }, (_, i) => {
    const isDisturbed = i < disturbed;
    const seconds = isDisturbed ? 24 + i : 20 + (i - disturbed) / 10;
    return {
      ours: { seconds, waitedShare: isDisturbed ? 0.3 : 0.02 },
      other: { seconds: isDisturbed ? 16 : seconds * 0.8, waitedShare: 0 },
    };
  });
}

test('both sides are started anew until every ratio is known, but only so often', async () => {
  const startsFor = async (ratios: readonly number[], isDisturbed = false) => {
    const { found, started, stopped } = await compareFakes({ least: 4, most: 9 }, (start) => ({
      ratio: ratios[start % ratios.length] as number,
      isDisturbed,
    }));
    assert.equal(stopped, 2 * started);
    return { started, isKnown: isKnown(found[0] as ProcessorRatio) };
  };
  assert.deepEqual(await startsFor([0.8]), { started: 4, isKnown: true });
  assert.deepEqual(await startsFor([0.7, 0.9, 0.8, 0.8, 0.8]), { started: 9, isKnown: false });
  assert.deepEqual(await startsFor([0.8], true), { started: 9, isKnown: false });
});

test('a start in which a server refused requests is repeated, but not for ever', async () => {
  const refusing = (times: number) =>
    compareFakes({ least: 2, most: 2 }, (start) => {
      if (start < times) throw new Refused('on purpose');
      return { ratio: 1, isDisturbed: false };
    });
  const { found, started, stopped } = await refusing(5);
  assert.deepEqual([found[0]?.starts, started, stopped], [2, 7, 14]);
  await assert.rejects(refusing(6), /on purpose/);
});

test('every start begins with another question', async () => {
  const { firsts } = await compareFakes({ least: 3, most: 3 }, () => ({ ratio: 1, isDisturbed: false }));
  assert.deepEqual(firsts, ['a', 'b', 'a']);
});

/** Compares processes that do nothing by two questions, of which each start gives the same. */
async function compareFakes(
  starts: Starts,
  giveAt: (start: number) => { ratio: number; isDisturbed: boolean },
) {
  let started = 0;
  let stopped = 0;
  const firsts: string[] = [];
  const newQuestions = async () => {
    const contender = () => ({
      url: '',
      headers: {},
      process: { pid: 0, stop: async () => void stopped++ },
    });
    const question = { ours: contender(), other: contender() };
    return { a: question, b: question };
  };
  const found = await compareProcessorTime(newQuestions, starts, async (questions) => {
    firsts.push(questions[0]?.[0] as string);
    const given = giveAt(started++);
    const cost = { ...given, microseconds: { ours: 1, other: given.ratio } };
    return new Map(questions.map(([name]) => [name, cost]));
  });
  return { found, started, stopped, firsts };
}

test('how well a ratio is known comes from how far the starts lie apart', () => {
  const { ratio, uncertainty } = ratioOf([0.76, 0.8, 0.84]);
  assert.equal(ratio.toFixed(3), '0.800');
  assert.equal(uncertainty.toFixed(3), '0.099');
  assert.equal(ratioOf([0.8, 0.8, 0.8]).uncertainty.toFixed(3), '0.000');
  assert.equal(ratioOf([0.8]).uncertainty, Number.POSITIVE_INFINITY);
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
