/** The gateway as a function from a request to a response. */

import { type GatewayOptions, openGateway } from './gateway.ts';
import type { Visit } from './response.ts';

/** A handler with the interface of `fetch`, for workers, Deno, Bun, Next, Hono and others. */
export type FetchHandler = (request: Request, context?: BackgroundContext) => Promise<Response>;

/** Workers cancel what is still running after a response, unless they are told to wait for it. */
export interface BackgroundContext {
  waitUntil?(work: Promise<unknown>): void;
}

export function createGateway(options: GatewayOptions): FetchHandler {
  const gateway = openGateway(options);
  return async (request, context) => {
    const { origin, pathname, search } = new URL(request.url);
    const visit: Visit = {
      method: request.method,
      path: pathname,
      search,
      origin: () => origin,
      header: (name) => request.headers.get(name) ?? undefined,
    };
    // An async function, because an answer may also fail at once.
    const answering = (async () => gateway.answer(visit))();
    // Called before the answer is there: a visitor who leaves, or an answer that fails, must not end the reading that
    // others wait for.
    context?.waitUntil?.(answering.then(gateway.settled, gateway.settled));
    const { status, headers, body } = await answering;
    // Cloudflare would otherwise compress the body again.
    const init: ResponseInit & { encodeBody: 'manual' } = { status, headers, encodeBody: 'manual' };
    return new Response((body as Uint8Array<ArrayBuffer> | undefined) ?? null, init);
  };
}
