/**
 * A listing as an answer: its status, its headers and the chunks of its body.
 *
 * The shifts of a body are slices of month blocks, which are written to the socket as they are: copying them into one
 * buffer would cost more than the rest of the request. Two kinds of bodies are built in one piece and cached: compressed
 * ones, and those that are small or of many slices, if they are requested again.
 */

import type { CutPage, Encoding, Page } from '../../feed/page.ts';
import type { PageLayout } from '../../listing/page.ts';
import type { ListedShift } from '../../listing/shift.ts';
import {
  type AcceptedEncodings,
  type BodyCache,
  COMPRESS,
  chooseEncoding,
  compressionMemoryBytes,
  isTooSmallToCompress,
} from '../encoding/bodies.ts';
import { type Answer, type HeaderList, SMALL_BYTES } from '../protocol/exchange.ts';
import { PROBLEMS, Refused } from '../protocol/problems.ts';

/** The data is private and may change at any moment: clients may store it, but have to revalidate it. */
export const CACHE_CONTROL = 'private, no-cache';
const VARY = 'Accept, Accept-Encoding, Authorization, Origin';

export async function answerPage(
  cut: CutPage,
  nowMs: number,
  links: Links,
  encodings: AcceptedEncodings,
  bodyCache: BodyCache,
): Promise<{ readonly etag: string; readonly answer: Answer }> {
  const { encoding, chunks, bytes } =
    cachedBody(cut, encodings, bodyCache) ?? (await buildBody(cut, encodings, bodyCache));
  const etag = cut.page.tags[encoding];
  const headers = stateHeaders(etag, cut.page, nowMs);
  headers.push('content-type', 'application/json; charset=utf-8', 'content-length', bytes);
  const link = links(cut.layout);
  if (link !== undefined) headers.push('link', link);
  if (encoding !== 'identity') headers.push('content-encoding', encoding);
  return { etag, answer: { status: 200, headers, chunks } };
}

export function notModified(etag: string, page: Page, nowMs: number): Answer {
  return { status: 304, headers: stateHeaders(etag, page, nowMs), chunks: [] };
}

function stateHeaders(etag: string, page: Page, nowMs: number): HeaderList {
  // biome-ignore format: names and values side by side
  const headers = [
    'cache-control', CACHE_CONTROL,
    'vary', VARY,
    'etag', etag,
    'shiftfeed-listing', page.listingTag,
    'shiftfeed-revision', page.of.revision,
    'shiftfeed-time-zone', page.of.account.timeZone,
  ];
  const lastModified = page.lastModified(nowMs);
  if (lastModified !== undefined) headers.push('last-modified', lastModified);
  return headers;
}

/** Writes the `Link` header for a page. */
export type Links = (layout: Pick<PageLayout, 'page' | 'totalPages'>) => string | undefined;

/** Half of what Node's fetch accepts for all headers together. */
const MAX_HEADER_CHARACTERS = 8_192;
/** Clients rarely follow the first of these, so it is dropped first. */
const DROP_ORDER = ['last', 'first', 'prev', 'next'];
const PAGE_NUMBER = 'PAGE-NUMBER';

/**
 * The `Link` header (RFC 8288) names the other pages of a listing, with all filters kept. Each link repeats the whole
 * query, and clients refuse headers that are too large. So links are dropped until the header fits, `next` last of all.
 * Without a header, not even one link fits.
 */
export function makeLinks(path: string, search: string): Links {
  const parameters = new URLSearchParams(search);
  parameters.set('page', PAGE_NUMBER);
  const url = `${path}?${parameters}`;
  const at = url.lastIndexOf(`page=${PAGE_NUMBER}`) + 'page='.length;
  const [before, after] = [url.slice(0, at), url.slice(at + PAGE_NUMBER.length)];

  const linkTo = (rel: string, number: number) => `<${before}${number}${after}>; rel="${rel}"`;

  function write(page: number, totalPages: number): string | undefined {
    const last = Math.max(1, totalPages);
    const links = [linkTo('first', 1)];
    if (page > 1) links.push(linkTo('prev', Math.min(page - 1, last)));
    if (page < last) links.push(linkTo('next', page + 1));
    links.push(linkTo('last', last));
    const header = links.join(', ');
    return header.length <= MAX_HEADER_CHARACTERS ? header : asManyAsFit(links);
  }

  /** The last one: a listing has as many pages until it changes. */
  let written: { page: number; totalPages: number; header: string | undefined } | undefined;
  return ({ page, totalPages }) => {
    if (written?.page !== page || written.totalPages !== totalPages)
      written = { page, totalPages, header: write(page, totalPages) };
    return written.header;
  };
}

function asManyAsFit(links: readonly string[]): string | undefined {
  let fitting = links;
  for (const rel of DROP_ORDER) {
    fitting = fitting.filter((link) => !link.endsWith(`rel="${rel}"`));
    const header = fitting.join(', ');
    if (header.length <= MAX_HEADER_CHARACTERS) return header || undefined;
  }
  return undefined;
}

/** The JSON of a body after parsing. */
export interface ListingBody {
  readonly shifts: readonly ListedShift[];
  readonly meta: {
    readonly total: number;
    readonly page: number;
    readonly per_page: number;
    readonly total_pages: number;
  };
}

interface EncodedBody {
  readonly encoding: Encoding;
  readonly chunks: Answer['chunks'];
  readonly bytes: number;
}

const OPENING = '{"shifts":[';
/** Up to this many slices, writing them separately costs no more than one write. */
const MAX_CHEAP_SLICES = 2;

/** The body in the best encoding, if the cache has it. */
function cachedBody(
  { page }: CutPage,
  [bestEncoding]: AcceptedEncodings,
  bodyCache: BodyCache,
): EncodedBody | undefined {
  const body = bodyCache.get(page.tags[bestEncoding]);
  return body === undefined ? undefined : { encoding: bestEncoding, chunks: [body], bytes: body.length };
}

const TOO_BUSY = 'Too many pages are being compressed: clients that accept only compressed ones are refused.';

/** Throws Refused when there is no memory left for compressing, and the client accepts nothing else. */
async function buildBody(
  { page, layout, slices: cutSlices }: CutPage,
  encodings: AcceptedEncodings,
  bodyCache: BodyCache,
): Promise<EncodedBody> {
  const slices = cutSlices();
  const closing = `],"meta":${encodeMeta(layout)}}`;
  const bytes = slices.reduce((sum, slice) => sum + slice.length, OPENING.length + closing.length);
  const uncompressed: EncodedBody = { encoding: 'identity', chunks: [OPENING, ...slices, closing], bytes };

  const encoding = chooseEncoding(encodings, bytes);
  const key = page.tags[encoding];
  const kept = encoding === encodings[0] ? undefined : bodyCache.get(key);
  if (kept !== undefined) return { encoding, chunks: [kept], bytes: kept.length };
  const isCheap = slices.length <= MAX_CHEAP_SLICES && bytes > SMALL_BYTES;
  if (encoding === 'identity' && (isCheap || !bodyCache.isRequestedAgain(key))) return uncompressed;
  const body = await bodyCache.build(key, {
    memoryBytes: compressionMemoryBytes(encoding, bytes),
    // A small page is compressed only for clients that refuse it uncompressed. Others must not find it in the cache.
    isCacheable: encoding === 'identity' || !isTooSmallToCompress(bytes),
    run: () => COMPRESS[encoding](Buffer.concat([Buffer.from(OPENING), ...slices, Buffer.from(closing)])),
  });
  if (body !== undefined) return { encoding, chunks: [body], bytes: body.length };
  if (encodings.includes('identity')) return uncompressed;
  throw new Refused(PROBLEMS.tooBusy, TOO_BUSY);
}

function encodeMeta({ total, page, perPage, totalPages }: PageLayout): string {
  const meta: ListingBody['meta'] = { total, page, per_page: perPage, total_pages: totalPages };
  return JSON.stringify(meta);
}
