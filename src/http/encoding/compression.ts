/** The content encodings, and which one a client gets. */

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import Negotiator from 'negotiator';
import { memoize } from '../protocol/memoize.ts';
import { NotAcceptable } from '../protocol/problems.ts';

export type Encoding = 'identity' | 'zstd' | 'br' | 'gzip';

/** Best first, and never empty. */
export type AcceptedEncodings = readonly [Encoding, ...Encoding[]];

/**
 * When a client accepts several equally well, it gets the first of these. They are sorted by the cost of decompressing.
 */
const PREFERRED: readonly Encoding[] = ['zstd', 'br', 'gzip', 'identity'];
const UNCOMPRESSED: AcceptedEncodings = ['identity'];

const MIN_COMPRESSED_BYTES = 1024;
const BROTLI_QUALITY = 4;
/** The most memory that a compressor takes, not counting copies of the body. */
const COMPRESSOR_BYTES = 2 * 1024 * 1024;
const COPIES_OF_BODY = 3;
/** Clients send few different Accept-Encoding headers. */
const MAX_MEMOIZED_HEADERS = 100;

const brotli = promisify(brotliCompress);

export const COMPRESS: { readonly [E in Encoding]: (body: Buffer) => Promise<Buffer> } = {
  identity: async (body) => body,
  zstd: promisify<Buffer, Buffer>(zstdCompress),
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** Reads the Accept-Encoding header. Throws NotAcceptable when it rules out every encoding. */
export function acceptedEncodings(acceptEncoding: string | undefined): AcceptedEncodings {
  return acceptEncoding === undefined ? UNCOMPRESSED : negotiate(acceptEncoding);
}

const negotiate = memoize((acceptEncoding: string): AcceptedEncodings => {
  const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const [best, ...others] = negotiator.encodings(PREFERRED, { preferred: PREFERRED }) as Encoding[];
  if (best === undefined) throw new NotAcceptable();
  return [best, ...others];
}, MAX_MEMOIZED_HEADERS);

/** The best of the accepted encodings for a body of this size. */
export function chooseEncoding(accepted: AcceptedEncodings, bodyBytes: number): Encoding {
  return isTooSmallToCompress(bodyBytes) && accepted.includes('identity') ? 'identity' : accepted[0];
}

export function isTooSmallToCompress(bodyBytes: number): boolean {
  return bodyBytes < MIN_COMPRESSED_BYTES;
}

/** Roughly how much memory it takes to compress a body of this size, or only to assemble it. */
export function compressionMemoryBytes(encoding: Encoding, bodyBytes: number): number {
  return COPIES_OF_BODY * bodyBytes + (encoding === 'identity' ? 0 : COMPRESSOR_BYTES);
}

/** The option exists since version 1 of the library, but is missing in its published types. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
}
