/** Rows of a list that hold only a person, or only times: what they lack may be as in the row above them. */

import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type GridRow, SheetRefused, textOf } from '../cell.ts';
import { naming, placeInSheet } from '../problem.ts';
import type { ColumnPlaces } from '../shape/heading-row.ts';
import { KEEP_EMPTY, type SheetOptions } from '../sheet-options.ts';
import { columnOf, type TableColumn } from '../words/headings.ts';
import { readTimes, severalTimes } from '../words/time.ts';
import { tellsWhen } from '../words/title.ts';
import { isTotalWord } from '../words/words.ts';

/** What a shift needs, and what else it may have in common with the one above. */
const NEEDED = ['date', 'start_time', 'end_time', 'times', 'hours', 'group', 'publish_date'] as const;
const SHARED = [...NEEDED, 'location', 'address', 'person', 'first_name', 'last_name'] as const;
const PEOPLE: ReadonlySet<TableColumn> = new Set(['person', 'first_name', 'last_name']);

/**
 * Makes the function that tells whether a row that seems to be none of shifts holds one, with what --fill-down gives it.
 * `above` is the last row with shifts, unless the table ends between them. Throws SheetRefused if that is not told.
 */
export function continuedTest(places: ColumnPlaces, options: SheetOptions) {
  const { fillDown = [], sections } = options;
  const columns = SHARED.filter((name) => places[name] !== undefined);
  const begin = Math.min(...columns.map((name) => places[name] ?? 0));
  const areSections = sections !== undefined && sections !== 'nothing' && places[sections] === undefined;
  return (row: GridRow, filled: GridRow, above: GridRow | undefined): boolean => {
    const name = columns.find((one) => textOf(row.cells[places[one] ?? -1]) !== '');
    const place = places[name ?? 'id'] ?? -1;
    const text = textOf(row.cells[place]);
    // What begins the rows is a heading.
    const isPerson =
      name !== undefined && PEOPLE.has(name) && place > begin && !areSections && looksLikeName(text);
    const isTimes = (name === 'times' || name === 'start_time') && isRange(text, options);
    if (above === undefined || !(isPerson || isTimes) || isSum(row, above, place)) return false;
    const lacks = (one: TableColumn) => isEmpty(filled, places, one) && !isEmpty(above, places, one);
    if (!NEEDED.some(lacks)) return true;
    if (fillDown.includes(KEEP_EMPTY)) return false;
    const lacking = columns.filter(lacks);
    throw new SheetRefused({
      place: placeInSheet(row, name),
      ...naming(
        (nameOf) =>
          `there is no ${lacking.map(nameOf).join(', ')} beside ${quote(text)}: write it into the row`,
      ),
      advice: `; or, if empty cells of these columns are as the one above, say --fill-down ${lacking.join()}; if this is no shift, say --fill-down ${KEEP_EMPTY}`,
      fix: byOption('fill-down', lacking.join(), KEEP_EMPTY),
    });
  };
}

/** Numbers beside a name are its sum, unless somebody else has the same ones in the row above. */
function isSum({ cells }: GridRow, above: GridRow, place: number): boolean {
  const others = [...cells.keys()].filter((i) => i !== place && cells[i] !== '');
  const isSame = (i: number) => textOf(cells[i]) === textOf(above.cells[i]);
  return others.length > 0 && (isSame(place) || !others.every(isSame));
}

function isEmpty({ cells }: GridRow, places: ColumnPlaces, name: TableColumn): boolean {
  return textOf(cells[places[name] ?? -1]) === '';
}

const MAX_NAME_CHARACTERS = 40;

/** Longer texts are remarks. Somebody may be called June. */
function looksLikeName(text: string): boolean {
  if (text.length > MAX_NAME_CHARACTERS || !/^\p{L}/u.test(text)) return false;
  return !isTotalWord(text) && columnOf(text) === undefined && !(/\d/.test(text) && tellsWhen(text));
}

function isRange(text: string, { codes }: SheetOptions): boolean {
  return readTimes(text) !== undefined || severalTimes(text) !== undefined || codes?.has(text) === true;
}
