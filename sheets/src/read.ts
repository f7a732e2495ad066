/**
 * Reads a sheet, in stages: bytes → sheets of cells → their shape → columns → rows with a shift each → values. Each
 * stage imports only those before it. Only the rows are in memory that are needed to find out how dates are written.
 */

import { readDate } from '@shiftfeed/common/days';
import { lookAhead } from '@shiftfeed/common/look-ahead';
import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type GridRow, type Sheet, SheetRefused, textOf } from './cell.ts';
import { type Columns, columnsOf } from './columns.ts';
import { askAboutUnread } from './heading-questions.ts';
import type { SheetProblem } from './problem.ts';
import {
  type Coverage,
  cover,
  type Notes,
  newCoverage,
  newNotes,
  noteCell,
  type SheetReport,
  type SheetRow,
} from './report.ts';
import { shiftRows } from './rows/list.ts';
import { rowsOfShape } from './rows/wide.ts';
import { type ChosenSheets, chooseSheets, sheetsIn } from './shape/choose.ts';
import { findShape, maybeNoPlan } from './shape/shape.ts';
import type { SheetFields, SheetOptions } from './sheet-options.ts';
import { type ColumnFormats, formatFinder } from './values/formats.ts';
import { rowReader } from './values/records.ts';
import { mayBeName } from './words/title.ts';

/** Rows are handed on in parts of this many. */
const ROWS_PER_PART = 1_000;
/** The date format is found from this many rows, or from more if they are ambiguous. */
const FEW_ROWS = 1_000;
const MANY_ROWS = 20_000;
const MANY_CHARACTERS = 20_000_000;

export type SheetPart = SheetRows | SheetProblemPart;

export interface SheetRows {
  readonly rows: readonly SheetRow[];
  readonly hasAddresses: boolean;
  /** How the sheet was read; comes with its last rows. */
  readonly report?: SheetReport;
}

/** A problem of the sheet as a whole, or of its columns. */
interface SheetProblemPart {
  readonly problem: SheetProblem;
  /** Whether there are rows that could not be read because of it. */
  readonly hidesRows: boolean;
}

/** If the file cannot be read to its end, the parts end with what was read so far. */
export async function* readParts(
  bytes: AsyncIterable<Uint8Array>,
  asked: SheetOptions,
  fields: SheetFields,
): AsyncGenerator<SheetPart> {
  const codes = asked.codes && new ToldTexts(asked.codes);
  const people = asked.people && new ToldTexts(asked.people);
  const options = { ...asked, codes, people };
  let chosen: ChosenSheets;
  const meanwhile: SheetProblem[] = [];
  try {
    chosen = await chooseSheets(await sheetsIn(bytes, options, (one) => meanwhile.push(one)), options);
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
    return yield* problemParts(error.problems);
  }
  const { sheets, leftOut: leftOutSheets, isOneOfSeveral } = chosen;
  const notes = newNotes();
  const covers: Coverage[] = [];
  let [readSheets, hasAddresses]: [number, boolean | undefined] = [0, undefined];
  const tabs = namesOfSheets(sheets, options, notes);
  for (const sheet of sheets) {
    notes.covers = newCoverage(options.group);
    covers.push(notes.covers);
    const columns = yield* readOne(
      sheet,
      { ...options, tab: tabs.nameOf(sheet) },
      fields,
      meanwhile,
      notes,
      tabs,
    );
    if (columns === undefined) continue;
    if (options.year !== undefined && goesBack(covers.at(-2), notes.covers))
      yield* problemParts(problemsIn(sheet, [YEAR_UNCLEAR]));
    readSheets++;
    const hasSome = columns.places.address !== undefined;
    hasAddresses ??= hasSome;
    if (hasAddresses !== hasSome) yield* problemParts(problemsIn(sheet, [ADDRESSES_DIFFER]));
    const hidden = columnsRead(columns).intersection(sheet.hiddenColumns ?? new Set());
    notes.hiddenColumns = notes.hiddenColumns.union(hidden);
    const inSheet = sheet.number === undefined ? '' : `sheet ${sheet.number}, `;
    for (const [cell, text] of sheet.comments ?? []) noteCell(notes.comments, `${inSheet}${cell}: ${text}`);
  }
  if (readSheets < sheets.length) return;
  const { ledger, ...noted } = notes;
  yield* problemParts([...askAboutUnread(ledger, options)], false);
  const isText = sheets.some((sheet) => sheet.isText);
  const report = {
    ...noted,
    covers,
    sheets: chosen.areNamed ? sheets.map(({ name }) => name) : [],
    leftOutSheets,
    isOneOfSeveral,
    unused: {
      sheet: isText && options.sheet !== undefined,
      codes: codes?.unused() ?? [],
      people: people?.unused() ?? [],
    },
    cells: ledger.report(),
  };
  yield { rows: [], hasAddresses: hasAddresses ?? false, report };
}

const ADDRESSES_DIFFER: SheetProblem = {
  place: '',
  message: 'some of the sheets have a column of addresses and others have none; import them one by one',
  advice: ', with --sheet',
};

/** Whether a sheet may be in the year after that of --year: `Januar` right of `Dezember`. */
function goesBack({ from }: Coverage = newCoverage(), { to }: Coverage): boolean {
  return from !== '' && to !== '' && readDate(from) - readDate(to) > MAX_DAYS_BACK;
}

const MAX_DAYS_BACK = 240;

const YEAR_UNCLEAR: SheetProblem = {
  place: '',
  message:
    'its days are months before those of the sheet left of it, and may be in the next year: write the years into both, and import them without a year; or import the sheets one by one',
  advice: ', with --sheet and --year',
};

/** Returns undefined if the sheet could not be read. `meanwhile` gets problems that do not stop the reading. */
async function* readOne(
  sheet: Sheet,
  options: SheetOptions,
  fields: SheetFields,
  meanwhile: SheetProblem[],
  notes: Notes,
  tabs: ReturnType<typeof namesOfSheets>,
): AsyncGenerator<SheetPart, Columns | undefined> {
  const { ledger, taken } = notes;
  try {
    const shaped = await findShape(ledger.counting(sheet.name, sheet.rows()), options);
    const columns = columnsOf(shaped.shape, options, sheet.isText);
    const { above, headings } = columns.shape;
    for (const { heading, column } of columns.taken)
      if (!taken.some((known) => known.heading === heading && known.column === column))
        taken.push({ heading, column });
    yield* problemParts(tabs.ask(sheet, columns));
    if (options.tabs === 'group' && columns.places.group === undefined)
      cover(notes.covers, undefined, options.tab);
    const noPlan = maybeNoPlan([{ line: 1, cells: [sheet.name] }], options).map(
      (one) => ({ ...one, place: '' }) as const,
    );
    yield* problemParts(problemsIn(sheet, noPlan));
    for (const row of above)
      if (columns.kind === 'roster' && columns.shape.isTitle(row)) ledger.takeAs(row, 'heading');
      else ledger.leaveOut(row, 'above');
    ledger.takeAs(headings, 'heading');
    const rows = shiftRows(rowsOfShape(shaped.rows, columns, notes, options), columns, notes, options);
    yield* readRows(rows, columns, notes, options, fields, meanwhile);
    return columns.problems.length > 0 ? undefined : columns;
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
    yield* problemParts(meanwhile.splice(0));
    yield* problemParts(problemsIn(sheet, error.problems));
    return undefined;
  }
}

/** The names of sheets may be those of people, groups or locations. Times and numbers are none. */
function namesOfSheets(sheets: readonly Sheet[], { tabs }: SheetOptions, { taken }: Notes) {
  const areNumbered = new Set(sheets.map(({ name }) => name.replaceAll(/\d/g, '').trim())).size === 1;
  const isAsked = tabs === undefined && !areNumbered && sheets.length > 1;
  let isDone = false;
  return {
    /** undefined: it is nothing. */
    nameOf({ name }: Sheet): string | undefined {
      return (isAsked && mayBeName(name)) || (tabs !== undefined && tabs !== 'nothing') ? name : undefined;
    },
    /** Asks once what they are, or notes it. */
    ask(sheet: Sheet, { places }: Columns): readonly SheetProblem[] {
      const hasPerson = (places.person ?? places.first_name ?? places.last_name) !== undefined;
      const lacking = (['person', 'group', 'location'] as const).filter((column) =>
        column === 'person' ? !hasPerson : places[column] === undefined,
      );
      if (isDone || lacking.length === 0 || this.nameOf(sheet) === undefined) return [];
      isDone = true;
      if (tabs === undefined) return problemsIn(sheet, [whatIsTab(sheet.name, lacking)]);
      const column = lacking.find((one) => one === tabs);
      if (column !== undefined) taken.push({ heading: 'the name of each sheet', column });
      return [];
    },
  };
}

function whatIsTab(name: string, lacking: readonly string[]): SheetProblem {
  return {
    place: '',
    message: `${quote(name)} may be the name of a ${lacking.join(' or of a ')}, and so may be those of the other sheets`,
    advice: `; say --tabs ${lacking.join(', --tabs ')} or --tabs nothing`,
    fix: byOption('tabs', ...lacking, 'nothing'),
  };
}

/** The columns of the sheet that were read. */
function columnsRead(columns: Columns): ReadonlySet<number> {
  if (columns.kind === 'list') return new Set(Object.values(columns.places));
  const named = Object.values(columns.inSheet.places);
  const across = columns.kind === 'across' ? columns.shape.columns : columns.days.dates.keys();
  return new Set([...named.filter((place) => place < columns.shape.headings.cells.length), ...across]);
}

/** When several sheets are read, a problem without a place gets the place of its sheet. */
function problemsIn({ number }: Sheet, problems: readonly SheetProblem[]): readonly SheetProblem[] {
  if (number === undefined) return problems;
  return problems.map((one) => (one.place === '' ? { ...one, place: { sheet: number } } : one));
}

async function* readRows(
  rows: AsyncIterable<readonly GridRow[]>,
  columns: Columns,
  notes: Notes,
  options: SheetOptions,
  fields: SheetFields,
  meanwhile: SheetProblem[],
): AsyncGenerator<SheetPart> {
  const { formats, all, refused } = await findFormats(rows, formatFinder(columns, options));
  // A row of a grid can be judged only if its days are known.
  const isJudged =
    columns.kind === 'across' || (columns.kind === 'roster' && columns.days.problems.length === 0);
  yield* problemParts([...columns.problems, ...(isJudged && columns.problems.length > 0 ? refused : [])]);
  yield* problemParts(formats.problems, false);
  if (columns.problems.length > 0) return yield* problemParts(meanwhile.splice(0));
  const read = rowReader(columns, options, formats, notes, fields);
  if (columns.kind === 'list')
    for (const place of formats.statuses) notes.ledger.isStatus(columns.headings[place] ?? '');
  const { address } = columns.places;
  for await (const some of all) {
    yield* problemParts(meanwhile.splice(0));
    for (let start = 0; start < some.length; start += ROWS_PER_PART) {
      const part: SheetRow[] = [];
      for (const row of some.slice(start, start + ROWS_PER_PART)) {
        const shift = read(row);
        if (shift !== undefined) part.push(shift);
      }
      yield { rows: part, hasAddresses: address !== undefined };
    }
  }
  yield* problemParts(meanwhile.splice(0));
}

/** Looks at the first rows, which are then read with the others. */
async function findFormats(
  rows: AsyncIterable<readonly GridRow[]>,
  finder: ReturnType<typeof formatFinder>,
): Promise<{
  readonly formats: ColumnFormats;
  readonly all: AsyncIterable<readonly GridRow[]>;
  /** Why rows among the first cannot be read. */
  readonly refused: readonly SheetProblem[];
}> {
  let count = 0;
  let characters = 0;
  // The rows that were read before a failure are checked first.
  const { all, failure } = await lookAhead(rows, (some) => {
    count += some.length;
    for (const row of some) {
      finder.look(row);
      for (const cell of row.cells) characters += 1 + textOf(cell).length;
    }
    const isMany = count >= MANY_ROWS || characters >= MANY_CHARACTERS;
    return count >= FEW_ROWS && (isMany || finder.isSettled());
  });
  const refused = failure?.error instanceof SheetRefused ? failure.error.problems : [];
  return { formats: finder.settle(), all, refused };
}

function* problemParts(problems: readonly SheetProblem[], hidesRows = true): Generator<SheetPart> {
  for (const problem of problems) yield { problem, hidesRows };
}

/** What was told about texts, which notes what of it the cells have: a code that no cell has may be misspelt. */
class ToldTexts<Value> extends Map<string, Value> {
  readonly #found = new Set<string>();

  override get(text: string): Value | undefined {
    const value = super.get(text);
    if (value !== undefined) this.#found.add(text);
    return value;
  }

  unused(): readonly string[] {
    return [...this.keys()].filter((text) => !this.#found.has(text));
  }
}
