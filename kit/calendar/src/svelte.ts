/** The element, and its type in Svelte. Svelte is the page's and not ours, so `npm run types` leaves this out. */

import type { HTMLAttributes } from 'svelte/elements';
import type { ShiftCalendar, ShiftCalendarProps } from './shift-calendar.ts';

export * from './shift-calendar.ts';

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'shift-calendar': Omit<HTMLAttributes<ShiftCalendar>, keyof ShiftCalendarProps> & ShiftCalendarProps;
  }
}
