/**
 * What is the same for everyone and as long as the process runs: the description of the API and the page that shows it. It is
 * read, tagged and compressed once, when somebody first asks for it.
 */

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { matchingTag, namesAny } from './conditional.ts';
import { keepBodies } from './encoding/body-cache.ts';
import { acceptedEncodings, bytesOfWork, COMPRESS, chooseEncoding } from './encoding/compression.ts';
import { PROBLEMS, sendProblem, TooBusy } from './errors.ts';
import type { Unsent } from './limits/unsent.ts';
import { entityTag, entityTags } from './listing/response.ts';

export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  read(): Promise<Buffer>;
}

/** More than all assets take in all encodings, and enough to compress two of them at a time. */
const bodies = keepBodies({ keptBytes: 4 * 1024 * 1024, workBytes: 16 * 1024 * 1024 });

export function serveAsset(app: FastifyInstance, asset: Asset, unsent: Unsent): void {
  let content: Promise<Content> | undefined;
  const headers = {
    // Another version of the service has other assets at the same path.
    'cache-control': 'no-cache',
    vary: 'Accept-Encoding, Origin',
    ...asset.headers,
  };

  /** The asset stays in memory whether it is sent or not. */
  const sendWatched = (request: FastifyRequest, reply: FastifyReply, bytes: Buffer) => {
    unsent.add(reply.raw, request.socket, bytes.length, []);
    return reply.send(bytes);
  };

  app.get(asset.path, async (request, reply) => {
    const { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = request.headers;
    const encodings = acceptedEncodings(acceptEncoding);
    if (encodings.length === 0) return sendProblem(reply, PROBLEMS.notAcceptable);
    content ??= load(asset);
    // What could not be read is tried again the next time.
    const { body, tag } = await content.catch((error: unknown) => {
      content = undefined;
      throw error;
    });
    reply.headers(headers);
    const encoding = chooseEncoding(encodings, body.length);
    const etag = entityTag(tag, encoding);
    const known = namesAny(ifNoneMatch)
      ? etag
      : ifNoneMatch && matchingTag(ifNoneMatch, entityTags(tag, encodings));
    if (known) return reply.code(304).header('etag', known).send();

    reply.headers({ etag, 'content-type': asset.contentType });
    if (encoding === 'identity') return sendWatched(request, reply, body);
    const compressed =
      bodies.find(etag) ??
      (await bodies.make(etag, {
        bytes: bytesOfWork(encoding, body.length),
        isShared: true,
        run: () => COMPRESS[encoding](body),
      }));
    if (compressed === undefined) throw new TooBusy();
    return sendWatched(request, reply.header('content-encoding', encoding), compressed);
  });
}

interface Content {
  readonly body: Buffer;
  readonly tag: string;
}

async function load(asset: Asset): Promise<Content> {
  const body = await asset.read();
  return { body, tag: createHash('sha256').update(body).digest('base64url') };
}
