/**
 * Bodies by what they show. Each is written, tagged and compressed once and then kept, within a limit in bytes. What
 * was asked for longest ago goes first: visitors can think of more queries than fit into memory.
 */

import type { Compressors } from './encoding.ts';

export interface Body {
  readonly bytes: Uint8Array;
  /** Of the content, for entity tags. */
  readonly hash: string;
  /** Compressed, or undefined if that is not worth it yet. */
  compressed(encoding: string): Promise<Uint8Array> | Uint8Array | undefined;
}

export type Content = string | Uint8Array;

/**
 * Says when a body is written: calls `write`, at once or later, or throws `TooBusy`. A body is popular if it is what
 * visitors see who ask for nothing in particular.
 */
export type Schedule = (write: () => Content, isPopular: boolean) => Promise<Content>;

export const AT_ONCE: Schedule = async (write) => write();

/** Too many bodies wait to be written. */
export class TooBusy extends Error {}

export interface Bodies {
  /** The body of that key, which is written if it is not there. */
  get(key: string, isPopular: boolean, write: () => Content): Body | Promise<Body>;
  bytes(): number;
}

export function keepBodies(maxBytes: number, compressors: Compressors, schedule = AT_ONCE): Bodies {
  const kept = new Map<string, KeptBody>();
  const underWay = new Map<string, Promise<Body>>();
  let keptBytes = 0;
  let compressions = 0;

  function forget(key: string): void {
    keptBytes -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  }

  function keep(key: string, body: KeptBody): void {
    forget(key);
    kept.set(key, body);
    keptBytes += body.size;
    for (const oldest of kept.keys()) {
      if (keptBytes <= maxBytes) return;
      forget(oldest);
    }
  }

  async function make(key: string, isPopular: boolean, write: () => Content): Promise<Body> {
    const written = await schedule(write, isPopular);
    const bytes = typeof written === 'string' ? encoder.encode(written) : written;
    const body: KeptBody = {
      bytes,
      hash: await hashOf(bytes),
      size: bytes.length + key.length + OVERHEAD_BYTES,
      isPopular,
      encoded: new Map(),
      compressed: (encoding) => compress(key, body, encoding),
    };
    keep(key, body);
    return body;
  }

  /** One that nobody asks for again is not worth the work, and visitors could ask for very many such. */
  function compress(key: string, body: KeptBody, encoding: string): ReturnType<Body['compressed']> {
    const known = body.encoded.get(encoding);
    const run = compressors[encoding];
    if (known !== undefined || run === undefined || !body.isPopular) return known;
    if (compressions >= MAX_COMPRESSIONS) return undefined;
    compressions++;
    const making = run(body.bytes)
      .finally(() => {
        compressions--;
      })
      .then((bytes) => {
        body.encoded.set(encoding, bytes);
        body.size += bytes.length;
        if (kept.get(key) === body) {
          keptBytes += bytes.length;
          keep(key, body);
        }
        return bytes;
      });
    body.encoded.set(encoding, making);
    making.catch(() => body.encoded.delete(encoding));
    return making;
  }

  return {
    get(key, isPopular, write) {
      const found = kept.get(key);
      if (found !== undefined) {
        found.isPopular = true;
        // The order of a Map is that of its insertions.
        kept.delete(key);
        kept.set(key, found);
        return found;
      }
      const making = underWay.get(key) ?? make(key, isPopular, write).finally(() => underWay.delete(key));
      underWay.set(key, making);
      return making;
    },
    bytes: () => keptBytes,
  };
}

interface KeptBody extends Body {
  size: number;
  isPopular: boolean;
  readonly encoded: Map<string, Promise<Uint8Array> | Uint8Array>;
}

/** At a time, because each takes memory. Whoever comes while there are as many gets the body as it is. */
const MAX_COMPRESSIONS = 8;
/**
 * About what an entry takes besides its body and its key. Keys hold what visitors asked for, and may be longer than the
 * body.
 */
const OVERHEAD_BYTES = 1024;

const encoder = new TextEncoder();

async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return btoa(String.fromCharCode(...digest.subarray(0, 18)))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
