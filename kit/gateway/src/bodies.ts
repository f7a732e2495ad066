/**
 * Bodies by what they show. Each is written, tagged and compressed once and then kept, within a limit in bytes. The
 * least recently used goes first, because visitors can make up more queries than fit into memory.
 */

import type { Compressors } from './encoding.ts';

export interface Body {
  readonly bytes: Uint8Array;
  /** The hash of the content, for entity tags. */
  readonly hash: string;
  /** Compressed, or undefined if that is not worth it yet. */
  compressed(encoding: string): Promise<Uint8Array> | Uint8Array | undefined;
}

export type Content = string | Uint8Array;

/**
 * Decides when a body is written: calls `write`, at once or later, or throws `TooBusy`. A body is popular if it is
 * shown to visitors who ask for nothing in particular.
 */
export type Schedule = (write: () => Content, isPopular: boolean) => Promise<Content>;

export const AT_ONCE: Schedule = async (write) => write();

/** Too many bodies wait to be written. */
export class TooBusy extends Error {}

export interface Bodies {
  /** The body with this key. It is written if it is not in memory. */
  get(key: string, isPopular: boolean, write: () => Content): Body | Promise<Body>;
  bytes(): number;
}

export function keepBodies(maxBytes: number, compressors: Compressors, schedule = AT_ONCE): Bodies {
  const memory = makeBodyMemory(maxBytes);
  const underWay = new Map<string, Promise<Body>>();
  const compress = limitCompressions(compressors, memory.grow);

  async function make(key: string, isPopular: boolean, write: () => Content): Promise<Body> {
    const written = await schedule(write, isPopular);
    const bytes = typeof written === 'string' ? encoder.encode(written) : written;
    const body: KeptBody = {
      key,
      bytes,
      hash: await hashOf(bytes),
      size: bytes.length + key.length + OVERHEAD_BYTES,
      usedAt: 0,
      isPopular,
      encoded: new Map(),
      compressed: (encoding) => compress(body, encoding),
    };
    memory.keep(body);
    return body;
  }

  return {
    get(key, isPopular, write) {
      const found = memory.find(key);
      if (found !== undefined) {
        found.isPopular = true;
        return found;
      }
      const making = underWay.get(key) ?? make(key, isPopular, write).finally(() => underWay.delete(key));
      underWay.set(key, making);
      return making;
    },
    bytes: memory.bytes,
  };
}

interface KeptBody extends Body {
  readonly key: string;
  size: number;
  /** How many bodies had come when it was last used. */
  usedAt: number;
  isPopular: boolean;
  readonly encoded: Map<string, Promise<Uint8Array> | Uint8Array>;
}

interface BodyMemory {
  find(key: string): KeptBody | undefined;
  keep(body: KeptBody): void;
  /** Counts what a body takes in addition. */
  grow(body: KeptBody, bytes: number): void;
  bytes(): number;
}

/** The least recently used bodies make room. */
function makeBodyMemory(maxBytes: number): BodyMemory {
  const kept = new Map<string, KeptBody>();
  let keptBytes = 0;
  let comings = 0;

  function forget(key: string): void {
    keptBytes -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  }

  function keep(body: KeptBody): void {
    forget(body.key);
    kept.set(body.key, body);
    body.usedAt = ++comings;
    keptBytes += body.size;
    for (const oldest of kept.keys()) {
      if (keptBytes <= maxBytes) return;
      forget(oldest);
    }
  }

  return {
    keep,
    find(key) {
      const found = kept.get(key);
      // To note each use would take long. Whatever was used since the last body came is newer than what was not.
      if (found === undefined || found.usedAt === comings) return found;
      // A Map is ordered by insertion.
      kept.delete(key);
      kept.set(key, found);
      found.usedAt = comings;
      return found;
    },
    grow(body, bytes) {
      const isKept = kept.get(body.key) === body;
      if (isKept) forget(body.key);
      body.size += bytes;
      if (isKept) keep(body);
    },
    bytes: () => keptBytes,
  };
}

/** A body that nobody asks for again is not worth compressing, and visitors could ask for very many of them. */
function limitCompressions(
  compressors: Compressors,
  onMade: (body: KeptBody, bytes: number) => void,
): (body: KeptBody, encoding: string) => ReturnType<Body['compressed']> {
  let count = 0;
  return (body, encoding) => {
    const known = body.encoded.get(encoding);
    const run = compressors[encoding];
    if (known !== undefined || run === undefined || !body.isPopular) return known;
    if (count >= MAX_COMPRESSIONS) return undefined;
    count++;
    // A compressor may bring a promise of its own kind, or fail at once.
    const making = (async () => run(body.bytes))()
      .finally(() => {
        count--;
      })
      .then((bytes) => {
        body.encoded.set(encoding, bytes);
        onMade(body, bytes.length);
        return bytes;
      });
    body.encoded.set(encoding, making);
    making.catch(() => body.encoded.delete(encoding));
    return making;
  };
}

/** The limit at a time, because each takes memory. Beyond it, visitors get the body uncompressed. */
const MAX_COMPRESSIONS = 8;
/**
 * Roughly what an entry takes besides its body and its key, with the last answer that was made of it. Keys contain what
 * visitors asked for, and may be longer than the body.
 */
const OVERHEAD_BYTES = 2048;

const encoder = new TextEncoder();

async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return btoa(String.fromCharCode(...digest.subarray(0, 18)))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
