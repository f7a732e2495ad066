/**
 * Serves content that does not change while the process runs: the description of the API, and the page that shows it.
 * Each asset is read, hashed and compressed once, at its first request.
 */

import { createHash } from 'node:crypto';
import { type Encoding, tagsOf } from '../feed/page.ts';
import {
  acceptedEncodings,
  type Body,
  COMPRESS,
  chooseEncoding,
  compressionMemoryBytes,
  freshTag,
  makeBodyCache,
  matchesAny,
} from './encoding/bodies.ts';
import { type Answer, type Exchange, type HeaderList, listOf } from './protocol/exchange.ts';
import { TooBusy } from './protocol/problems.ts';
import type { Route } from './protocol/routes.ts';

export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  read(): Buffer | Promise<Buffer>;
}

/** Enough for all assets in all encodings, and for compressing two of them at a time. */
const bodyCache = makeBodyCache({ cacheBytes: 4 * 1024 * 1024, buildBytes: 16 * 1024 * 1024 });

export function assetRoute(asset: Asset): Route {
  let loading: Promise<LoadedAsset> | undefined;
  const headers = listOf({
    // Another version of the service may serve other content at the same path.
    'cache-control': 'no-cache',
    vary: 'Accept-Encoding, Origin',
    ...asset.headers,
  });
  return {
    path: asset.path,
    at: () => async (exchange) => {
      loading ??= load(asset);
      // When reading fails, the next request tries again.
      const loaded = await loading.catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return answerWith(loaded, [...headers, 'content-type', asset.contentType], exchange);
    },
  };
}

async function answerWith(
  { body, tags }: LoadedAsset,
  headers: Readonly<HeaderList>,
  { request }: Exchange,
): Promise<Answer> {
  const { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = request.headers;
  const encodings = acceptedEncodings(acceptEncoding as string | undefined);
  const encoding = chooseEncoding(encodings, body.length);
  const etag = tags[encoding];
  const fresh = matchesAny(ifNoneMatch) ? etag : ifNoneMatch && freshTag(ifNoneMatch, tags, encodings);
  if (fresh) return { status: 304, headers: [...headers, 'etag', fresh], chunks: [] };

  const bytes = await encoded(body, encoding, etag);
  const all = [...headers, 'etag', etag, 'content-length', bytes.length];
  if (encoding !== 'identity') all.push('content-encoding', encoding);
  return { status: 200, headers: all, chunks: [bytes], isPermanent: true };
}

async function encoded(body: Buffer, encoding: Encoding, etag: string): Promise<Body> {
  if (encoding === 'identity') return body;
  const compressed =
    bodyCache.get(etag) ??
    (await bodyCache.build(etag, {
      memoryBytes: compressionMemoryBytes(encoding, body.length),
      isCacheable: true,
      run: () => COMPRESS[encoding](body),
    }));
  if (compressed === undefined) throw new TooBusy();
  return compressed;
}

interface LoadedAsset {
  readonly body: Buffer;
  readonly tags: ReturnType<typeof tagsOf>;
}

async function load(asset: Asset): Promise<LoadedAsset> {
  const body = await asset.read();
  return { body, tags: tagsOf(createHash('sha256').update(body).digest('base64url')) };
}
