/**
 * Serves content that stays the same as long as the process runs: the description of the API, and the page that shows
 * it. Each asset is read, hashed and compressed once, at its first request.
 */

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { makeBodyCache } from '../encoding/body-cache.ts';
import {
  acceptedEncodings,
  COMPRESS,
  chooseEncoding,
  compressionMemoryBytes,
} from '../encoding/compression.ts';
import { entityTag, entityTags, matchesAny, matchingTag } from '../encoding/conditional.ts';
import type { UnsentResponses } from '../limits/unsent.ts';
import { TooBusy } from '../protocol/problems.ts';

export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  read(): Promise<Buffer>;
}

/** Enough for all assets in all encodings, and for compressing two of them at a time. */
const bodyCache = makeBodyCache({ cacheBytes: 4 * 1024 * 1024, buildBytes: 16 * 1024 * 1024 });

export function serveAsset(app: FastifyInstance, asset: Asset, unsent: UnsentResponses): void {
  let loading: Promise<LoadedAsset> | undefined;
  const headers = {
    // Another version of the service may serve other content at the same path.
    'cache-control': 'no-cache',
    vary: 'Accept-Encoding, Origin',
    ...asset.headers,
  };

  const send = (request: FastifyRequest, reply: FastifyReply, bytes: Buffer) => {
    // An asset stays in memory anyway, so an unsent response keeps nothing more.
    unsent.add(reply.raw, request.socket, bytes.length, []);
    return reply.send(bytes);
  };

  app.get(asset.path, async (request, reply) => {
    const { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = request.headers;
    const encodings = acceptedEncodings(acceptEncoding);
    loading ??= load(asset);
    // When reading fails, the next request tries again.
    const { body, tag } = await loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    reply.headers(headers);
    const encoding = chooseEncoding(encodings, body.length);
    const etag = entityTag(tag, encoding);
    const freshTag = matchesAny(ifNoneMatch)
      ? etag
      : ifNoneMatch && matchingTag(ifNoneMatch, entityTags(tag, encodings));
    if (freshTag) return reply.code(304).header('etag', freshTag).send();

    reply.headers({ etag, 'content-type': asset.contentType });
    if (encoding === 'identity') return send(request, reply, body);
    const compressed =
      bodyCache.get(etag) ??
      (await bodyCache.build(etag, {
        memoryBytes: compressionMemoryBytes(encoding, body.length),
        isCacheable: true,
        run: () => COMPRESS[encoding](body),
      }));
    if (compressed === undefined) throw new TooBusy();
    return send(request, reply.header('content-encoding', encoding), compressed);
  });
}

interface LoadedAsset {
  readonly body: Buffer;
  readonly tag: string;
}

async function load(asset: Asset): Promise<LoadedAsset> {
  const body = await asset.read();
  return { body, tag: createHash('sha256').update(body).digest('base64url') };
}
