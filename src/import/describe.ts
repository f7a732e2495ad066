/** What came of an import, in sentences. */

import { count, onOneLine, quote } from '@shiftfeed/common/quote';
import { columnLetters, describePlace, inWords, placeAt } from '@shiftfeed/sheets';
import { COLUMN_NAMES, REFERENCES, type RecordOf, TABLES, type Table } from '../store/records.ts';
import type { Odd, OddShift } from '../store/staging/comparison.ts';
import { NOUNS } from './check.ts';
import type { Change, ImportSummary, NameOf } from './import.ts';
import { timeOf } from './refusal.ts';
import { describeLeft } from './removals.ts';

/** Says before and after an import that it cannot be taken back. */
export function describeRefusal(
  { undoRefusal }: ImportSummary,
  undo = '"shiftfeed undo"',
): readonly string[] {
  if (undoRefusal === undefined) return [];
  const why =
    undoRefusal === 'tokens' ? 'it is a copy with tokens' : 'what it replaces is too large to be kept';
  return [`${undo} cannot take this import back: ${why}.`];
}

export const TALLIES = ['added', 'changed', 'removed', 'unchanged'] as const;

/** Such as `Imported plan.xlsx into acme: 2 shifts added, 1 changed, 40 unchanged; 1 person added.` */
export function describeInLine(name: string, summary: ImportSummary, timeZone?: string): string {
  const { slug, tables, account, isUtcAssumed, sameAsAtMs } = summary;
  if (sameAsAtMs !== undefined)
    return `${name} is as it was imported into ${slug} at ${timeOf({ atMs: sameAsAtMs, timeZone })}, and nobody has written to the account since.`;
  const parts = TABLES.toReversed().map((table) =>
    TALLIES.filter((verb) => tables[table][verb] > 0 && (table === 'shifts' || verb !== 'unchanged'))
      .map((verb, i) => {
        const number = tables[table][verb];
        return `${i === 0 ? count(number, NOUNS[table], table) : number} ${verb}`;
      })
      .join(', '),
  );
  if (account !== 'unchanged')
    parts.push(account === 'added' ? newness(isUtcAssumed) : 'it has new settings');
  const told = parts.filter((part) => part !== '').join('; ');
  return `Imported ${name} into ${slug}: ${told || 'it has no shifts'}.`;
}

function newness(isUtcAssumed = false): string {
  return isUtcAssumed ? 'the account is new, in UTC because no time zone was given' : 'the account is new';
}

/** How a sheet was read. Empty if all headings have our names and nothing was left out. */
export function describeReport({ report }: ImportSummary, isOnPage = false): readonly string[] {
  if (report === undefined) return [];
  const {
    sheets,
    leftOutSheets,
    taken,
    noShifts,
    nobodies,
    comments,
    hiddenRows,
    unused,
    cells: { columns, rows, crossedOut },
  } = report;
  const reasons = rows.map((left) => `${left.rows} ${WHY_ROWS[left.why]} (${someOf(left.values)})`);
  const sentences = [
    sheets.length > 0 && `Read the ${named(sheets, 'sheet', 'sheets')}.`,
    leftOutSheets.length > 0 && `Left out the ${named(leftOutSheets, 'sheet', 'sheets')}.`,
    taken.length > 0 &&
      `Read ${taken.map(({ heading, column }) => `${cutShort(heading)} as ${isOnPage ? inWords(column) : column}`).join(', ')}.`,
    report.hiddenColumns.size > 0 &&
      `Read the ${named([...report.hiddenColumns].map(columnLetters), 'column', 'columns')}, hidden in the workbook, too.`,
    columns.length > 0 &&
      `Left out the ${columns.length === 1 ? 'column' : 'columns'} ${columns.map((left) => `${columnName(left)} (${someOf(left.values)})`).join(', ')}.`,
    hiddenRows > 0 &&
      `Read ${count(hiddenRows, 'row that is', 'rows that are')} hidden in the workbook, too.`,
    nobodies.count > 0 &&
      `Read ${count(nobodies.count, 'cell', 'cells')} as nobody: ${[...nobodies.words].map(cutShort).join(', ')}.`,
    noShifts.count > 0 &&
      `Read ${count(noShifts.count, 'cell', 'cells')} as no shift: ${[...noShifts.words].map(cutShort).join(', ')}.`,
    rows.length > 0 &&
      `Left out ${count(
        rows.reduce((sum, left) => sum + left.rows, 0),
        'row',
        'rows',
      )}: ${reasons.join(', ')}.`,
    crossedOut.cells > 0 &&
      `Left out ${count(crossedOut.cells, 'cell that is', 'cells that are')} crossed out (${someOf(crossedOut.values)}).`,
    comments.count > 0 &&
      `Left out ${count(comments.count, 'comment on a cell', 'comments on cells')} (${someOf([...comments.words].slice(0, MAX_TOLD_COMMENTS))}).`,
    unused.sheet &&
      `The file is a text and has no other sheets${isOnPage ? '' : ': --sheet was not needed'}.`,
    unused.codes.length > 0 &&
      `No cell has the ${named(unused.codes, 'code', 'codes')}${isOnPage ? '' : ' of --codes'}.`,
    !isOnPage &&
      unused.people.length > 0 &&
      `No cell has the ${named(unused.people, 'text', 'texts')} of --people.`,
  ];
  return sentences.filter((sentence) => sentence !== false);
}

/** Such as `New people: Ada, Bo and 3 more.`, each beside the one that it nearly equals. */
export function describeNewNames(
  { newNames, nearNames: near = [], tables }: ImportSummary,
  most = MAX_LISTED_NAMES,
): readonly string[] {
  if (newNames === undefined) return [];
  return NAMED_TABLES.filter((table) => newNames[table].length > 0).map((table) => {
    const beside = new Map(
      near.flatMap((one) => (one.table === table && one.near ? [[one.name, one.near]] : [])),
    );
    const listed = newNames[table].slice(0, most).map((name) => {
      const other = beside.get(name);
      return other === undefined ? cutShort(name) : `${cutShort(name)} (beside ${cutShort(other)})`;
    });
    const more = tables[table].added - listed.length;
    return `New ${table}: ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
  });
}

const MAX_TOLD_COMMENTS = 3;
const NAMED_TABLES = ['groups', 'locations', 'people'] as const;
/** In a line of a terminal or of a log. */
const MAX_LISTED_NAMES = 20;

const WHY_ROWS = {
  above: 'above the headings',
  between: 'in between',
  total: 'of totals',
  'no shifts': 'without shifts',
  'crossed out': 'crossed out',
};

/** A column is told by its heading, if it has one. */
export function columnName({ heading, column }: { heading: string; column: number }): string {
  return heading === '' ? `${columnLetters(column)} without a heading` : cutShort(heading);
}

function someOf(values: readonly string[]): string {
  return values.map(cutShort).join(', ');
}

/** Says which days --replace covers, if one of several sheets decides that. */
export function describeReplaced({ replacedDays }: ImportSummary): readonly string[] {
  if (replacedDays === undefined) return [];
  const { from = '', to = '' } = replacedDays;
  const days = from > to ? 'no days' : `the days from ${from} to ${to}`;
  return [`Other sheets hold shifts, too: --replace covers ${days}, unless --from and --to say others.`];
}

/** Says how many shifts of its days and groups the file does not have, if they stay. */
export function describeKept({ left }: ImportSummary, isOnPage = false): readonly string[] {
  if (!left?.areKept) return [];
  const [stay, them] = left.count === 1 ? ['stays', 'it'] : ['stay', 'them'];
  return [`${describeLeft(left)}, and ${stay}${isOnPage ? '' : `: --replace-days removes ${them}`}.`];
}

export function named(names: readonly string[], one: string, many: string): string {
  return `${names.length === 1 ? one : many} ${names.map(cutShort).join(', ')}`;
}

const MAX_SHOWN_CHARACTERS = 60;

function cutShort(heading: string): string {
  const line = onOneLine(heading);
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}…` : line;
}

/** How many of the imported shifts are not listed, and why. */
export function describeUnlisted(
  { slug, tables, premium, unlisted }: ImportSummary,
  isOnPage = false,
): readonly string[] {
  const { added, changed, unchanged } = tables.shifts;
  const all = added + changed + unchanged;
  if (unlisted === undefined || all === 0) return [];
  if (!premium) {
    const sentence = `None of it is listed: the account ${slug} is not premium, so no token is live.`;
    const advice = ` "shiftfeed account set ${slug} --premium true" changes that.`;
    return [isOnPage ? sentence : sentence + advice];
  }
  const { early, firstDate, lastDate, inactive } = unlisted;
  const hidden = early + inactive;
  if (hidden === 0) return [];
  const when = firstDate === lastDate ? `before ${firstDate}` : `yet, the first before ${firstDate}`;
  const reasons = [
    early > 0 && `${count(early, 'is', 'are')} not published ${when}`,
    inactive > 0 &&
      count(inactive, 'belongs to a group that is not active', 'belong to groups that are not active'),
  ].filter((reason) => reason !== false);
  const which =
    hidden === all
      ? 'None of the shifts is listed'
      : `${hidden} of the ${all} shifts ${hidden === 1 ? 'is' : 'are'} not listed`;
  return [`${which}: ${reasons.join(', ')}.`];
}

/** Warnings about the imported data. They are printed even with --quiet. */
export function describeWarnings(summary: ImportSummary): readonly string[] {
  const swallowing = (summary.report?.cells.swallowing ?? []).map(
    (place) => `Is this meant? The text in ${describePlace(place)} holds lines that look like rows.`,
  );
  return [...swallowing, ...oddShifts(summary), ...nearNames(summary)];
}

function oddShifts({ oddities, today }: ImportSummary): readonly string[] {
  if (oddities === undefined) return [];
  const { long, far, equal, overlapping } = oddities;
  const away = `more than two years from ${today?.slice(0, 4)}`;
  const times = ({ start_time, end_time }: OddShift) => `${start_time} to ${end_time}`;
  const twin = ({ equalPosition = 0 }: OddShift) => `as ${lineOf(equalPosition)}`;
  return [
    ...question(long, 'A shift lasts 16 hours or more', 'shifts last 16 hours or more', times),
    ...question(far, `A shift lies ${away}`, `shifts lie ${away}`, ({ date }) => date),
    ...question(
      overlapping,
      'A person has two shifts at once',
      'shifts overlap another one of their person',
      ({ person, other }) =>
        typeof other === 'number'
          ? `${shown(person)}, as in ${lineOf(other)}`
          : `${shown(person)}, who has ${other.start_time} to ${other.end_time} on ${other.date} already`,
    ),
    ...question(equal, 'A row is equal to an earlier one', 'rows are equal to earlier ones', twin),
  ];
}

const MAX_TOLD_NAMES = 5;

function nearNames({ nearNames: names = [] }: ImportSummary): readonly string[] {
  const beside = names.filter(({ near }) => near !== undefined);
  const told = beside.slice(0, MAX_TOLD_NAMES).map(({ table, name, near = '', isNearInactive }) => {
    const why = isNearInactive ? ', which is not active' : '';
    return `Is this meant? The ${NOUNS[table]} ${shown(name)} is new beside ${shown(near)}${why}.`;
  });
  const more = beside.length - told.length;
  const others = count(more, 'more name is', 'more names are');
  return [
    ...told,
    ...(more > 0 ? [`Is this meant? ${others} new beside ones that they nearly equal.`] : []),
    ...unlikeNames(names.flatMap(({ name, near }) => (near === undefined ? cutShort(name) : []))),
  ];
}

function unlikeNames(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const listed = names.slice(0, MAX_LISTED_NAMES).join(', ');
  const more = names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : '';
  return [
    `Is this meant? ${count(names.length, 'new person is', 'new people are')} unlike the others: ${listed}${more}.`,
  ];
}

function question<Shift extends { readonly position: number }>(
  { count: all, first }: Odd<Shift>,
  one: string,
  many: string,
  detail: (shift: Shift) => string,
): readonly string[] {
  if (all === 0) return [];
  const places = first.map((shift) => `${lineOf(shift.position)} (${detail(shift)})`).join(', ');
  const more = all > first.length ? ` and ${all - first.length} more` : '';
  return [`Is this meant? ${all === 1 ? one : `${all} ${many}`}: ${places}${more}.`];
}

function lineOf(position: number): string {
  return describePlace(placeAt(position));
}

/** What would change, for --dry-run --show: `+` is added, `~` changed and `-` removed. */
export function describeChange(change: Change, nameOf: NameOf): string {
  const { table, before, after } = change;
  const record = (before ?? after) as RecordOf<Table>;
  const head = `${NOUNS[table]} ${record.id}  ${headOf(change, record, nameOf)}`;
  if (before === undefined) return `+ ${head}`;
  if (after === undefined) return `- ${head}`;
  const fields = differences(change, nameOf).map((one) => `${one.field} ${one.before} → ${one.after}`);
  return `~ ${head}: ${fields.join(', ')}`;
}

/** What identifies the record: its name, or when and where the shift is. */
export function headOf({ table }: Change, record: RecordOf<Table>, nameOf: NameOf): string {
  if (table !== 'shifts') return shown((record as RecordOf<'groups'>).name);
  const shift = record as RecordOf<'shifts'>;
  const { date, start_time, end_time, end_date } = shift;
  const end = end_date === date ? end_time : `${end_date} ${end_time}`;
  const names = REFERENCES.flatMap(([field, of]) => {
    const id = shift[field];
    return id === null ? [] : [nameOf(of, id)];
  });
  return `${date} ${start_time} to ${end}, ${names.map(shown).join(', ')}`;
}

export interface Difference {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** The fields that change. */
export function differences({ table, before, after }: Change, nameOf: NameOf): readonly Difference[] {
  const fields = COLUMN_NAMES[table] as readonly string[];
  const contentOf = (record: object | undefined, field: string): unknown =>
    record && Reflect.get(record, field);
  const value = (record: object | undefined, field: string): string => {
    const content = contentOf(record, field);
    if (content === null) return 'none';
    const reference = REFERENCES.find(([name]) => name === field);
    if (reference !== undefined) return shown(nameOf(reference[1], Number(content)));
    return typeof content === 'string' && !/^[\d:-]+$/.test(content) ? quote(content) : String(content);
  };
  return fields
    .filter((field) => contentOf(before, field) !== contentOf(after, field))
    .map((field) => ({
      field: field.replace(/_id$/, ''),
      before: value(before, field),
      after: value(after, field),
    }));
}

/** A name as it is, unless it could break the line or is long. */
export function shown(name: string): string {
  const quoted = quote(name);
  return quoted === `"${name}"` ? name : quoted;
}
