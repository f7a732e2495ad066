/** The gateway as a function from a request to a response. */

import { type GatewayOptions, openGateway } from './gateway.ts';

/** A handler as servers of the web know it: for workers, Deno, Bun, Next, Hono and whatever else speaks `fetch`. */
export type FetchHandler = (request: Request, context?: BackgroundContext) => Promise<Response>;

/** Workers end what is still under way after an answer, unless they are told to wait for it. */
export interface BackgroundContext {
  waitUntil?(work: Promise<unknown>): void;
}

export function createGateway(options: GatewayOptions): FetchHandler {
  const gateway = openGateway(options);
  return async (request, context) => {
    const { origin, pathname, search } = new URL(request.url);
    const answering = gateway.answer({
      method: request.method,
      path: pathname,
      search,
      origin,
      header: (name) => request.headers.get(name) ?? undefined,
    });
    // Told before the answer is there: a visitor who goes away must not end the reading that others wait for.
    context?.waitUntil?.(answering.then(gateway.settled));
    const { status, headers, body } = await answering;
    // Cloudflare would compress once more what is compressed already.
    const init: ResponseInit & { encodeBody: 'manual' } = { status, headers, encodeBody: 'manual' };
    return new Response((body as Uint8Array<ArrayBuffer> | undefined) ?? null, init);
  };
}
