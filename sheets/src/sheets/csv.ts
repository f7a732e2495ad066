/** The bytes of a CSV → rows of text. Memory holds some hundred kilobytes of it at a time, however long it is. */

import { once } from 'node:events';
import { inFull } from '@shiftfeed/common/quote';
import { CsvError, type Parser, parse } from 'csv-parse';
import { decode } from '../bytes/encoding.ts';
import {
  cutCell,
  type GridRow,
  isFullCell,
  MAX_COLUMNS,
  refusedAt,
  type Sheet,
  SheetRefused,
} from '../cell.ts';
import { placeInSheet, type Reason, type SheetProblem } from '../problem.ts';

export interface CsvOptions {
  /** A label of the Encoding Standard. */
  readonly encoding?: string | undefined;
  /** How many of the cells of a row are headings, as far as these are known. */
  readonly countHeadings: (cells: readonly string[]) => number;
  /** Is told problems that do not stop the reading. */
  readonly tell: (problem: SheetProblem) => void;
}

/** The delimiter is chosen by this much of the text. */
const BEGINNING_CHARACTERS = 64_000;
/**
 * Far longer than any row. Without a limit, a quote that is never closed would make one row of the rest of the file.
 */
const MAX_ROW_BYTES = 1_000_000;

export function openCsv(bytes: AsyncIterable<Uint8Array>, options: CsvOptions): Sheet {
  return { name: '', isHidden: false, isText: true, rows: () => readRows(bytes, options) };
}

async function* readRows(
  bytes: AsyncIterable<Uint8Array>,
  options: CsvOptions,
): AsyncGenerator<readonly GridRow[]> {
  const rows = rowGatherer();
  let beginning = '';
  let parser: Parser | undefined;
  try {
    for await (const { text, flaw } of decode(bytes, options.encoding)) {
      if (parser === undefined) {
        beginning += text;
        if (flaw !== undefined)
          options.tell(encodingProblem(flaw, beginning === '' ? undefined : 1 + lineBreaksIn([beginning])));
        if (beginning.length > BEGINNING_CHARACTERS) {
          parser = makeParser(beginning, options, rows.take);
          await write(parser, beginning);
        }
      } else {
        await write(parser, text);
        if (flaw !== undefined) options.tell(encodingProblem(flaw, rows.nextLine()));
      }
      yield rows.takeAll();
    }
    if (parser === undefined) {
      parser = makeParser(beginning, options, rows.take);
      await write(parser, beginning);
    }
    await end(parser);
    yield rows.takeAll();
  } catch (error) {
    if (!(error instanceof CsvError || error instanceof SheetRefused)) throw error;
    yield rows.takeAll();
    throw error instanceof SheetRefused ? error : refusedAt({ line: rows.nextLine() }, sentenceOf(error));
  } finally {
    parser?.destroy();
  }
}

function encodingProblem(flaw: Reason, line: number | undefined): SheetProblem {
  return { place: line === undefined ? '' : placeInSheet({ line }), ...flaw };
}

function sentenceOf({ code }: CsvError): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quote opens in this row and is never closed';
    case 'CSV_MAX_RECORD_SIZE':
      return `this row has more than ${inFull(MAX_ROW_BYTES)} bytes; is a quote left open?`;
    default:
      return 'a quote stands inside of a cell; a cell with quotes is written in quotes, and its own are doubled';
  }
}

function rowGatherer() {
  let rows: GridRow[] = [];
  let line = 1;
  let linesBefore = 0;
  return {
    take(cells: readonly string[], lines: number, delimiter: Delimiter): void {
      const first = line;
      // The parser counts some line breaks within quotes twice, but it does notice that there are any.
      line += 1 + (lines - linesBefore === 1 ? 0 : lineBreaksIn(cells));
      linesBefore = lines;
      if (first === 1 && namesDelimiter(cells)) return;
      // A quote that is closed in a later row makes one cell of all that is between them.
      const swallowing =
        line > first + 1 ? cells.findIndex((cell) => holdsRows(cell, delimiter, cells.length)) : -1;
      if (swallowing >= 0 && delimiter === '\t')
        throw refusedAt(
          { line: first },
          'a quote opens in this row and takes the next one in: are quotes left open?',
        );
      if (cells.length > MAX_COLUMNS)
        throw refusedAt(
          { line: first },
          `has ${inFull(cells.length)} cells: a sheet has at most ${inFull(MAX_COLUMNS)} columns`,
        );
      const kept = cells.some(isFullCell) ? cells.map(cutCell) : cells;
      rows.push(swallowing < 0 ? { line: first, cells: kept } : { line: first, cells: kept, swallowing });
    },
    /** The rows that were read since the last call. */
    takeAll(): readonly GridRow[] {
      const all = rows;
      rows = [];
      return all;
    },
    /** The line on which the next row begins. */
    nextLine: () => line,
  };
}

/** Whether a line of a cell has nearly as many cells as the row. A tab stands nowhere else. */
function holdsRows(cell: string, delimiter: Delimiter, width: number): boolean {
  const lines = cell.split(/\r\n|\r|\n/);
  if (lines.length === 1) return false;
  const most = delimiter === '\t' ? 2 : Math.max(3, width - 2);
  return lines.some((line) => line.split(delimiter).length >= most);
}

/**
 * Some programs write "sep=;" above the headings, for Excel. Unless it is quoted, that line is itself split at the
 * delimiter.
 */
function namesDelimiter([first = '', ...others]: readonly string[]): boolean {
  return /^sep=.?$/i.test(first) && others.every((cell) => cell === '');
}

function lineBreaksIn(cells: readonly string[]): number {
  return cells.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
}

function makeParser(
  beginning: string,
  options: CsvOptions,
  take: ReturnType<typeof rowGatherer>['take'],
): Parser {
  const delimiter = findDelimiter(beginning.slice(0, BEGINNING_CHARACTERS), options);
  const parser: Parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    // Trims only cells that are not in quotes.
    trim: true,
    on_record(cells: string[], { lines }) {
      take(cells, lines, delimiter);
      // The parser makes an error of each row that has not as many cells as the first one, and drops it. That takes ten
      // times as long as the row, so each row counts as the first.
      Object.assign(parser.info, { records: 0 });
      return null;
    },
  });
  // Each write reports its own error.
  parser.on('error', () => undefined);
  parser.resume();
  return parser;
}

function write(parser: Parser, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

async function end(parser: Parser): Promise<void> {
  const ended = once(parser, 'end');
  parser.end();
  await ended;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
type Delimiter = (typeof DELIMITERS)[number];

/** The headings are expected within this many lines. */
const LINES = 50;

/** Chooses the delimiter that gives a line the most known headings, or else the most cells. */
function findDelimiter(beginning: string, { countHeadings }: CsvOptions): Delimiter {
  const lines = beginning.split(/[\r\n]+/, LINES).filter((line) => line !== '');
  const named = DELIMITERS.find((delimiter) => /^"?sep=(.)"?/i.exec(lines[0] ?? '')?.[1] === delimiter);
  if (named !== undefined) return named;
  const score = (delimiter: Delimiter) =>
    Math.max(
      0,
      ...lines.map((line) => {
        const cells = line.split(delimiter).map((cell) => cell.replaceAll('"', '').trim());
        return 1_000 * countHeadings(cells) + Math.min(cells.length, 999);
      }),
    );
  const scores = DELIMITERS.map(score);
  return DELIMITERS[scores.indexOf(Math.max(...scores))] ?? ',';
}
