/** A workbook as its sheets, whatever program made it. */

import type { GridRow } from '../../cell.ts';
import { inFull, MAX_SHEETS } from '../../limits.ts';
import { refusal } from '../../refusal.ts';

export interface WorkbookSheet {
  readonly name: string;
  readonly isHidden: boolean;
  /**
   * Starts at the first row each time. Throws SheetRefused. Sheets should be asked for in their order: some workbooks
   * can only be read from their beginning on.
   */
  rows(): AsyncGenerator<readonly GridRow[]>;
}

export function tooManySheets(): Error {
  return refusal(
    `the workbook has more than ${inFull(MAX_SHEETS)} sheets: save those of the plan in a workbook of their own, and import that`,
  );
}
