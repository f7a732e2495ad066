/** Do the dates of a list, which lack their year, go on after the end of it? `31.12.` is then followed by `01.01.`. */

import { placeInSheet, type SheetPlace } from '../place.ts';
import type { SheetProblem } from '../problem.ts';
import { whyNoDate } from '../words/date.ts';

type ReadDate = (text: string) => string | undefined;

/** More different dates than a year has are not looked at. */
const MAX_DATES = 1_000;

/** With a turn, months up to June are in the next year. Those around it would be in either. */
const LAST_MONTH_OF_NEXT = 6;
const MIDDLE = [5, 6, 7, 8];
const AWAY_FROM_TURN = [3, 4, 5, 6, 7, 8, 9, 10];

export function turnOfYear() {
  const places = new Map<string, SheetPlace>();
  const pairs = new Map<string, readonly [string, string]>();
  let before: string | undefined;
  const lacksYear = (text: string) => whyNoDate(text) === 'no year';

  function look(text: string, place: SheetPlace): void {
    if (text === before || places.size >= MAX_DATES || (!places.has(text) && !lacksYear(text))) return;
    if (!places.has(text)) places.set(text, place);
    if (before !== undefined && pairs.size < MAX_DATES) pairs.set(`${before}\0${text}`, [before, text]);
    before = text;
  }

  /** `inYear` and `inNext` read a date that lacks its year in the year that was given, and in the next one. */
  function settle(inYear: ReadDate, inNext: ReadDate): { read: ReadDate; problems: readonly SheetProblem[] } {
    const monthOf = (text: string) => Number((inYear(text) ?? inNext(text) ?? '').slice(5, 7));
    const months = new Set([...places.keys()].map(monthOf));
    const hasTurn = [...pairs.values()].some(([one, next]) => monthOf(one) === 12 && monthOf(next) === 1);
    const isUnclear = hasTurn
      ? MIDDLE.some((month) => months.has(month))
      : months.has(12) && months.has(1) && !AWAY_FROM_TURN.some((month) => months.has(month));
    const read: ReadDate = (text) =>
      hasTurn && lacksYear(text) && monthOf(text) <= LAST_MONTH_OF_NEXT ? inNext(text) : inYear(text);
    const [text, place] = [...places].find(([one]) => monthOf(one) === 1) ?? [];
    if (!isUnclear || text === undefined || place === undefined) return { read, problems: [] };
    const message = 'it is not clear which dates are in the next year: write the year of each';
    return { read, problems: [{ place: placeInSheet(place, 'date'), message }] };
  }
  return { look, settle };
}
