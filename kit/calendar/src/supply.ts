/** The shifts that the calendar holds, and how it gets more of them. */

import { formatDate } from '@shiftfeed/common/days';
import { readAnswer } from './answer.ts';
import { readGroupIds } from './attributes.ts';
import { covers, type Holding, holdAnswer } from './holding.ts';
import type { DayRange } from './placement.ts';
import { askSource, type ShiftSource } from './source.ts';
import type { Trouble } from './state.ts';

export interface Supply {
  trouble: Trouble;
  /** When the source was last asked. */
  attemptedMs: number;
  /** How many answers in a row were none. */
  failures: number;
  holding(): Holding | undefined;
  isHeld(wanted: DayRange): boolean;
  isLoading(): boolean;
  /**
   * Asks for some days, so that those that are wanted can be shown. Whatever was asked before is given up. When it
   * fails, trouble depends on the days that are seen then.
   */
  load(
    source: ShiftSource,
    groupIds: string | null,
    asked: DayRange,
    wanted: DayRange,
    seen: () => DayRange,
  ): Promise<'answered' | 'failed' | 'given up'>;
  giveUp(): void;
  /** Lets go of all shifts. */
  forget(): void;
}

export function makeSupply(): Supply {
  let holding: Holding | undefined;
  let loading: AbortController | undefined;
  const supply: Supply = {
    trouble: 'none',
    attemptedMs: Number.NEGATIVE_INFINITY,
    failures: 0,
    holding: () => holding,
    isHeld: (wanted) => holding !== undefined && covers(holding, wanted),
    isLoading: () => loading !== undefined,
    async load(source, groupIdsText, asked, wanted, seen) {
      supply.giveUp();
      loading = new AbortController();
      supply.attemptedMs = Date.now();
      const { signal } = loading;
      if (supply.trouble === 'error') supply.trouble = 'none';
      try {
        const groupIds = readGroupIds(groupIdsText);
        const dates = { from: formatDate(asked.from), to: formatDate(asked.to) };
        const given = await askSource(source, { ...dates, groupIds, signal });
        if (signal.aborted) return 'given up';
        holding = holdAnswer(holding, readAnswer(given, groupIds), asked, wanted, Date.now());
        supply.trouble = 'none';
        supply.failures = 0;
        loading = undefined;
        return 'answered';
      } catch (error) {
        if (signal.aborted) return 'given up';
        supply.trouble = supply.isHeld(seen()) ? 'stale' : 'error';
        supply.failures++;
        loading = undefined;
        // That a network fails is no news to whoever wrote the page. That an answer is wrong is.
        if (error instanceof RangeError) reportError(error);
        return 'failed';
      }
    },
    giveUp() {
      loading?.abort();
      loading = undefined;
    },
    forget() {
      supply.giveUp();
      holding = undefined;
      supply.trouble = 'none';
      supply.failures = 0;
    },
  };
  return supply;
}
