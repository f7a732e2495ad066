/** Decodes UTF-8 in pieces of any size. Unlike TextDecoder, it says where invalid bytes are. */

export class Utf8Reader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** The first bytes of a character that is not complete yet. */
  #rest = new Uint8Array(0);
  #isFirst = true;

  /** Decodes up to the end of the chunk or to the first invalid byte. `rest` has the bytes from an invalid one on. */
  read(chunk: Uint8Array): { readonly text: string; readonly isUtf8: boolean; readonly rest: Uint8Array } {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = endOfWholeCharacters(bytes);
    this.#rest = bytes.slice(end);
    const whole = bytes.subarray(0, end);
    try {
      return { text: this.#decode(whole), isUtf8: true, rest: NOTHING };
    } catch {
      const length = goodLength(whole);
      return { text: this.#decode(whole.subarray(0, length)), isUtf8: false, rest: bytes.subarray(length) };
    }
  }

  /** The bytes of a character that was never completed. */
  unread(): Uint8Array {
    return this.#rest;
  }

  #decode(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes);
    // Some programs put a byte order mark in front.
    const isMarked = this.#isFirst && text.startsWith('\ufeff');
    if (text !== '') this.#isFirst = false;
    return isMarked ? text.slice(1) : text;
  }
}

const NOTHING = new Uint8Array(0);
const REPLACEMENT = '\ufffd';

/** Leaves out the last bytes if they are an incomplete character. */
function endOfWholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (isContinuation) continue;
    const length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** How many of these bytes come before the first invalid one. */
function goodLength(bytes: Uint8Array): number {
  let length = 0;
  // The decoder puts a replacement character in place of invalid bytes; a text may also have one of its own.
  for (const good of new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split(REPLACEMENT)) {
    length += Buffer.byteLength(good);
    const end = length + Buffer.byteLength(REPLACEMENT);
    if (Buffer.compare(bytes.subarray(length, end), Buffer.from(REPLACEMENT)) !== 0) return length;
    length = end;
  }
  return bytes.length;
}
