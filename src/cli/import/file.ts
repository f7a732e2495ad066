/** A file, or standard input → the parts of a document. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { SheetOptions } from '../../import/csv/read.ts';
import type { DocumentPart, JsonPart } from '../../import/document.ts';
import { quote } from '../../quote.ts';
import { Failure } from '../failure.ts';

export interface OpenFile {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** undefined: unknown, as for standard input. */
  readonly size: number | undefined;
  /** How many bytes were read. */
  bytesRead(): number;
}

export async function openFile(file: string): Promise<OpenFile> {
  let bytesRead = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
        bytesRead += (chunk as Uint8Array).length;
        yield chunk;
      }
    } catch (error) {
      const name = file === '-' ? 'Standard input' : file;
      throw new Failure(`${name} could not be read: ${reasonOf(error)}.`, { cause: error });
    }
  }
  const found = file === '-' ? undefined : await stat(file).catch(() => undefined);
  return {
    bytes: counted(),
    size: found?.isFile() ? found.size : undefined,
    bytesRead: () => bytesRead,
  };
}

/** Code that reads a file is loaded when it is needed: other commands start faster without it. */
export async function* partsOfSheet(
  { bytes }: OpenFile,
  options: SheetOptions,
): AsyncGenerator<DocumentPart> {
  const { readSheet } = await import('../../import/csv/read.ts');
  yield* readSheet(bytes, options);
}

/** Fails when the document is for another account. */
export async function* partsOfDocument(
  { bytes }: OpenFile,
  account: string | undefined,
): AsyncGenerator<JsonPart> {
  const { readDocument } = await import('../../import/json/read.ts');
  for await (const part of readDocument(bytes)) {
    if ('account' in part && account !== undefined && part.account.slug !== account) {
      throw new Failure(
        `Nothing was imported: the document is for the account ${quote(part.account.slug)}, not ${quote(account)}.`,
      );
    }
    yield part;
  }
}

/** The database is opened after this many records were read. */
const RECORDS_READ_FIRST = 1_000;

/** Reads the first parts, so that a file that cannot be read, or begins with a problem, makes no database. */
export async function beginReading(
  parts: AsyncGenerator<DocumentPart>,
): Promise<{ parts: AsyncIterable<DocumentPart>; hasProblem: boolean }> {
  const first: DocumentPart[] = [];
  for (let records = 0; records < RECORDS_READ_FIRST; ) {
    const { done, value: part } = await parts.next();
    if (done) break;
    first.push(part);
    records += 'table' in part ? part.records.length : 'rows' in part ? part.rows.length : 1;
  }
  async function* allParts() {
    yield* first;
    yield* parts;
  }
  return { parts: allParts(), hasProblem: first.some(isFlawed) };
}

function isFlawed(part: DocumentPart): boolean {
  if ('rows' in part) return part.rows.some(({ shift }) => shift.flawed !== undefined);
  return 'problem' in part || ('table' in part && part.records.some(({ flawed }) => flawed !== undefined));
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
  };
  return reasons[code ?? ''] ?? message;
}
