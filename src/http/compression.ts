/**
 * Compressed pages. A page that is asked for again is compressed once and then kept, within a budget in bytes; its
 * entity tag says whether it is the same page.
 */

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

export type Encoding = 'identity' | 'zstd' | 'br' | 'gzip';
type Compression = Exclude<Encoding, 'identity'>;

/** The first that the client accepts equally well is taken: cheapest to unpack for their size first. */
const PREFERRED: readonly Encoding[] = ['zstd', 'br', 'gzip', 'identity'];
/** Below this, what is saved is not worth the work. */
const MIN_COMPRESSED_BYTES = 1024;
const BROTLI_QUALITY = 4;

const COMPRESS: { readonly [C in Compression]: (body: Buffer) => Promise<Buffer> } = {
  zstd: promisify<Buffer, Buffer>(zstdCompress),
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<Buffer, Buffer>(gzip),
};
const brotli = promisify(brotliCompress);

/** What the client accepts, best first. Without the header, the page is sent as it is. */
export function acceptedEncodings(acceptEncoding: string | undefined): readonly Encoding[] {
  if (acceptEncoding === undefined) return ['identity'];
  const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  return negotiator.encodings(PREFERRED, { preferred: PREFERRED }) as Encoding[];
}

/** The best of the accepted encodings for a body of this size. */
export function chooseEncoding(accepted: readonly Encoding[], bytes: number): Encoding {
  const isSmall = bytes < MIN_COMPRESSED_BYTES && accepted.includes('identity');
  return isSmall ? 'identity' : (accepted[0] as Encoding);
}

/** What the library can do since its version 1; its published types do not know yet. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
}

export interface Compressor {
  compress(entityTag: string, encoding: Compression, body: () => Buffer): Promise<Buffer>;
}

export function makeCompressor(budgetBytes: number): Compressor {
  const kept = new LRUCache<string, Buffer>({
    maxSize: budgetBytes,
    sizeCalculation: (body, key) => body.length + key.length,
  });
  const underWay = new Map<string, Promise<Buffer>>();

  async function compressAndKeep(entityTag: string, encoding: Compression, body: Buffer): Promise<Buffer> {
    try {
      const compressed = await COMPRESS[encoding](body);
      kept.set(entityTag, compressed);
      return compressed;
    } finally {
      underWay.delete(entityTag);
    }
  }

  return {
    async compress(entityTag, encoding, body) {
      const known = kept.get(entityTag) ?? underWay.get(entityTag);
      if (known !== undefined) return known;
      const work = compressAndKeep(entityTag, encoding, body());
      underWay.set(entityTag, work);
      return work;
    },
  };
}
