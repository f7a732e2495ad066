/** Lines over the size of accounts, both logarithmic. */

import { brief } from './format.ts';
import { powersOfTen, valuesAsTicks } from './log-scale.ts';
import { card, FAINT_INK, line, round, text } from './svg.ts';

export interface LinePlot {
  readonly title: string;
  readonly xLabel: string;
  readonly lines: readonly Line[];
}

export interface Line {
  readonly label: string;
  readonly colour: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

const WIDTH = 760;
const HEIGHT = 400;
const LEFT = 80;
const RIGHT = 230;
const TOP = 60;
const BOTTOM = 64;
/** Labels at the ends of lines that lie close together are moved apart by this. */
const LABEL_HEIGHT = 17;

export function linePlot({ title, xLabel, lines }: LinePlot): string {
  const points = lines.flatMap((each) => each.points);
  const x = valuesAsTicks([...new Set(points.map((point) => point.x))], LEFT + 30, WIDTH - RIGHT);
  const y = powersOfTen(
    points.map((point) => point.y),
    HEIGHT - BOTTOM,
    TOP,
  );
  const grid = [
    ...y.ticks.flatMap((tick) => [
      line(LEFT, y.at(tick), WIDTH - RIGHT + 10, y.at(tick)),
      text(LEFT - 8, y.at(tick) + 4, tick.toLocaleString('en'), {
        anchor: 'end',
        size: 12,
        colour: FAINT_INK,
      }),
    ]),
    ...x.ticks.map((tick) =>
      text(x.at(tick), HEIGHT - BOTTOM + 20, tick.toLocaleString('en'), {
        anchor: 'middle',
        size: 12,
        colour: FAINT_INK,
      }),
    ),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 20, xLabel, { anchor: 'middle', colour: FAINT_INK }),
  ];
  const drawn = lines.flatMap(({ colour, points: own }) => {
    const places = own.map((point) => ({ x: round(x.at(point.x)), y: round(y.at(point.y)), value: point.y }));
    return [
      `<polyline points="${places.map((place) => `${place.x},${place.y}`).join(' ')}" fill="none" stroke="${colour}" stroke-width="2.5"/>`,
      ...places.map((place) => `<circle cx="${place.x}" cy="${place.y}" r="4" fill="${colour}"/>`),
    ];
  });
  return card(WIDTH, HEIGHT, title, [...grid, ...drawn, ...endLabels(lines, y.at)]);
}

/** Who a line is and where it ends, beside its end and without covering another. */
function endLabels(lines: readonly Line[], yAt: (value: number) => number): string[] {
  const ends = lines
    .map(({ label, points }) => ({ label, value: points.at(-1)?.y ?? Number.NaN }))
    .toSorted((a, b) => b.value - a.value);
  let above = Number.NEGATIVE_INFINITY;
  return ends.map(({ label, value }) => {
    const place = Math.max(yAt(value) + 4, above + LABEL_HEIGHT);
    above = place;
    return text(WIDTH - RIGHT + 16, place, `${label}: ${brief(value)}`);
  });
}
