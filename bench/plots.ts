/** Plots as SVG, readable on light pages and on dark ones. Values are drawn by their logarithm: equal steps are equal factors. */

import { brief } from './numbers.ts';

const INK = '#1f2933';
export const FAINT_INK = '#616e7c';
const CARD = '#ffffff';
const EDGE = '#cbd2d9';
const WIDTH = 760;

export interface BarGroup {
  readonly label: string;
  readonly bars: readonly { readonly label: string; readonly colour: string; readonly value: number }[];
}

/** Lying bars in groups. */
export function barPlot(title: string, groups: readonly BarGroup[]): string {
  const left = 210;
  const top = 56;
  const barHeight = 18;
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const scale = powersOfTen(values, left, WIDTH - 90);
  const content: string[] = [];
  let y = top;
  for (const { label, bars } of groups) {
    content.push(text(24, y + 14, label, { weight: 'bold' }));
    y += 26;
    for (const { label: name, colour, value } of bars) {
      const end = scale.at(value);
      content.push(
        text(left - 10, y + barHeight - 5, name, { anchor: 'end' }),
        `<rect x="${left}" y="${y}" width="${round(end - left)}" height="${barHeight}" rx="2" fill="${colour}"/>`,
        text(end + 6, y + barHeight - 5, brief(value)),
      );
      y += barHeight + 5;
    }
    y += 12;
  }
  const grid = scale.ticks.flatMap((tick) => [
    line(scale.at(tick), top, scale.at(tick), y),
    text(scale.at(tick), y + 18, tick.toLocaleString('en'), {
      anchor: 'middle',
      size: 12,
      colour: FAINT_INK,
    }),
  ]);
  const note = 'Logarithmic: each step is ten times as much.';
  return card(WIDTH, y + 44, title, [
    ...grid,
    ...content,
    text(left, y + 35, note, { size: 11, colour: FAINT_INK }),
  ]);
}

/** From the power of ten below the values to the one above them, drawn from `start` to `end`. */
function powersOfTen(values: readonly number[], start: number, end: number) {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
  const at = (value: number) => start + ((Math.log10(value) - first) / (last - first)) * (end - start);
  return { ticks, at };
}

/** What all plots are drawn on. */
export function card(width: number, height: number, title: string, content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="13" role="img">`,
    `<title>${escapeText(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${CARD}" stroke="${EDGE}"/>`,
    text(24, 32, title, { size: 16, weight: 'bold' }),
    ...content,
    '</svg>',
    '',
  ].join('\n');
}

export interface TextOptions {
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly size?: number;
  readonly weight?: 'normal' | 'bold';
  readonly colour?: string;
}

export function text(x: number, y: number, content: string, options: TextOptions = {}): string {
  const { anchor = 'start', size = 13, weight = 'normal', colour = INK } = options;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}" font-weight="${weight}" fill="${colour}">${escapeText(content)}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, colour = EDGE): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}"/>`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeText(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
