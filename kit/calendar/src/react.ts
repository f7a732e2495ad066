/**
 * The element, and its type in the TSX of React 19. React is the page's and not ours, so `npm run types` leaves this
 * file out, and a test looks at it in a page.
 */

import type { ShiftCalendar, ShiftCalendarProps } from './shift-calendar.ts';

export * from './shift-calendar.ts';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'shift-calendar': DetailedHTMLProps<HTMLAttributes<ShiftCalendar>, ShiftCalendar> & ShiftCalendarProps;
    }
  }
}
