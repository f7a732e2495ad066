import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AIMS, judge } from '../bench/aims.ts';
import { type AccountPlan, monthlyDocuments } from '../bench/data/shifts.ts';
import { undisturbed } from '../bench/disturbance.ts';
import { ratioOf } from '../bench/processor/compare.ts';
import { barPlot } from '../bench/report/bar-plot.ts';
import { ratio } from '../bench/report/format.ts';
import { linePlot } from '../bench/report/line-plot.ts';
import { markdownOf } from '../bench/report/markdown.ts';
import { sampleOf } from '../bench/sample.ts';
import { checkDocument } from '../src/import/whole-document.ts';
import { dayOf } from '../src/listing/calendar.ts';

const TODAY = dayOf(2026, 11, 15);
const PLAN: AccountPlan = { slug: 'small', shiftsPerYear: 1_000, number: 1 };

test('accounts of the benchmark have the size they say, month by month, and can be imported', () => {
  const documents = [...monthlyDocuments(PLAN, TODAY)];
  assert.equal(documents.length, 36);
  const shifts = documents.map(checkDocument).flatMap((document) => document.shifts);
  assert.ok(Math.abs(shifts.length - 3_000) < 30, `${shifts.length} shifts`);
  assert.equal(new Set(shifts.map(({ id }) => id)).size, shifts.length);
  const ahead = shifts.filter(({ date = '' }) => date >= '2026-11-15');
  const unpublished = ahead.filter(({ publish_date = '' }) => publish_date > '2026-11-15');
  assert.ok(unpublished.length > ahead.length * 0.03 && unpublished.length < ahead.length * 0.07);
});

test('accounts of the benchmark are the same in every run of a day', () => {
  assert.deepEqual([...monthlyDocuments(PLAN, TODAY)], [...monthlyDocuments(PLAN, TODAY)]);
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

test('a round that others disturbed is measured again, and the least disturbed counts', async () => {
  assert.deepEqual(await triesWith([0]), { kept: 1, tries: 1 });
  assert.deepEqual(await triesWith([0.1, 0.2, 0]), { kept: 3, tries: 3 });
  assert.deepEqual(await triesWith([0.3, 0.1, 0.2, 0.3, 0.3, 0.3, 0]), { kept: 2, tries: 6 });
});

/** Measures while so many seconds are taken from each try, which takes one. */
async function triesWith(stolenSeconds: readonly number[]): Promise<{ kept: number; tries: number }> {
  let tries = 0;
  let stolen = 0;
  const kept = await undisturbed(
    async () => {
      stolen += stolenSeconds[tries] ?? Number.NaN;
      return ++tries;
    },
    { stolenSeconds: () => stolen, nowMs: () => tries * 1_000 },
  );
  return { kept, tries };
}

test('aims are met on their bound and missed beyond it, whichever way they point', () => {
  const verdicts = (aim: keyof typeof AIMS, ...values: number[]) =>
    values.map((value) => judge(AIMS[aim], value));
  assert.deepEqual(verdicts('flat', 1.5, 1.51), ['met', 'missed']);
  assert.deepEqual(verdicts('notModified', 0.8, 0.79, Number.NaN), ['met', 'missed', 'missed']);
});

test('of a value that is known badly and lies close to its bound, nobody can tell whether it meets the aim', () => {
  assert.equal(judge(AIMS.notModified, 0.79, 0.02), 'cannot tell');
  assert.equal(judge(AIMS.notModified, 0.81, 0.02), 'cannot tell');
  assert.equal(judge(AIMS.notModified, 0.9, 0.02), 'met');
  assert.equal(judge(AIMS.notModified, 0.7, 0.02), 'missed');
  assert.equal(judge(AIMS.notModified, 0.79, 0.015), 'missed');
});

test('the results say what was met and what was missed', () => {
  const findings = [
    { aim: 'flat', value: 1.2, of: 'a week' },
    { aim: 'start', value: 0.75 },
    { aim: 'tenToFixed', value: 0.74, uncertainty: 0.02 },
  ] as const;
  const section = { title: 'Pages', text: 'Some.', tables: [{ columns: ['a'], rows: [['1']] }], findings };
  const document = markdownOf({ machine: { Node: '26' }, method: ['Carefully.'], sections: [section] });
  assert.match(document, /\| ≤ 1\.5 \| 1\.2 \(a week\) \| met \|/);
  assert.match(document, /\| ≤ 0\.35 s \| 0\.75 s \| \*\*missed\*\* \|/);
  assert.match(document, /\| ≥ 0\.75 \| 0\.74 ±0\.020 \| \*\*cannot tell\*\* \|/);
  assert.match(document, /^- From the start of the process .+: .+\.$/m);
  assert.match(document, /^## Pages$/m);
});

test('bars grow by the logarithm of their value, and texts are escaped', () => {
  const bars = [1, 10, 100].map((value) => ({ label: 'a & b', colour: '#000000', value }));
  const svg = barPlot({ title: 'x < y', groups: [{ label: 'g', bars }] });
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
  const svg = linePlot({ title: 't', xLabel: 'x', lines: [lineTo(100), lineTo(101)] });
  const places = [...svg.matchAll(/y="([\d.]+)"[^>]*>to \d+:/g)].map(([, y]) => Number(y));
  assert.equal(places.length, 2);
  assert.ok(Math.abs((places[0] as number) - (places[1] as number)) >= 13);
});

test('processor times are compared turn by turn, and the spread says how well the ratio is known', () => {
  const steady = Array.from({ length: 20 }, (_, i) => ({ ours: 10 + i, other: (10 + i) * 0.8 }));
  assert.equal(ratioOf(steady).ratio.toFixed(3), '0.800');
  assert.ok(ratioOf(steady).uncertainty < 0.001);
  const disturbed = steady.map(({ ours, other }, i) => ({ ours, other: i % 2 === 0 ? other : other * 1.5 }));
  assert.ok(ratioOf(disturbed).uncertainty > 0.1);
  assert.equal(ratioOf(steady.slice(0, 2)).uncertainty, Number.POSITIVE_INFINITY);
});
