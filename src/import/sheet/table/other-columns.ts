import { type GridRow, textOf } from '../cell.ts';
import type { Header } from './columns.ts';

/** The places of unknown columns whose filled cells in the first rows all pass the test. */
export function otherColumns(
  { places, width }: Header,
  sample: readonly GridRow[],
  test: (text: string) => boolean,
): readonly number[] {
  const known = new Set(Object.values(places));
  return Array.from({ length: width }, (_, place) => place).filter((place) => {
    if (known.has(place)) return false;
    const texts = sample.map(({ cells }) => textOf(cells[place])).filter((text) => text !== '');
    return texts.length > 0 && texts.every(test);
  });
}
