/**
 * `<ShiftCalendar>`, a component for React 19. React hands functions over to an element that it makes, but not to one that
 * a server has rendered and that it takes over. So the component hands them over itself, in both cases.
 */

'use client';

import {
  createElement,
  type DetailedHTMLProps,
  type HTMLAttributes,
  type ReactElement,
  type Ref,
  type RefObject,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import {
  type Attributes,
  type CamelAttributes,
  type ShiftCalendarProps as ElementProps,
  ShiftCalendar as ShiftCalendarElement,
  type ShiftCalendarEventMap,
  type ShiftSource,
} from './shift-calendar.ts';

export type { CalendarPlace, Shift, ShiftSource, SourceAnswer, SourceRequest } from './shift-calendar.ts';
export type { ShiftCalendarElement };

type Listener<Name extends keyof ShiftCalendarEventMap> = (event: ShiftCalendarEventMap[Name]) => void;

/** The attributes of the element, such as `groupIds`, those of every HTML element, and functions. */
export interface ShiftCalendarProps extends HTMLAttributes<ShiftCalendarElement>, CamelAttributes {
  readonly ref?: Ref<ShiftCalendarElement> | undefined;
  /** Another function is another source: the calendar asks it from the start. */
  readonly source?: ShiftSource | undefined;
  readonly onShiftSelect?: Listener<'shift-select'> | undefined;
  readonly onNavigate?: Listener<'shift-calendar-navigate'> | undefined;
}

export function ShiftCalendar(props: ShiftCalendarProps): ReactElement {
  const { ref, source, onShiftSelect, onNavigate, ...others } = props;
  const element = useRef<ShiftCalendarElement>(null);
  useImperativeHandle(ref, () => element.current as ShiftCalendarElement, []);
  // Before the browser paints: the calendar should not first say that it has no source.
  useLayoutEffect(() => {
    if (element.current && element.current.source !== source) element.current.source = source;
  }, [source]);
  useListener(element, 'shift-select', onShiftSelect);
  useListener(element, 'shift-calendar-navigate', onNavigate);
  const attributes = Object.entries(others).map(([name, value]) => [ATTRIBUTES.get(name) ?? name, value]);
  return createElement('shift-calendar', { ...Object.fromEntries(attributes), ref: element });
}

/** By the names that they have as props. */
const ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  ShiftCalendarElement.observedAttributes.map((name) => [
    name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    name,
  ]),
);

function useListener<Name extends keyof ShiftCalendarEventMap>(
  element: RefObject<ShiftCalendarElement | null>,
  name: Name,
  listener: Listener<Name> | undefined,
): void {
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null || listener === undefined) return;
    const listen = (event: Event) => listener(event as ShiftCalendarEventMap[Name]);
    current.addEventListener(name, listen);
    return () => current.removeEventListener(name, listen);
  }, [element, name, listener]);
}

/** The element in TSX. It takes no functions here, because React would lose them on a page that a server rendered. */
export type ShiftCalendarTag = DetailedHTMLProps<HTMLAttributes<ShiftCalendarElement>, ShiftCalendarElement> &
  Attributes & { readonly [Name in Exclude<keyof ElementProps, keyof Attributes>]?: never };

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'shift-calendar': ShiftCalendarTag;
    }
  }
}
