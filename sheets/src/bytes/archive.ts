/**
 * The files within a workbook, which is a zip archive, and the XML in them. Nothing that the archive claims is trusted,
 * so everything is limited.
 */

import { inFull, quote } from '@shiftfeed/common/quote';
import { SaxesParser } from 'saxes';
import yauzl from 'yauzl';
import { refusal, SheetRefused } from '../cell.ts';

export interface Zip {
  has(name: string): boolean;
  /** The names of its files that begin like this. */
  namesUnder(folder: string): readonly string[];
  /** The content of a file, in pieces. Throws SheetRefused. */
  open(name: string): AsyncGenerator<Uint8Array>;
}

const MAX_FILE_BYTES = 100_000_000;
const MAX_ENTRIES = 10_000;
/** The limit of all files that are read. A sheet of a million rows is smaller. */
const MAX_INFLATED_BYTES = 500_000_000;
/** Sheets compress to about a tenth. A file that compresses much better was made to exhaust memory. */
const MAX_RATIO = 150;
const MIN_BYTES_FOR_RATIO = 20_000_000;

export async function openZip(bytes: AsyncIterable<Uint8Array>): Promise<Zip> {
  const all = await allOf(bytes);
  const archive = await yauzl.fromBufferPromise(all, { lazyEntries: true }).catch(tellBroken);
  const entries = await entriesOf(archive).catch(tellBroken);
  /** The files that were opened. Several may share their bytes, so only the sum is compared with those of the archive. */
  const opened = new Set<yauzl.Entry>();
  let inflatedBytes = 0;
  return {
    has: (name) => entries.has(name),
    namesUnder: (folder) => [...entries.keys()].filter((name) => name.startsWith(folder)),
    async *open(name) {
      const entry = entries.get(name);
      if (entry === undefined) throw refusal(`the workbook is broken: it lacks ${quote(name)}`);
      if (entry.isEncrypted()) throw refusal(HAS_PASSWORD);
      if (!opened.has(entry)) inflatedBytes += entry.uncompressedSize;
      opened.add(entry);
      if (isTooLarge(inflatedBytes, all.length)) throw refusal(TOO_LARGE);
      yield* inflated(archive, entry);
    },
  };
}

export const HAS_PASSWORD =
  'the workbook has a password: open it in your spreadsheet program, and save it without one';

const TOO_LARGE =
  'the workbook is larger than any plan of shifts, unpacked: save the sheet as CSV, and import that';

const TOO_MANY_FILES = `the workbook consists of more than ${MAX_ENTRIES} files: save the sheet as CSV, and import that`;

/** Checks the declared sizes. A file that is larger than it declares ends with an error while it is read. */
function isTooLarge(inflatedBytes: number, archiveBytes: number): boolean {
  if (inflatedBytes > MAX_INFLATED_BYTES) return true;
  return inflatedBytes > MIN_BYTES_FOR_RATIO && inflatedBytes > archiveBytes * MAX_RATIO;
}

async function allOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > MAX_FILE_BYTES)
      throw refusal('the workbook has more than 100 MB: save the sheet as CSV, and import that');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function entriesOf(archive: yauzl.ZipFile): Promise<ReadonlyMap<string, yauzl.Entry>> {
  const entries = new Map<string, yauzl.Entry>();
  for await (const entry of archive.eachEntry()) {
    entries.set(entry.fileName, entry);
    if (entries.size > MAX_ENTRIES) throw refusal(TOO_MANY_FILES);
  }
  return entries;
}

async function* inflated(archive: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Uint8Array> {
  const stream = await archive.openReadStreamPromise(entry).catch(tellBroken);
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    tellBroken(error);
  } finally {
    stream.destroy();
  }
}

/** zlib and yauzl describe the damage in detail, but no user can repair it. */
function tellBroken(error: unknown): never {
  if (error instanceof SheetRefused) throw error;
  throw refusal('the workbook is broken, or was cut off: save it again in your spreadsheet program');
}

export interface XmlHandler {
  /** Names come without their prefix. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Between two tags. Cells of spreadsheets have at most 32,767. */
const MAX_TEXT_CHARACTERS = 1_000_000;
/** Workbooks have less than 20 levels. */
const MAX_DEPTH = 200;

/**
 * Reads XML piece by piece, of which nothing longer than a cell is kept. Yields after each piece, so that what the handler
 * made of it can be taken.
 */
export async function* readXml(pieces: AsyncIterable<Uint8Array>, handler: XmlHandler): AsyncGenerator<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  const decoder = new TextDecoder();
  let sinceTag = 0;
  let depth = 0;
  parser.on('doctype', () => {
    throw refusal('the workbook is not one that a spreadsheet program made: it declares a document type');
  });
  parser.on('opentag', ({ name, attributes }) => {
    sinceTag = 0;
    if (++depth > MAX_DEPTH)
      throw refusal(`the workbook is broken: it has tags within tags, more than ${MAX_DEPTH} levels deep`);
    handler.open?.(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    sinceTag = 0;
    depth--;
    handler.close?.(localName(name));
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  parser.on('error', () => {
    throw refusal('the workbook is broken: save it again in your spreadsheet program');
  });
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    sinceTag += text.length;
    parser.write(text);
    if (sinceTag > MAX_TEXT_CHARACTERS)
      throw refusal(`the workbook has a cell of more than ${inFull(MAX_TEXT_CHARACTERS)} characters`);
    yield;
  }
  parser.close();
}

/** Reads all of a small file. */
export async function readWholeXml(pieces: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(pieces, handler));
}

/**
 * Searches for tags without parsing the XML, which is much faster. Yields text in Latin-1. Between `<` and `>`, the
 * expression must match neither of them, so that it never looks beyond the tag.
 */
export async function* findTags(
  pieces: AsyncIterable<Uint8Array>,
  tag: RegExp,
): AsyncGenerator<RegExpExecArray> {
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
    yield* text.matchAll(tag);
    // A tag may be cut in two.
    const last = text.lastIndexOf('<');
    rest = last === -1 || text.indexOf('>', last) !== -1 ? '' : text.slice(last);
    if (rest.length > MAX_TAG_CHARACTERS)
      throw refusal(
        `the workbook is broken: it has a tag of more than ${inFull(MAX_TAG_CHARACTERS)} characters`,
      );
  }
}

/** Formulas are within tags, too. */
const MAX_TAG_CHARACTERS = 100_000;

/** Without its prefix. */
export function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}
