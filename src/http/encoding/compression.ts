/** The encodings of pages, and which one a client prefers. */

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import Negotiator from 'negotiator';
import { remember } from '../memoize.ts';

export type Encoding = 'identity' | 'zstd' | 'br' | 'gzip';

/** The first that the client accepts equally well is taken: cheapest to unpack for their size first. */
const PREFERRED: readonly Encoding[] = ['zstd', 'br', 'gzip', 'identity'];
const MIN_COMPRESSED_BYTES = 1024;
const BROTLI_QUALITY = 4;
/** What a compressor takes besides the body, at most, and how many copies of the body there are meanwhile. */
const COMPRESSOR_BYTES = 2 * 1024 * 1024;
const COPIES_OF_BODY = 3;
/** Clients send few different ones. */
const REMEMBERED_HEADERS = 100;

const brotli = promisify(brotliCompress);

export const COMPRESS: { readonly [E in Encoding]: (body: Buffer) => Promise<Buffer> } = {
  identity: async (body) => body,
  zstd: promisify<Buffer, Buffer>(zstdCompress),
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** What the client accepts, best first. Without the header, the page is sent as it is. */
export function acceptedEncodings(acceptEncoding: string | undefined): readonly Encoding[] {
  return acceptEncoding === undefined ? AS_IT_IS : negotiate(acceptEncoding);
}

const AS_IT_IS: readonly Encoding[] = ['identity'];

const negotiate = remember((acceptEncoding: string): readonly Encoding[] => {
  const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  return negotiator.encodings(PREFERRED, { preferred: PREFERRED }) as Encoding[];
}, REMEMBERED_HEADERS);

/** The best of the accepted encodings for a body of this size. */
export function chooseEncoding(accepted: readonly Encoding[], bytes: number): Encoding {
  return isSmall(bytes) && accepted.includes('identity') ? 'identity' : (accepted[0] as Encoding);
}

/** Whether what is saved is not worth the work. */
export function isSmall(bytes: number): boolean {
  return bytes < MIN_COMPRESSED_BYTES;
}

/** About what it takes to compress a body of this size, or just to gather it. */
export function bytesOfWork(encoding: Encoding, bytes: number): number {
  return COPIES_OF_BODY * bytes + (encoding === 'identity' ? 0 : COMPRESSOR_BYTES);
}

/** What the library can do since its version 1; its published types do not know yet. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
}
