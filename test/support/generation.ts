/** A state of an account that can be told from every other one by any shift of it. */

import { ACME, KITCHEN, shift } from './document.ts';

const MONTHS = 6;

/** How many shifts the generation of this number has. */
export function sizeOfGeneration(number: number): number {
  return 30 + ((number * 7) % 50);
}

export function generation(number: number): object {
  const shifts = Array.from({ length: sizeOfGeneration(number) }, (_, i) =>
    shift(`2027-0${1 + (i % MONTHS)}-${10 + (i % 15)}`, {
      id: (number + 1) * 100 + i,
      remarks: String(number),
    }),
  );
  return { account: ACME, groups: [KITCHEN], shifts };
}
