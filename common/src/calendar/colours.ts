/** A colour for each group. It is never alone: the name of the group stands beside it. */

import type { ShiftGroup } from './shift.ts';

/**
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
