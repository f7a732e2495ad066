/** The file of an import, or standard input, as the command line opens it. */

import { fstat, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { type ImportFile, type OpenedFile, ReadingFailed } from '../../import/read.ts';
import { FileRefused, openToRead, reasonOf } from '../files.ts';

export interface FileOfCommand extends ImportFile {
  /** How much of it was read, from 0 to 1; undefined if its size is unknown, as that of standard input. */
  fractionRead(): number | undefined;
}

/** Large files are read in fewer steps. */
const CHUNK_BYTES = 128 * 1024;

/**
 * `-` is standard input. A file that was written to while it was read is refused. The watch sees to that itself. A watched
 * file has to be one: a pipe in its place would be waited for without end.
 */
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
    const look = () => opened?.stat() ?? lookAtInput();
    const found = await look();
    if (found?.isDirectory()) throw unreadable(new FileRefused('it is a folder'));
    const size = opened !== undefined && found?.isFile() ? found.size : 0;
    let bytesRead = 0;
    fraction = () => (size > 0 ? Math.min(1, bytesRead / size) : undefined);
    async function confirm(): Promise<void> {
      if (isWatched || !found?.isFile()) return;
      const now = await look();
      if (now?.size === found.size && now.mtimeMs === found.mtimeMs) return;
      throw new ReadingFailed(
        `${name} was written to while it was read, so nothing was imported: import it again.`,
      );
    }
    // It stays open until it was looked at again.
    const ofFile = { highWaterMark: CHUNK_BYTES, autoClose: false };
    return opening(opened?.createReadStream(ofFile) ?? process.stdin, unreadable, {
      confirm,
      onChunk(chunk) {
        bytesRead += chunk.length;
        onChunk?.(chunk);
      },
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

/** Of a closed one, nothing is known. A shell may have opened a file, or even a folder. */
function lookAtInput(): Promise<Stats | undefined> {
  return promisify(fstat)(process.stdin.fd).catch(() => undefined);
}

interface Listener {
  onChunk(chunk: Uint8Array): void;
  /** Called at the end. What it throws fails the reading. */
  confirm(): Promise<void>;
}

function opening(
  stream: NodeJS.ReadableStream & { destroy(): unknown },
  unreadable: (error: unknown) => Error,
  listener?: Listener,
): OpenedFile {
  // The reader gets the error from its loop. Without this listener, Node would end the process.
  stream.on('error', () => undefined);
  let isRead = false;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream) {
        listener?.onChunk(chunk as Uint8Array);
        yield chunk as Uint8Array;
      }
    } catch (error) {
      throw unreadable(error);
    }
    await listener?.confirm();
    isRead = true;
  }
  return { bytes: bytes(), isRead: () => isRead, close: () => stream.destroy() };
}
