/** What a measurement found: text, tables and plots for readers, and the numbers that aims are held against. */

import type { AimName } from '../aims.ts';

export interface Section {
  readonly title: string;
  readonly text: string;
  readonly tables: readonly Table[];
  readonly plots?: readonly Plot[];
  readonly findings?: readonly Finding[];
}

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Plot {
  /** Without its ending. */
  readonly name: string;
  /** For those who cannot see it. */
  readonly alt: string;
  readonly svg: string;
}

export interface Finding {
  readonly aim: AimName;
  readonly value: number;
  /** How far away the true value may be, where that is known. */
  readonly uncertainty?: number;
  /** Where the value comes from, when it is the worst of several. */
  readonly of?: string;
}

/** The one value of several that an aim fails by first. */
export function worst(
  aim: AimName,
  values: readonly Omit<Finding, 'aim'>[],
  which: 'lowest' | 'highest',
): Finding {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  const found = which === 'lowest' ? sorted[0] : sorted.at(-1);
  if (found === undefined) throw new Error(`Nothing was measured for ${aim}.`);
  return { aim, ...found };
}
