/**
 * Bodies by what they show, and the answers with them. Each body is written, tagged and compressed once and then kept,
 * within a limit in bytes.
 */

import { encodingsAmong, IDENTITY } from '@shiftfeed/common/accept';
import { type Answer, type HeaderFields, makeAnswer, type RouteName, type Visit } from './response.ts';

export interface Body {
  readonly bytes: Uint8Array;
  /** The hash of the content, for entity tags. */
  readonly hash: string;
  /** In which it can be given to whoever sends this header, best first. */
  readonly encodingsFor: (acceptEncoding: string) => readonly string[];
  /** Compressed, or undefined if that is not worth it yet. */
  compressed(encoding: string): Promise<Uint8Array> | undefined;
  /** The last answer in each encoding. */
  readonly answers: Map<string, ReadyAnswer>;
}

/** What an answer is made of. */
export interface Sending {
  readonly route: RouteName;
  readonly body: Body;
  readonly contentType: string;
  /** The other headers of the route. */
  readonly common: HeaderFields;
  readonly cacheControl: string;
  /** How many seconds ago the upstream said what is shown; 0 while that is as new as the feed allows. */
  readonly ageSeconds?: number;
}

/** An answer, and what it was made of. */
interface ReadyAnswer {
  readonly sending: Sending;
  readonly answer: Answer;
}

export type Content = string | Uint8Array;

/**
 * Decides when a body is written: calls `write`, at once or later, or throws `TooBusy`. A body is popular if it is
 * shown to visitors who ask for nothing in particular.
 */
export type Schedule = (write: () => Content, isPopular: boolean) => Promise<Content>;

const AT_ONCE: Schedule = async (write) => write();

/** Too many bodies wait to be written. */
export class TooBusy extends Error {}

/** What was written of one copy. */
export type Bodies = ReturnType<BodyRoom['open']>;
/** The memory that all copies share for their bodies. */
export type BodyRoom = ReturnType<typeof makeBodyRoom>;

/**
 * When it is full, the copy that takes most of it forgets what was used longest ago: visitors of one feed, who can make
 * up any number of queries, leave those of the others alone.
 */
export function makeBodyRoom(maxBytes: number, compressors: Compressors, schedule: Schedule = AT_ONCE) {
  const compression = limitCompressions(compressors);
  const opened = new Set<ReturnType<typeof keepBodies>>();
  const bytes = () => [...opened].reduce((sum, one) => sum + one.bytes(), 0);
  const makeRoom = () => {
    while (bytes() > maxBytes) {
      [...opened].reduce((most, one) => (one.bytes() > most.bytes() ? one : most)).forgetOldest();
    }
  };
  return {
    bytes,
    open() {
      const bodies = keepBodies(compression, schedule, makeRoom);
      opened.add(bodies);
      /** `close` gives the room back when the copy is no longer shown. */
      return { ...bodies, close: () => opened.delete(bodies) };
    },
  };
}

interface KeptBody extends Body {
  size: number;
  /** A body that nobody asks for again is not worth compressing, and visitors could ask for very many of them. */
  isPopular: boolean;
}

/**
 * Roughly what an entry takes besides its body and its key, with the last answers that were made of it. Keys contain what
 * visitors asked for, and may be longer than the body.
 */
const OVERHEAD_BYTES = 2048;

function keepBodies(compression: Compression, schedule: Schedule, makeRoom: () => void) {
  // A Map is ordered by insertion: the first entry was used longest ago.
  const kept = new Map<string, KeptBody>();
  const underWay = new Map<string, Promise<Body>>();
  let keptBytes = 0;

  async function make(key: string, isPopular: boolean, write: () => Content): Promise<Body> {
    const written = await schedule(write, isPopular);
    const bytes = typeof written === 'string' ? encoder.encode(written) : written;
    const hash = await hashOf(bytes);
    const grow = (moreBytes: number) => {
      if (kept.get(key) !== body) return;
      body.size += moreBytes;
      keptBytes += moreBytes;
      makeRoom();
    };
    const compressed = compression.once(bytes, grow);
    const body: KeptBody = {
      bytes,
      hash,
      encodingsFor: compression.encodingsFor,
      compressed: (encoding) => (body.isPopular ? compressed(encoding) : undefined),
      answers: new Map(),
      size: 0,
      isPopular,
    };
    kept.set(key, body);
    grow(bytes.length + key.length + OVERHEAD_BYTES);
    return body;
  }

  return {
    /** The body with this key, if it is in memory. */
    find(key: string): Body | undefined {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      found.isPopular = true;
      kept.delete(key);
      kept.set(key, found);
      return found;
    },
    /** Writes a body that is not in memory. */
    write(key: string, isPopular: boolean, write: () => Content): Promise<Body> {
      const making = underWay.get(key) ?? make(key, isPopular, write).finally(() => underWay.delete(key));
      underWay.set(key, making);
      return making;
    },
    bytes: () => keptBytes,
    forgetOldest() {
      const [oldest] = kept;
      if (oldest === undefined) return;
      kept.delete(oldest[0]);
      keptBytes -= oldest[1].size;
    },
  };
}

/** Functions that compress a body, by their names in `Content-Encoding`. */
export type Compressors = Readonly<Record<string, (body: Uint8Array) => Promise<Uint8Array>>>;

/** The compressor that every platform has. */
export async function gzip(body: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([body as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

type Compression = ReturnType<typeof limitCompressions>;

/** The limit at a time, because each takes memory. Beyond it, visitors get the body uncompressed. */
const MAX_COMPRESSIONS = 8;

function limitCompressions(compressors: Compressors) {
  let count = 0;
  return {
    encodingsFor: encodingsAmong([...Object.keys(compressors), IDENTITY]),
    /** Compresses a body once in each encoding. Undefined if there is no such compressor, or too much to compress. */
    once(body: Uint8Array, onDone: (bytes: number) => void) {
      const encoded = new Map<string, Promise<Uint8Array>>();
      return (encoding: string): Promise<Uint8Array> | undefined => {
        const run = compressors[encoding];
        const known = encoded.get(encoding);
        if (known !== undefined || run === undefined || count >= MAX_COMPRESSIONS) return known;
        count++;
        // A compressor may bring a promise of its own kind, or fail at once.
        const compressing = (async () => run(body))().finally(() => {
          count--;
        });
        encoded.set(encoding, compressing);
        compressing.then(
          ({ length }) => onDone(length),
          () => encoded.delete(encoding),
        );
        return compressing;
      };
    },
  };
}

const encoder = new TextEncoder();

async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return btoa(String.fromCharCode(...digest.subarray(0, 18)))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** The body in the best encoding, or 304 to whoever has it already. */
export async function sendBody(visit: Visit, sending: Sending): Promise<Answer> {
  const { body, route } = sending;
  const wanted = chooseEncoding(visit.header('accept-encoding'), body);
  // Whoever has the body in any encoding has it.
  const known = visit.header('if-none-match');
  if (known !== undefined && (known.trim() === '*' || known.includes(`"${body.hash}`))) {
    return makeAnswer(304, headersOf(sending, wanted), undefined, route);
  }
  const answer = readyAnswer(sending, wanted) ?? (await answerWith(sending, wanted));
  return visit.method === 'HEAD' ? { ...answer, body: undefined } : answer;
}

const MIN_COMPRESSED_BYTES = 1024;

/** Whoever accepts no encoding at all gets the body uncompressed. */
function chooseEncoding(header: string | undefined, { encodingsFor, bytes }: Body): string {
  if (header === undefined || bytes.length < MIN_COMPRESSED_BYTES) return IDENTITY;
  return encodingsFor(header)[0] ?? IDENTITY;
}

/** The last answer, if the headers would be the same. */
function readyAnswer({ body, common, cacheControl, ageSeconds }: Sending, encoding: string) {
  const last = body.answers.get(encoding);
  const isSame =
    last?.sending.common === common &&
    last.sending.cacheControl === cacheControl &&
    last.sending.ageSeconds === ageSeconds;
  return isSame ? last.answer : undefined;
}

async function answerWith(sending: Sending, wanted: string): Promise<Answer> {
  const { body, route } = sending;
  const compressed = wanted === IDENTITY ? undefined : await body.compressed(wanted);
  const encoding = compressed === undefined ? IDENTITY : wanted;
  const bytes = compressed ?? body.bytes;
  const headers = {
    ...headersOf(sending, encoding),
    ...(encoding !== IDENTITY && { 'content-encoding': encoding }),
    'content-length': String(bytes.length),
  };
  const answer = makeAnswer(200, headers, bytes, route);
  body.answers.set(encoding, { sending, answer });
  return answer;
}

function headersOf(sending: Sending, encoding: string): HeaderFields {
  const { body, contentType, common, cacheControl, ageSeconds } = sending;
  return {
    ...common,
    'cache-control': cacheControl,
    'content-type': contentType,
    // Sent even if it is 0: with a 304, browsers keep the header of the earlier response.
    ...(ageSeconds !== undefined && { 'shiftfeed-age': String(ageSeconds) }),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    etag: encoding === IDENTITY ? `"${body.hash}"` : `"${body.hash}-${encoding}"`,
  };
}
