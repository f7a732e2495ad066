/** A shift as a calendar shows it: what it goes by, and what sets it apart. */

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
