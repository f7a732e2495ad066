/**
 * A personal link is a name that nobody can read, guess or change who lacks the secret. It is built like AES-SIV
 * (RFC 5297), of what Web Crypto has on every platform:
 *
 *     keys  = HKDF-SHA-256(secret, feed), one to sign and one to encrypt
 *     text  = number, length of the name, name, zeros up to whole blocks
 *     tag   = the first 128 bits of HMAC-SHA-256(text)
 *     link  = base64url(tag, AES-256-CTR(text) counted from the tag)
 *
 * Nothing of it is random, so that every process makes the same link, and nothing has to be stored. The tag depends on
 * every bit of the text and the text on every bit of the tag, so that a link either is as it was made or is none.
 */

/** As the platform calls it: the types of Node before 26 have no global name for it. */
type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export interface LinkKeys {
  readonly signing: CryptoKey;
  readonly encrypting: CryptoKey;
}

export interface SealedName {
  /** As `foldName` writes it. */
  readonly name: string;
  /** A person who is given another number has another link. */
  readonly number: number;
}

const TAG_BYTES = 16;
/** Links tell no more of the length of a name than how many of these it fills. Most fill one. */
const BLOCK_BYTES = 32;
/** The number, and the length of the name. */
const HEAD_BYTES = 4 + 2;
/** More than 200 characters in any script. */
const MAX_BLOCKS = 32;
const MAX_NAME_BYTES = MAX_BLOCKS * BLOCK_BYTES - HEAD_BYTES;
const KEY_BYTES = 32;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export async function deriveKeys(secret: Uint8Array, feed: string): Promise<LinkKeys> {
  const { subtle } = crypto;
  const material = await subtle.importKey('raw', plain(secret), 'HKDF', false, ['deriveBits']);
  const info = encoder.encode(`shiftfeed personal links 1 ${feed}`);
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info };
  const bits = await subtle.deriveBits(parameters, material, 2 * KEY_BYTES * 8);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  return {
    signing: await subtle.importKey('raw', bits.slice(0, KEY_BYTES), hmac, false, ['sign']),
    encrypting: await subtle.importKey('raw', bits.slice(KEY_BYTES), 'AES-CTR', false, ['encrypt']),
  };
}

/** The link of a name, or undefined where that is longer than names are. */
export async function sealName(keys: LinkKeys, sealed: SealedName): Promise<string | undefined> {
  const text = writeText(sealed);
  if (text === undefined) return undefined;
  const tag = await tagOf(keys, text);
  return encodeLink([...tag, ...(await encrypt(keys, tag, text))]);
}

/**
 * The name of a link that these keys made, if its number is the one that the name has now. Every link of the same length
 * takes the same work, whatever is wrong with it, and what cannot be a link takes that of a short name.
 */
export async function openLink(
  keys: LinkKeys,
  link: string,
  numberOf: (name: string) => number,
): Promise<string | undefined> {
  const isPossible = isLink(link);
  const bytes = decodeLink(isPossible ? link : NO_LINK);
  const tag = bytes.subarray(0, TAG_BYTES);
  // In this mode, encrypting once more decrypts.
  const text = await encrypt(keys, tag, bytes.subarray(TAG_BYTES));
  const isGenuine = isSame(tag, await tagOf(keys, text));
  const { name, number } = readText(text);
  const isCurrent = number === numberOf(name);
  return isPossible && isGenuine && isCurrent ? name : undefined;
}

function writeText({ name, number }: SealedName): Uint8Array | undefined {
  const written = encoder.encode(name);
  if (written.length > MAX_NAME_BYTES) return undefined;
  const blocks = Math.ceil((HEAD_BYTES + written.length) / BLOCK_BYTES);
  const text = new Uint8Array(blocks * BLOCK_BYTES);
  const head = new DataView(text.buffer);
  head.setUint32(0, number);
  head.setUint16(4, written.length);
  text.set(written, HEAD_BYTES);
  return text;
}

/** Of a text that was not sealed here, anything. */
function readText(text: Uint8Array): SealedName {
  const head = new DataView(text.buffer, text.byteOffset);
  const end = HEAD_BYTES + head.getUint16(4);
  return { number: head.getUint32(0), name: decoder.decode(text.subarray(HEAD_BYTES, end)) };
}

async function tagOf({ signing }: LinkKeys, text: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', signing, plain(text))).subarray(0, TAG_BYTES);
}

async function encrypt({ encrypting }: LinkKeys, tag: Uint8Array, text: Uint8Array): Promise<Uint8Array> {
  const counter = tag.slice();
  // As RFC 5297 does: platforms do not agree on what comes after the last number of a counter.
  counter[12] = (counter[12] ?? 0) & 0x7f;
  const parameters = { name: 'AES-CTR', counter, length: 32 };
  return new Uint8Array(await crypto.subtle.encrypt(parameters, encrypting, plain(text)));
}

/** Looks at all bytes, so that the time does not tell how many of them are right. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (const [i, byte] of a.entries()) difference |= byte ^ (b[i] ?? 0);
  return difference === 0;
}

const LENGTHS: ReadonlySet<number> = new Set(
  Array.from({ length: MAX_BLOCKS }, (_, i) => Math.ceil(((TAG_BYTES + (i + 1) * BLOCK_BYTES) * 4) / 3)),
);
/** With letters of every kind, as links have. */
const NO_LINK = 'Ab0_-9Xy'.repeat(8);

/** Whether it may have been written by `encodeLink`. The same bytes in another spelling were not. */
function isLink(text: string): boolean {
  return LENGTHS.has(text.length) && /^[\w-]+$/.test(text) && encodeLink(decodeLink(text)) === text;
}

function encodeLink(bytes: Iterable<number>): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function decodeLink(link: string): Uint8Array {
  const binary = atob(link.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from({ length: binary.length }, (_, i) => binary.charCodeAt(i));
}

/** What Web Crypto takes, by its types. */
function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
