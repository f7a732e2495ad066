/** Decodes the bytes of a text: UTF-8, UTF-16 with a byte order mark, or the encoding that --encoding names. */

import { lookAhead } from '@shiftfeed/common/look-ahead';
import { quote } from '@shiftfeed/common/quote';
import { byOption, type Reason } from '@shiftfeed/common/reason';
import { Utf8Reader } from './utf8.ts';

interface TextPiece {
  readonly text: string;
  /** The bytes after this text are invalid in the expected encoding. The rest is decoded in the likely one. */
  readonly flaw?: Reason;
}

/** A byte order mark overrides the label. */
export async function* decode(
  bytes: AsyncIterable<Uint8Array>,
  label: string | undefined,
): AsyncGenerator<TextPiece> {
  const {
    first: [first = new Uint8Array()],
    all,
  } = await lookAhead(bytes, () => true);
  const marked = markedEncoding(first);
  const silent = label === undefined && marked === undefined ? silentUtf16(first) : undefined;
  if (silent !== undefined) {
    const message = 'the file is text in UTF-16 without a mark';
    const advice = `; say so with --encoding ${silent}`;
    yield { text: '', flaw: { message, advice, fix: byOption('encoding', silent) } };
  }
  const encoding = marked ?? silent ?? (label && new TextDecoder(label).encoding) ?? 'utf-8';
  yield* encoding === 'utf-8' ? decodeUtf8(all) : decodeAs(all, encoding);
}

async function* decodeUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TextPiece> {
  const reader = new Utf8Reader();
  let other: TextDecoder | undefined;
  for await (const chunk of bytes) {
    if (other !== undefined) {
      yield { text: other.decode(chunk, { stream: true }) };
      continue;
    }
    const { text, isUtf8, rest } = reader.read(chunk);
    if (isUtf8) {
      yield { text };
      continue;
    }
    const likely = likelyEncoding(rest);
    other = new TextDecoder(likely);
    const others = other.decode(rest, { stream: true });
    yield { text, flaw: notUtf8(likely, text, others) };
    yield { text: others };
  }
  if (other === undefined && reader.unread().length > 0)
    yield { text: '', flaw: notUtf8(likelyEncoding(reader.unread()), '', '') };
}

async function* decodeAs(bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<TextPiece> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of bytes) yield { text: decoder.decode(chunk, { stream: true }) };
    yield { text: decoder.decode() };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = `here, or soon after, the file is not ${encoding}; what is it?`;
    yield { text: '', flaw: { message, advice: ' Say so with --encoding' } };
  }
}

/** Quotes the first word that the likely encoding decodes, so that a human can see whether it is right. */
function notUtf8(likely: string, before: string, after: string): Reason {
  const start = 'here, or soon after, the file is not UTF-8';
  const word = `${/[\p{L}\p{M}]{0,20}$/u.exec(before)?.[0] ?? ''}${/^[^\s;,|"]{0,20}/u.exec(after)?.[0] ?? ''}`;
  if (CONTROL.test(word))
    return {
      message: `${start}: save the sheet as "CSV UTF-8"`,
      advice: ', or say with --encoding what it is',
    };
  const sample = word === '' ? '' : `, which reads ${quote(word)}`;
  return {
    message: `${start}; perhaps it is ${likely}${sample}`,
    advice: `: then say --encoding ${likely}, or save the sheet as "CSV UTF-8"`,
    fix: byOption('encoding', likely),
  };
}

/** Encodings decode bytes that they do not define as control characters. */
const CONTROL = /\p{Cc}/u;

function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined;
}

/** Detects UTF-16 without a mark: headings contain ASCII letters, which have one zero byte each. */
function silentUtf16(bytes: Uint8Array): string | undefined {
  const zero = bytes.subarray(0, 1_000).indexOf(0);
  if (zero === -1) return undefined;
  return zero % 2 === 1 ? 'utf-16le' : 'utf-16be';
}

/**
 * MacRoman has letters where Windows-1252 has signs. Windows-1250 has some as well, but these are followed by a letter.
 */
function likelyEncoding(bytes: Uint8Array): string {
  let mac = 0;
  let windows = 0;
  let central = 0;
  const some = bytes.subarray(0, 100_000);
  for (const [i, byte] of some.entries()) {
    if (byte >= 0xc0) windows++;
    else if (MAC_LETTERS.has(byte)) mac++;
    else if (CENTRAL_LETTERS.has(byte) && isLetter(some[i + 1])) central++;
  }
  if (mac > windows + central) return 'macintosh';
  return central > 0 ? 'windows-1250' : 'windows-1252';
}

function isLetter(byte = 0): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || byte >= 0xe0;
}

/** Ł ł Ą ą ľ Ż of windows-1250, where windows-1252 has £ ³ ¥ ¹ ¾ ¯. */
const CENTRAL_LETTERS: ReadonlySet<number> = new Set([0xa3, 0xb3, 0xa5, 0xb9, 0xbe, 0xaf]);

/** ä ö ü Ö Ü é è ê ë á à â ç ñ ó ò ô í î ï ú ù û of the old Macs. */
const MAC_LETTERS: ReadonlySet<number> = new Set([
  0x8a, 0x9a, 0x9f, 0x86, 0x8e, 0x8f, 0x90, 0x87, 0x88, 0x89, 0x8d, 0x9c, 0x9d, 0x9e, 0x98, 0x99, 0x83,
]);
