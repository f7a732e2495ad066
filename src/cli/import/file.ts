/** The file of an import, or standard input, as the command line opens it. */

import { type ImportFile, type OpenedFile, ReadingFailed } from '../../import/read.ts';
import { openToRead, reasonOf } from '../files.ts';

export interface FileOfCommand extends ImportFile {
  /** How much of it was read, from 0 to 1; undefined if its size is unknown, as that of standard input. */
  fractionRead(): number | undefined;
}

/** Large files are read in fewer steps. */
const CHUNK_BYTES = 128 * 1024;

/** `-` is standard input. A watched file has to be one: a pipe in its place would be waited for without end. */
export function fileOf(file: string, isWatched: boolean): FileOfCommand {
  const name = file === '-' ? 'Standard input' : file;
  let fraction: () => number | undefined = () => undefined;
  const unreadable = (error: unknown) =>
    new ReadingFailed(`${name} could not be read: ${reasonOf(error)}.`, { cause: error });
  async function find(orPipe: boolean) {
    if (file === '-') return undefined;
    return openToRead(file, { orPipe }).catch((error: unknown) => {
      throw unreadable(error);
    });
  }

  async function open(onChunk?: (chunk: Uint8Array) => void): Promise<OpenedFile> {
    const opened = await find(!isWatched);
    const found = await opened?.stat();
    const stream = opened?.createReadStream({ highWaterMark: CHUNK_BYTES }) ?? process.stdin;
    let bytesRead = 0;
    fraction = () => (found?.isFile() && found.size > 0 ? Math.min(1, bytesRead / found.size) : undefined);
    return opening(stream, unreadable, (chunk) => {
      bytesRead += chunk.length;
      onChunk?.(chunk);
    });
  }

  return {
    name,
    open,
    async openAgain(maxBytes) {
      const opened = await find(false);
      if (opened === undefined) return undefined;
      const { size } = await opened.stat();
      if (size <= maxBytes) return opening(opened.createReadStream(), unreadable);
      await opened.close();
      return undefined;
    },
    fractionRead: () => fraction(),
  };
}

function opening(
  stream: NodeJS.ReadableStream & { destroy(): unknown },
  unreadable: (error: unknown) => Error,
  onChunk?: (chunk: Uint8Array) => void,
): OpenedFile {
  // The reader gets the error from its loop. Without this listener, Node would end the process.
  stream.on('error', () => undefined);
  let isRead = false;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream) {
        onChunk?.(chunk as Uint8Array);
        yield chunk as Uint8Array;
      }
      isRead = true;
    } catch (error) {
      throw unreadable(error);
    }
  }
  return { bytes: bytes(), isRead: () => isRead, close: () => stream.destroy() };
}
