/** Lying bars in groups, on a logarithmic scale. */

import { brief } from './format.ts';
import { powersOfTen } from './log-scale.ts';
import { card, FAINT_INK, line, round, text } from './svg.ts';

export interface BarPlot {
  readonly title: string;
  readonly groups: readonly BarGroup[];
}

export interface BarGroup {
  readonly label: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly label: string;
  readonly colour: string;
  readonly value: number;
}

const WIDTH = 760;
const LEFT = 210;
const RIGHT = 90;
const TOP = 56;
const BAR = 18;
const BAR_GAP = 5;
const GROUP_HEAD = 26;
const GROUP_GAP = 12;
const FOOT = 44;

export function barPlot({ title, groups }: BarPlot): string {
  const bars = groups.flatMap((group) => group.bars);
  const scale = powersOfTen(
    bars.map(({ value }) => value),
    LEFT,
    WIDTH - RIGHT,
  );
  const content: string[] = [];
  let y = TOP;
  for (const { label, bars: barsOfGroup } of groups) {
    content.push(text(24, y + 14, label, { weight: 'bold' }));
    y += GROUP_HEAD;
    for (const { label: name, colour, value } of barsOfGroup) {
      const end = scale.at(value);
      content.push(
        text(LEFT - 10, y + BAR - 5, name, { anchor: 'end' }),
        `<rect x="${LEFT}" y="${y}" width="${round(end - LEFT)}" height="${BAR}" rx="2" fill="${colour}"/>`,
        text(end + 6, y + BAR - 5, brief(value)),
      );
      y += BAR + BAR_GAP;
    }
    y += GROUP_GAP;
  }
  const grid = scale.ticks.flatMap((tick) => [
    line(scale.at(tick), TOP, scale.at(tick), y),
    text(scale.at(tick), y + 18, tick.toLocaleString('en'), {
      anchor: 'middle',
      size: 12,
      colour: FAINT_INK,
    }),
  ]);
  return card(WIDTH, y + FOOT, title, [
    ...grid,
    ...content,
    text(LEFT, y + 35, 'Logarithmic: each step is ten times as much.', { size: 11, colour: FAINT_INK }),
  ]);
}
