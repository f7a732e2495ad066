/** Reads the columns that change what a row means: whether it is a shift at all, and in which time zone. */

import { memoize, newQuestions } from '@shiftfeed/common/memoize';
import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type Cell, type GridRow, textOf } from '../cell.ts';
import { type Columns, type MeaningColumn, NO_MEANING } from '../columns.ts';
import type { Reason } from '../problem.ts';
import type { SheetOptions } from '../sheet-options.ts';
import { plainWord } from '../words/languages.ts';
import {
  mayBeStatus,
  planMeaning,
  readStatus,
  type StatusMeaning,
  saysAbsence,
  whichPlan,
} from '../words/status.ts';
import { isNothing } from '../words/words.ts';

type RefuseColumn = (heading: string, reason: Reason) => void;

/** What the statuses of a row say, and the word that says so. */
export interface RowStatus {
  readonly meaning: StatusMeaning;
  readonly word: string;
}

/** Are there words for no shift in the columns whose headings are vague? Then their other words matter, too. */
export function statusQuestion(statuses: readonly MeaningColumn[] = []) {
  const sure = new Set(statuses.filter(({ isVague }) => !isVague).map(({ place }) => place));
  return {
    look({ cells }: GridRow): void {
      for (const { place } of statuses) {
        if (sure.has(place)) continue;
        const word = textOf(cells[place]);
        const meaning = readStatus(word) ?? planMeaning(word, undefined);
        if (meaning !== undefined && meaning !== 'shift') sure.add(place);
      }
    },
    /** The columns in which an unknown word is a question. */
    reader: (): ReadonlySet<number> => sure,
  };
}

/** Returns undefined if the sheet has no such columns. */
export function statusReader(
  columns: Columns,
  options: SheetOptions,
  sure: ReadonlySet<number>,
): ((cells: readonly Cell[], refuse: RefuseColumn) => RowStatus) | undefined {
  const { statuses, zones, others } = columns.kind === 'list' ? columns : NO_MEANING;
  const { person = -1 } = columns.places;
  const told = new Map([...(options.statuses ?? [])].map(([word, meaning]) => [plainWord(word), meaning]));
  if (statuses.length + zones.length + others.length + told.size === 0) return undefined;
  const read = memoize((word: string) => told.get(plainWord(word)) ?? readStatus(word));
  const readElsewhere = memoize((word: string) =>
    saysAbsence(word) ? (told.get(plainWord(word)) ?? ASKED) : planMeaning(word, options.statuses),
  );
  /** The word for the plan itself, and its column. */
  let plan: readonly [column: MeaningColumn, word: string] | undefined;
  const isNew = newQuestions();
  const ask = (column: MeaningColumn, reason: Reason, refuse: RefuseColumn) => {
    if (isNew(reason.message)) refuse(column.heading, reason);
  };
  return (cells, refuse) => {
    for (const column of zones) {
      const zone = textOf(cells[column.place]);
      if (zone !== '' && zone.toLowerCase() !== options.timeZone?.toLowerCase())
        ask(column, otherZone(zone, column), refuse);
    }
    let status: RowStatus = { meaning: 'shift', word: '' };
    for (const column of others) {
      const word = textOf(cells[column.place]);
      const meaning = word !== '' && mayBeStatus(word) ? readElsewhere(word) : undefined;
      if (meaning === undefined) continue;
      if (meaning === ASKED) ask(column, maybeAbsence(word), refuse);
      else if (meaning === 'asked') {
        ask(column, whichPlan(word), refuse);
        if (plan !== undefined) ask(plan[0], whichPlan(plan[1]), refuse);
      } else if (meaning !== 'shift') status = { meaning, word };
      else if (planMeaning(word, undefined) === 'shift') plan ??= [column, word];
    }
    // In place of a name, a word counts only if it was told.
    const inPlace = told.size === 0 ? '' : textOf(cells[person]);
    // Signs are no words: nobody is none of them.
    const meant = plainWord(inPlace) === '' ? undefined : told.get(plainWord(inPlace));
    if (meant !== undefined && meant !== 'shift') status = { meaning: meant, word: inPlace };
    if (status.meaning === 'none') return status;
    for (const column of statuses) {
      const word = textOf(cells[column.place]);
      if (word === '' || isNothing(word)) continue;
      const meaning = read(word);
      if (meaning === undefined && sure.has(column.place)) ask(column, unknownStatus(word, column), refuse);
      if (meaning !== undefined && meaning !== 'shift') status = { meaning, word };
      if (meaning === 'none') return status;
    }
    return status;
  };
}

const ASKED = Symbol('asked');

/** A word that fits into the option. */
const FITTING = /^[^=,\n]{1,40}$/;

function unknownStatus(word: string, { heading }: MeaningColumn): Reason {
  const message = `what ${quote(word)} means for a shift is not known`;
  const without = `leave the column out with --ignore-columns ${quote(heading)}`;
  const offers = [['ignore-columns', heading]] as const;
  if (!FITTING.test(word)) return { message, advice: `; ${without}`, offers };
  return {
    message,
    offers,
    advice: `; say --status ${quote(`${word}=none`)} if there is none, or shift, cancelled or noshow in place of none; or ${without}`,
    fix: byOption('status', `${word}=none`, `${word}=shift`),
  };
}

/** In a column of something else. */
function maybeAbsence(word: string): Reason {
  const message = `${quote(word)} may say that the shift does not take place`;
  if (!FITTING.test(word)) return { message: `${message}: write it in a column "Status", or take it out` };
  const meaning = readStatus(word) ?? 'none';
  return {
    message,
    advice: `; if so, say --status ${quote(`${word}=${meaning}`)}, else --status ${quote(`${word}=shift`)}`,
    fix: byOption('status', `${word}=${meaning}`, `${word}=shift`),
  };
}

function otherZone(zone: string, { heading }: MeaningColumn): Reason {
  return {
    message: `${quote(zone)} may be another time zone than that of the account, and times are read as clocks show them there`,
    advice: `; if it is the one of the account, leave the column out with --ignore-columns ${quote(heading)}, else write the times of the account`,
    offers: [['ignore-columns', heading]],
  };
}
