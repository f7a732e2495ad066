/** What shows each view. Grids and the board come with scripts of their own, when they are first asked for. */

import { makeListPane } from './list-pane.ts';
import type { Pane } from './pane.ts';
import type { ViewName } from './range.ts';
import { type Rhythm, readersRhythm } from './rhythm.ts';

export interface View {
  readonly pane: Pane;
  /** Beside the styles of the calendar. */
  readonly styles: string;
  readonly rhythm: Rhythm;
}

/** Rejects when the script cannot be loaded. */
export async function openView(name: ViewName): Promise<View> {
  if (name === 'list') return { pane: makeListPane(), styles: '', rhythm: readersRhythm };
  if (name === 'now') {
    const { makeBoardPane, BOARD_STYLES, boardRhythm } = await import('./board.ts');
    return { pane: makeBoardPane(), styles: BOARD_STYLES, rhythm: boardRhythm };
  }
  const { makeGrid, GRID_STYLES } = await import('./grids.ts');
  return { pane: makeGrid(name), styles: GRID_STYLES, rhythm: readersRhythm };
}
