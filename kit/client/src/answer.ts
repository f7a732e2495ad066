/** What an answer says: its body, read within a size limit and checked to be a listing, and its headers. */

import { isDate, isTime } from '@shiftfeed/common/days';
import { type Listing, SHAPES } from './api.ts';
import { unusable } from './errors.ts';

/**
 * A page of shifts with what its headers say. Nothing of it can be changed. As long as the server says that a page is
 * as it was, its `shifts` are the same array.
 */
export interface ShiftPage extends Listing {
  /** The IANA name of the time zone in which dates and times are meant. undefined when the server does not say it. */
  readonly timeZone: string | undefined;
  /** Differs when the data of the account has changed. undefined when the server has none. */
  readonly revision: string | undefined;
  /**
   * Names the state of the listing that the page is of: pages of one query with the same tag belong together. A change
   * elsewhere in the account keeps it. undefined when the server has none.
   */
  readonly listing: string | undefined;
  /**
   * When the months that the listing touches were last written to, in milliseconds since 1970, to the second. undefined
   * when nothing ever was, or when the server does not say it.
   */
  readonly lastModifiedMs: number | undefined;
  /** How old the answer is, when the server gave it from memory because its database was away. */
  readonly staleSeconds: number | undefined;
}

/** The text of a body of at most so many bytes. */
export async function readBody(
  { status, body }: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly bytes: number }> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = body?.getReader();
  let bytes = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) throw unusable(status, `it is larger than ${maxBytes} bytes`);
    chunks.push(value);
  }
  const whole = await new Blob(chunks).arrayBuffer();
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(whole), bytes };
  } catch {
    throw unusable(status, 'it is not UTF-8');
  }
}

/** The sentence of an error body, if it is one. */
export function readSentence(text: string): string | undefined {
  const body = parse(text);
  if (!isObject(body) || typeof body.error !== 'string' || body.error === '') return undefined;
  return body.error;
}

/** A listing that nobody can change. */
export function readListing(text: string): Listing {
  const body = parse(text);
  if (body === undefined) throw unusable(200, 'it is not JSON');
  return readValue('Listing', body, '') as Listing;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a value of a kind in `SHAPES`. Errors say where it is wrong, but never quote it: answers contain private data.
 */
function readValue(kind: string, value: unknown, place: string): unknown {
  if (kind.endsWith('|null')) {
    return value === null ? null : readValue(kind.slice(0, -'|null'.length), value, place);
  }
  if (kind.endsWith('[]')) {
    if (!Array.isArray(value)) throw unusable(200, `${place} is not a list`);
    return Object.freeze(
      value.map((item, i) => readValue(kind.slice(0, -'[]'.length), item, `${place}[${i}]`)),
    );
  }
  if (Object.hasOwn(SHAPES, kind)) return readObject(SHAPES[kind as keyof typeof SHAPES], value, place);
  // The specification leaves open how "none" is written.
  if (kind === 'text' && (value === undefined || value === null)) return '';
  const { noun, isRight } = KINDS[kind as keyof typeof KINDS];
  if (!isRight(value)) throw unusable(200, `${place} is not ${noun}`);
  return value;
}

function readObject(shape: Readonly<Record<string, string>>, value: unknown, place: string): object {
  if (!isObject(value)) throw unusable(200, `${place || 'it'} is not an object`);
  const read: Record<string, unknown> = {};
  for (const key in shape) {
    read[key] = readValue(shape[key] as string, value[key], place === '' ? key : `${place}.${key}`);
  }
  return Object.freeze(read);
}

const isText = (value: unknown) => typeof value === 'string';

const KINDS = {
  integer: {
    noun: 'a whole number',
    isRight: (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0,
  },
  date: { noun: 'a date', isRight: isDate },
  time: { noun: 'a time', isRight: isTime },
  text: { noun: 'a text', isRight: isText },
  name: { noun: 'a text', isRight: isText },
  boolean: { noun: 'true or false', isRight: (value: unknown) => typeof value === 'boolean' },
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * If a 304 omits the time zone or the last write, they are unchanged. The state of the listing must be in each answer.
 */
export function pageOf(
  { headers }: Response,
  { shifts, meta }: Listing,
  known: ShiftPage | undefined,
): ShiftPage {
  const stale = headers.get('shiftfeed-stale');
  return Object.freeze({
    shifts,
    meta,
    timeZone: headers.get('shiftfeed-time-zone') ?? known?.timeZone,
    revision: headers.get('shiftfeed-revision') ?? undefined,
    listing: headers.get('shiftfeed-listing') ?? undefined,
    lastModifiedMs: readHttpDate(headers.get('last-modified')) ?? known?.lastModifiedMs,
    staleSeconds: stale === null ? undefined : Number(stale),
  });
}

/** A time as headers write it, in milliseconds since 1970. undefined when the text is none. */
export function readHttpDate(text: string | null): number | undefined {
  if (text === null || !HTTP_DATE.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
