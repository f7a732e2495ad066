/**
 * Serves content that does not change while the process runs: the description of the API, and the page that shows it.
 * Each asset is read, hashed and compressed once, at its first request.
 */

import { createHash } from 'node:crypto';
import { type Encoding, tagsOf } from '../feed/page.ts';
import { acceptedEncodings, COMPRESS, chooseEncoding, freshTag, matchesAny } from './encoding/bodies.ts';
import { type Answer, type Exchange, type HeaderList, listOf } from './protocol/exchange.ts';
import type { Route } from './protocol/routes.ts';

export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  read(): Buffer | Promise<Buffer>;
}

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
  { body, tags, encoded }: LoadedAsset,
  headers: Readonly<HeaderList>,
  { request }: Exchange,
): Promise<Answer> {
  const { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = request.headers;
  const encodings = acceptedEncodings(acceptEncoding as string | undefined);
  const encoding = chooseEncoding(encodings, body.length);
  const etag = tags[encoding];
  const fresh = matchesAny(ifNoneMatch) ? etag : ifNoneMatch && freshTag(ifNoneMatch, tags, encodings);
  if (fresh) return { status: 304, headers: [...headers, 'etag', fresh], chunks: [] };

  const bytes = await encoded(encoding);
  const all = [...headers, 'etag', etag, 'content-length', bytes.length];
  if (encoding !== 'identity') all.push('content-encoding', encoding);
  return { status: 200, headers: all, chunks: [bytes], isPermanent: true };
}

type LoadedAsset = Awaited<ReturnType<typeof load>>;

async function load(asset: Asset) {
  const body = await asset.read();
  const bodies = new Map<Encoding, Promise<Buffer>>();
  return {
    body,
    tags: tagsOf(createHash('sha256').update(body).digest('base64url')),
    /** There are few assets, so all of them stay in memory. */
    encoded(encoding: Encoding): Promise<Buffer> {
      const encoded = bodies.get(encoding) ?? COMPRESS[encoding](body);
      bodies.set(encoding, encoded);
      return encoded;
    },
  };
}
