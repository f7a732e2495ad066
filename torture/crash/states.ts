/** States of an account that any page tells apart: its number is in every remark, and its size is its own. */

import type { ListingBody } from '../../src/http/listing/response.ts';
import { ACME, KITCHEN, shift } from '../../test/support/document.ts';

/** By number: none, some, a large import, and what is imported after that. */
const SIZES = [0, 700, 20_000, 90];
export const EMPTY = 0;
export const SMALL = 1;
export const LARGE = 2;
export const NEXT = 3;
const MONTHS = 6;

export function stateOf(number: number): object {
  const shifts = Array.from({ length: SIZES[number] ?? 0 }, (_, i) =>
    shift(`2027-0${1 + (i % MONTHS)}-${10 + (i % 15)}`, { id: 1 + i, remarks: String(number) }),
  );
  return { account: ACME, groups: [KITCHEN], shifts };
}

/** The number of the state that a page is of. Throws when it is of none, or of two. */
export function stateIn({ shifts, meta }: ListingBody): number {
  const numbers = new Set(shifts.map(({ remarks }) => Number(remarks)));
  const [number = EMPTY] = numbers;
  if (numbers.size > 1 || meta.total !== SIZES[number]) {
    throw new Error(
      `A page is a mixture: it has remarks ${[...numbers].join()} and a total of ${meta.total}.`,
    );
  }
  return number;
}
