/** A workbook as its sheets, whatever program made it. */

import type { GridRow } from '../../cell.ts';

export interface WorkbookSheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Starts at the first row each time. Throws SheetRefused. */
  rows(): AsyncGenerator<readonly GridRow[]>;
}

/** The limit of spreadsheet programs. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
