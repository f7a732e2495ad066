/** The attributes of the element, for the types of frameworks. */

import type { ShiftCalendarProps } from './shift-calendar.ts';

/** As HTML has them, such as `group-ids`: no functions. */
export type Attributes = Omit<ShiftCalendarProps, 'source' | `on${string}`>;

/** As components have them, such as `groupIds`. */
export type CamelAttributes = {
  readonly [Name in keyof Attributes as Camel<Name>]: Attributes[Name];
};

type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
