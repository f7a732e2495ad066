/** Are the ids of a sheet those of shifts? In many sheets `ID` is a staff number, and the next sheet has it again. */

import { byOption } from '@shiftfeed/common/reason';
import { type GridRow, textOf } from '../cell.ts';
import type { ListColumns } from '../columns.ts';
import { placeInSheet, type SheetPlace } from '../place.ts';
import type { SheetProblem } from '../problem.ts';
import type { SheetOptions } from '../sheet-options.ts';
import { plainWord } from '../words/languages.ts';

/** One row alone tells nothing. */
const MIN_ROWS = 2;

export function staffNumberQuestion(
  { places, headings, lacking, isExport }: ListColumns,
  { columnNames }: SheetOptions,
) {
  const { id = -1, person = -1, first_name = -1, last_name = -1 } = places;
  const heading = headings[id] ?? '';
  // A sheet that lacks columns changes shifts that are known by their ids.
  const mayAsk = plainWord(heading) === 'id' && !isExport && lacking.length === 0 && !columnNames.has('id');
  const people = new Map<string, string>();
  const ids = new Map<string, string>();
  let first: SheetPlace | undefined;
  let repeated: SheetPlace | undefined;
  let areOfShifts = !mayAsk;
  return {
    look(row: GridRow): void {
      if (areOfShifts) return;
      const [number, ...names] = [id, person, first_name, last_name].map((place) => textOf(row.cells[place]));
      const name = names.join(' ').trim();
      if (!number || name === '') return;
      first ??= row;
      const isSame = people.get(number) === name;
      if (isSame) repeated ??= row;
      else if (people.has(number) || ids.has(name)) areOfShifts = true;
      people.set(number, name);
      ids.set(name, number);
    },
    isSettled: () => true,
    problems(): readonly SheetProblem[] {
      const place = repeated ?? first;
      if (areOfShifts || place === undefined || (repeated === undefined && people.size < MIN_ROWS)) return [];
      const why = repeated ? 'repeats the one of its person' : 'stands beside one person each';
      return [
        {
          place: placeInSheet(place, heading),
          message: why,
          advice: `; if it is a staff number, say --ignore-columns ${heading}${repeated ? '' : `; if it is the id of the shift, say --columns id=${heading}`}`,
          fix: [
            ...byOption('ignore-columns', heading),
            ...(repeated ? [] : byOption('columns', `id=${heading}`)),
          ],
        },
      ];
    },
  };
}
