/** What the element takes and tells, for programs in TypeScript. There is nothing here at run time. */

import type { CalendarShift } from './answer.ts';
import type { ViewName } from './range.ts';
import type { ShiftSource } from './source.ts';

/** Where the visitor went. */
export interface CalendarPlace {
  readonly view: ViewName;
  /** Such as 2026-11-15. */
  readonly date: string;
}

export interface ShiftCalendarEventMap {
  /** A shift was chosen. It is told just as the source gave it. */
  'shift-select': CustomEvent<CalendarShift>;
  'shift-calendar-navigate': CustomEvent<CalendarPlace>;
}

/** What JSX may give to the element: its attributes, the property `source`, and listeners. */
export interface ShiftCalendarProps {
  readonly src?: string | undefined;
  readonly view?: ViewName | undefined;
  readonly date?: string | undefined;
  readonly 'group-ids'?: string | undefined;
  readonly locale?: string | undefined;
  /** As JSON. */
  readonly messages?: string | undefined;
  readonly source?: ShiftSource | undefined;
  readonly 'onshift-select'?: Listener<'shift-select'> | undefined;
  readonly 'onshift-calendar-navigate'?: Listener<'shift-calendar-navigate'> | undefined;
}

type Listener<Name extends keyof ShiftCalendarEventMap> = (event: ShiftCalendarEventMap[Name]) => void;

declare global {
  interface GlobalEventHandlersEventMap extends ShiftCalendarEventMap {}
}
