/** The panes that are grids. They are loaded when one of them is first asked for. */

import { makeMonthPane } from './month-pane.ts';
import type { Pane } from './pane.ts';
import { makeWeekPane } from './week-pane.ts';

export { GRID_STYLES } from './grid-styles.ts';

export function makeGrid(name: 'week' | 'month'): Pane {
  return name === 'week' ? makeWeekPane() : makeMonthPane();
}
