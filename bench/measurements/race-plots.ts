/** Races as plots. */

import { barPlot } from '../report/bar-plot.ts';
import { whole } from '../report/format.ts';
import { linePlot } from '../report/line-plot.ts';
import type { Plot } from '../report/section.ts';
import { LARGE } from '../settings.ts';
import { CONTESTANTS, type Contestant, contestantsOf, type Race } from './race.ts';

export function contestantsPlot(races: readonly Race[]): Plot {
  return {
    name: 'first-page',
    alt: 'Bars of how many first pages of 500 shifts each contestant sends a second, by size of the account.',
    svg: barPlot({
      title: 'First page of 500 shifts: pages a second on one core',
      groups: races.map(({ size, rates }) => ({
        label: `${whole(size)} shifts a year`,
        bars: contestantsOf(rates).map(([name, { median }]) => ({ ...CONTESTANTS[name], value: median })),
      })),
    }),
  };
}

export function questionsPlot(races: readonly Race[]): Plot {
  const shown: readonly Contestant[] = ['ours', 'fixed', 'typical'];
  return {
    name: 'questions',
    alt: 'Bars of how many pages a second Shiftfeed, a fixed buffer and the typical service send, by question.',
    svg: barPlot({
      title: `An account of ${whole(LARGE)} shifts a year: pages a second on one core`,
      groups: races
        .filter(({ size }) => size === LARGE)
        .map(({ query, rates }) => ({
          label: query.name,
          bars: contestantsOf(rates)
            .filter(([name]) => shown.includes(name))
            .map(([name, { median }]) => ({ ...CONTESTANTS[name], value: median })),
        })),
    }),
  };
}

export function sizesPlot(races: readonly Race[]): Plot {
  const names = (Object.keys(CONTESTANTS) as Contestant[]).filter((name) =>
    races.every(({ rates }) => rates[name] !== undefined),
  );
  return {
    name: 'sizes',
    alt: 'Lines of how many first pages a second each contestant sends as the account grows.',
    svg: linePlot({
      title: 'First page of 500 shifts: pages a second as the account grows',
      xLabel: 'shifts a year',
      lines: names.map((name) => ({
        ...CONTESTANTS[name],
        points: races.map(({ size, rates }) => ({ x: size, y: rates[name]?.median ?? Number.NaN })),
      })),
    }),
  };
}
