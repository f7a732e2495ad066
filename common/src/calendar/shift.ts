/** A shift as a calendar shows it: what it goes by, what sets it apart, and the colour of its group. */

/** A shift as the gateway and the API give it. What is optional is shown when it is there. */
export interface CalendarShift {
  readonly id: number;
  readonly date: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly end_date: string;
  readonly group?: ShiftGroup | null;
  readonly location?: { readonly name: string; readonly address?: string } | null;
  /** `null` means that nobody is assigned. */
  readonly person?: { readonly name: string } | null;
  readonly remarks?: string;
  readonly publish_date?: string;
  readonly starred?: boolean;
  readonly cancelled?: boolean;
  readonly noshow?: boolean;
  /** Nobody is assigned. */
  readonly open?: boolean;
}

export interface ShiftGroup {
  readonly id: number;
  readonly name: string;
}

type Mark = 'open' | 'cancelled' | 'starred' | 'noshow';

/** What sets a shift apart. */
export function marksOf(shift: CalendarShift): Mark[] {
  const marks: [Mark, boolean][] = [
    ['cancelled', shift.cancelled === true],
    ['open', shift.open ?? shift.person === null],
    ['starred', shift.starred === true],
    ['noshow', shift.noshow === true],
  ];
  return marks.filter(([, isSo]) => isSo).map(([mark]) => mark);
}

/** The names that a shift goes by, the most telling one first. */
export function namesOf({ group, location, person }: CalendarShift): string[] {
  return [group?.name, location?.name, person?.name].filter(
    (name) => name !== undefined && name !== '',
  ) as string[];
}

/**
 * A colour for each group. It is never alone: the name of the group stands beside it.
 *
 * As dark as each other, and such that they can be told from a light page and from a dark one alike: what lies behind the
 * calendar is not known here. Neighbours differ most, because ids often follow one another.
 */
export const COLOURS: readonly string[] = [
  '#247adc',
  '#be6102',
  '#048d40',
  '#b754b0',
  '#8b7a01',
  '#8067db',
  '#d34c49',
  '#068888',
  '#cf4b73',
  '#658504',
];

/** The parts of a group: the one by which a page gives it a colour of its own, and the one that has a colour already. */
export function groupParts(group: Pick<ShiftGroup, 'id'> | null | undefined, hasColours: boolean): string {
  if (group === undefined || group === null) return '';
  return hasColours ? `group-${group.id} colour-${Math.abs(group.id) % COLOURS.length}` : `group-${group.id}`;
}

export const COLOUR_STYLES = COLOURS.map(
  (colour, i) => `[part~="colour-${i}"] { --_group: ${colour}; }`,
).join('\n');
