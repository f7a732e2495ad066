/**
 * The bytes of a sheet → its rows, checked, as they are read. Memory holds some hundred kilobytes of it at a time,
 * however long it is.
 */

import { once } from 'node:events';
import { CsvError, type Parser, parse } from 'csv-parse';
import { TABLES } from '../../store/records.ts';
import type { SheetPart } from '../document.ts';
import type { GivenAccount } from '../fields.ts';
import { placeInSheet } from '../place.ts';
import { Utf8Reader } from '../utf8.ts';
import { type HeaderOptions, readHeader } from './columns.ts';
import { findDelimiter, whyNoCsv } from './first-line.ts';
import { type RowOptions, rowReader } from './row.ts';
import type { SheetRow } from './sheet.ts';

export interface SheetOptions extends RowOptions, Omit<HeaderOptions, 'hasPublishDate'> {
  /** Whose shifts these are, and what is to be said of it. */
  readonly account: GivenAccount;
}

/** Rows are handed on in parts of this many. */
const ROWS_PER_PART = 1_000;
/** The first line must end within this. */
const MAX_FIRST_LINE_CHARACTERS = 100_000;
/** No row comes near: with a quote that is never closed, it would be all the rest of the file. */
const MAX_ROW_BYTES = 1_000_000;

/** Where a file stops being UTF-8 or CSV, its parts end with what was read until there. */
export async function* readSheet(
  bytes: AsyncIterable<Uint8Array>,
  options: SheetOptions,
): AsyncGenerator<SheetPart> {
  yield { account: options.account };
  const reader = new Utf8Reader();
  const rows = rowGatherer(options);
  let beginning = '';
  let parser: Parser | undefined;
  let isFirst = true;
  try {
    for await (const chunk of bytes) {
      const why = isFirst ? whyNoCsv(chunk) : undefined;
      if (why !== undefined) throw new BrokenSheet('', why);
      isFirst = false;
      const { text, isUtf8 } = reader.read(chunk);
      if (parser === undefined) {
        beginning += text;
        if (!isUtf8 || hasWholeLine(beginning)) {
          parser = makeParser(beginning, options, rows.take);
          await write(parser, beginning);
        }
      } else {
        await write(parser, text);
      }
      if (!isUtf8) throw notUtf8(rows.nextLine());
      yield* rows.parts(ROWS_PER_PART);
      if (rows.isRefused()) return;
    }
    if (!reader.endsWell()) throw notUtf8(rows.nextLine());
    if (parser === undefined) {
      parser = makeParser(beginning, options, rows.take);
      await write(parser, beginning);
    }
    await end(parser);
    yield* rows.parts(1);
    if (rows.isRefused()) return;
    if (!rows.hasHeader())
      throw new BrokenSheet('', 'the file is empty: its first line should name the columns');
  } catch (error) {
    if (!(error instanceof BrokenSheet || error instanceof CsvError)) throw error;
    yield* rows.parts(1);
    if (rows.isRefused()) return;
    const { place, message } =
      error instanceof BrokenSheet
        ? error
        : { place: placeInSheet(rows.nextLine(), undefined), message: sentenceOf(error) };
    yield { problem: { place, message }, hides: TABLES };
  } finally {
    parser?.destroy();
  }
}

/** The file cannot be read on. */
class BrokenSheet extends Error {
  readonly place: string;

  constructor(place: string, message: string) {
    super(message);
    this.place = place;
  }
}

function notUtf8(line: number): BrokenSheet {
  return new BrokenSheet(
    placeInSheet(line, undefined),
    'here, or soon after, the file is not UTF-8 (an older Windows encoding, perhaps): save the sheet as "CSV UTF-8"',
  );
}

function sentenceOf({ code }: CsvError): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quote opens in this row and is never closed';
    case 'CSV_MAX_RECORD_SIZE':
      return `this row has more than ${MAX_ROW_BYTES.toLocaleString('en')} bytes; is a quote left open?`;
    default:
      return 'a quote stands inside of a cell; a cell with quotes is written in quotes, and its own are doubled';
  }
}

interface RowGatherer {
  readonly take: (cells: readonly string[], lines: number) => void;
  /** The rows that were read since the last call, unless there are fewer than this. */
  parts(atLeast: number): Generator<SheetPart>;
  hasHeader(): boolean;
  /** Whether the header is wrong, so that no row can be read. */
  isRefused(): boolean;
  /** The line on which the next row begins. */
  nextLine(): number;
}

function rowGatherer(options: SheetOptions): RowGatherer {
  const headerOptions = { ...options, hasPublishDate: options.publishedFrom !== undefined };
  let read: ReturnType<typeof rowReader> | undefined;
  let problems: SheetPart[] = [];
  let rows: SheetRow[] = [];
  let hasAddresses = false;
  let isRefused = false;
  let line = 1;
  let linesBefore = 0;

  return {
    take(cells, lines) {
      const first = line;
      // The parser counts some line breaks within quotes twice, but it does notice that there are any.
      line += 1 + (lines - linesBefore === 1 ? 0 : lineBreaksIn(cells));
      linesBefore = lines;
      if (isRefused || cells.every((cell) => cell === '')) return;
      if (read !== undefined) {
        rows.push(read(cells, first));
        return;
      }
      if (first === 1 && namesDelimiter(cells)) return;
      const header = readHeader(cells, first, headerOptions);
      if ('places' in header) {
        read = rowReader(header, options);
        hasAddresses = header.places.address !== undefined;
      } else {
        isRefused = true;
        problems = header.map((problem) => ({ problem, hides: TABLES }));
      }
    },
    *parts(atLeast) {
      yield* problems;
      problems = [];
      if (rows.length < atLeast) return;
      const all = rows;
      rows = [];
      for (let start = 0; start < all.length; start += ROWS_PER_PART) {
        yield { rows: all.slice(start, start + ROWS_PER_PART), hasAddresses };
      }
    },
    hasHeader: () => read !== undefined || isRefused,
    isRefused: () => isRefused,
    nextLine: () => line,
  };
}

/** Some programs write "sep=;" above the header, for Excel. Without quotes, it is cut at that delimiter. */
function namesDelimiter([first = '', ...others]: readonly string[]): boolean {
  return /^sep=.?$/i.test(first) && others.every((cell) => cell === '');
}

function lineBreaksIn(cells: readonly string[]): number {
  return cells.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
}

function hasWholeLine(text: string): boolean {
  return /[^\r\n][\r\n]/.test(text) || text.length > MAX_FIRST_LINE_CHARACTERS;
}

function makeParser(beginning: string, options: SheetOptions, take: RowGatherer['take']): Parser {
  const firstLine = /[^\r\n]+/.exec(beginning)?.[0] ?? '';
  const headerOptions = { ...options, hasPublishDate: true };
  const parser = parse({
    delimiter: findDelimiter(firstLine, headerOptions),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    // Around cells that are not in quotes.
    trim: true,
    on_record(cells: string[], { lines }) {
      take(cells, lines);
      return null;
    },
  });
  // Errors are told to whoever writes.
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
