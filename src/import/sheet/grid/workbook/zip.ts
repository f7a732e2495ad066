/**
 * The files within a workbook, which is a zip archive. Nothing that the archive claims is trusted, so everything is
 * limited.
 */

import type { Readable } from 'node:stream';
import yauzl from 'yauzl';
import { quote } from '../../../../quote.ts';
import { refusal } from '../../refusal.ts';

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
  const archive = await parse(all);
  const entries = await entriesOf(archive);
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

function parse(buffer: Buffer): Promise<yauzl.ZipFile> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(buffer, { lazyEntries: true }, (error, archive) =>
      error ? reject(broken()) : resolve(archive),
    );
  });
}

function entriesOf(archive: yauzl.ZipFile): Promise<ReadonlyMap<string, yauzl.Entry>> {
  const entries = new Map<string, yauzl.Entry>();
  return new Promise((resolve, reject) => {
    archive.on('error', () => reject(broken()));
    archive.on('end', () => resolve(entries));
    archive.on('entry', (entry: yauzl.Entry) => {
      entries.set(entry.fileName, entry);
      if (entries.size > MAX_ENTRIES) reject(refusal(TOO_MANY_FILES));
      else archive.readEntry();
    });
    archive.readEntry();
  });
}

async function* inflated(archive: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Uint8Array> {
  const stream = await new Promise<Readable>((resolve, reject) => {
    archive.openReadStream(entry, (error, opened) => (error ? reject(broken()) : resolve(opened)));
  });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    // zlib and yauzl describe the damage in detail, but no user can repair it.
    if (error instanceof Error && ('code' in error || error.constructor === Error)) throw broken();
    throw error;
  } finally {
    stream.destroy();
  }
}

function broken(): Error {
  return refusal('the workbook is broken, or was cut off: save it again in your spreadsheet program');
}
