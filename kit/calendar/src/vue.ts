/** The element, and its type in the templates of Vue. Vue is the page's and not ours, so `npm run types` leaves this out. */

import type { HTMLAttributes } from 'vue';
import type { CamelAttributes, ShiftCalendarEventMap, ShiftSource } from './shift-calendar.ts';

export * from './shift-calendar.ts';

/** As the compiler of Vue calls what a template gives. */
export type ShiftCalendarTag = HTMLAttributes &
  CamelAttributes & {
    readonly source?: ShiftSource | undefined;
    readonly onShiftSelect?: (event: ShiftCalendarEventMap['shift-select']) => void;
    readonly onShiftCalendarNavigate?: (event: ShiftCalendarEventMap['shift-calendar-navigate']) => void;
  };

declare module 'vue' {
  interface GlobalComponents {
    'shift-calendar': new () => { $props: ShiftCalendarTag };
  }
}
