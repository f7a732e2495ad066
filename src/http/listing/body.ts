/**
 * The body of a listing. Its shifts are slices of month blocks, which go to the socket as they are: copying them into
 * one buffer would cost more than the rest of the request. Only two kinds of bodies are built in one piece and cached:
 * compressed ones, and those of many slices that are requested again.
 */

import type { Listing } from '../../feed/feed.ts';
import type { PageLayout } from '../../listing/page.ts';
import type { ListedShift } from '../../listing/shift.ts';
import { entityTag } from '../conditional.ts';
import type { BodyCache } from '../encoding/body-cache.ts';
import {
  type AcceptedEncodings,
  COMPRESS,
  chooseEncoding,
  compressionMemoryBytes,
  type Encoding,
  isTooSmallToCompress,
} from '../encoding/compression.ts';
import { TooBusy } from '../errors.ts';

/** The JSON of a body, parsed. */
export interface ListingBody {
  readonly shifts: readonly ListedShift[];
  readonly meta: {
    readonly total: number;
    readonly page: number;
    readonly per_page: number;
    readonly total_pages: number;
  };
}

export interface EncodedBody {
  readonly encoding: Encoding;
  readonly chunks: readonly (string | Uint8Array)[];
  readonly bytes: number;
}

const OPENING = '{"shifts":[';
/** Up to this many slices, writing them separately costs no more than one write. */
const MAX_CHEAP_SLICES = 2;

/** The body in the best encoding, if the cache has it. */
export function cachedBody(
  { entityTag: tag }: Listing,
  [bestEncoding]: AcceptedEncodings,
  bodyCache: BodyCache,
): EncodedBody | undefined {
  const body = bodyCache.get(entityTag(tag, bestEncoding));
  return body && { encoding: bestEncoding, chunks: [body], bytes: body.length };
}

/** Throws TooBusy when there is no memory left for compressing, and the client accepts nothing else. */
export async function buildBody(
  { entityTag: tag, layout, cut }: Listing,
  encodings: AcceptedEncodings,
  bodyCache: BodyCache,
): Promise<EncodedBody> {
  const slices = cut();
  const closing = `],"meta":${encodeMeta(layout)}}`;
  const bytes = slices.reduce((sum, slice) => sum + slice.length, OPENING.length + closing.length);
  const uncompressed: EncodedBody = { encoding: 'identity', chunks: [OPENING, ...slices, closing], bytes };

  const encoding = chooseEncoding(encodings, bytes);
  const key = entityTag(tag, encoding);
  if (encoding === 'identity' && (slices.length <= MAX_CHEAP_SLICES || !bodyCache.isRequestedAgain(key))) {
    return uncompressed;
  }
  const body = await bodyCache.build(key, {
    memoryBytes: compressionMemoryBytes(encoding, bytes),
    // A small page is compressed only for clients that refuse it uncompressed. Others must not find it in the cache.
    isCacheable: !isTooSmallToCompress(bytes),
    run: () => COMPRESS[encoding](Buffer.concat([Buffer.from(OPENING), ...slices, Buffer.from(closing)])),
  });
  if (body !== undefined) return { encoding, chunks: [body], bytes: body.length };
  if (encodings.includes('identity')) return uncompressed;
  throw new TooBusy();
}

function encodeMeta({ total, page, perPage, totalPages }: PageLayout): string {
  const meta: ListingBody['meta'] = { total, page, per_page: perPage, total_pages: totalPages };
  return JSON.stringify(meta);
}
