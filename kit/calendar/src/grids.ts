/** The views that are grids. They are loaded when one of them is first asked for. */

import { makeMonthView } from './month-view.ts';
import type { View } from './view.ts';
import { makeWeekView } from './week-view.ts';

export { GRID_STYLES } from './grid-styles.ts';

export function makeGrid(name: 'week' | 'month'): View {
  return name === 'week' ? makeWeekView() : makeMonthView();
}
