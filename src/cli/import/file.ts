/** Reads a file or standard input as the parts of a document. */

import { quote } from '@shiftfeed/common/quote';
import type { DocumentPart } from '../../import/document.ts';
import { ThreadEnded } from '../../import/read.ts';
import type { SheetReport } from '../../import/sheet/report.ts';
import { Failure } from '../failure.ts';
import { openToRead, reasonOf } from '../files.ts';

export interface OpenFile {
  /** The name for messages. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** undefined: unknown, as for standard input. */
  readonly size: number | undefined;
  /** How many bytes were read. */
  bytesRead(): number;
  /** Stops reading, even while waiting for bytes. */
  close(): void;
}

/** Large files are read in fewer steps. */
const CHUNK_BYTES = 128 * 1024;

/** A watched file has to be one: a pipe in its place would be waited for without end. */
export async function openFile(file: string, isWatched: boolean): Promise<OpenFile> {
  const name = file === '-' ? 'Standard input' : file;
  const unreadable = (error: unknown) =>
    new Failure(`${name} could not be read: ${reasonOf(error)}.`, { cause: error });
  const opened =
    file === '-'
      ? undefined
      : await openToRead(file, { orPipe: !isWatched }).catch((error: unknown) => {
          throw unreadable(error);
        });
  const found = await opened?.stat();
  const stream = opened?.createReadStream({ highWaterMark: CHUNK_BYTES }) ?? process.stdin;
  // The reader gets the error from its loop. Without this listener, Node would end the process.
  stream.on('error', () => undefined);
  let bytesRead = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream) {
        bytesRead += (chunk as Uint8Array).length;
        yield chunk;
      }
    } catch (error) {
      throw unreadable(error);
    }
  }
  return {
    name,
    bytes: counted(),
    size: found?.isFile() ? found.size : undefined,
    bytesRead: () => bytesRead,
    close: () => stream.destroy(),
  };
}

/** Fails when the document is for another account, or when the reading thread ended too early. */
export async function* readingFor(
  account: string | undefined,
  name: string,
  parts: AsyncIterable<DocumentPart>,
  onReport: (report: SheetReport) => void = () => undefined,
): AsyncGenerator<DocumentPart> {
  try {
    for await (const part of parts) {
      if ('rows' in part && part.report !== undefined) onReport(part.report);
      if ('account' in part && account !== undefined && part.account.slug !== account) {
        throw new Failure(
          `Nothing was imported: the document is for the account ${quote(part.account.slug)}, not ${quote(account)}.`,
        );
      }
      yield part;
    }
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error;
    throw new Failure(`Nothing was imported: ${name} could not be read, because ${error.message}.`, {
      cause: error,
    });
  }
}
