import type { FastifyInstance } from 'fastify';
import { serveAsset } from '../assets/asset.ts';
import type { UnsentResponses } from '../limits/unsent.ts';

/** Serves `GET /openapi.json`. */
export function serveDescription(
  app: FastifyInstance,
  pathPrefix: string,
  baseUrl: string | undefined,
  unsent: UnsentResponses,
): void {
  const description = {
    path: `${pathPrefix}/openapi.json`,
    contentType: 'application/json; charset=utf-8',
    async read() {
      // A server starts sooner without the description, which few read.
      const { describeApi } = await import('./description.ts');
      return Buffer.from(JSON.stringify(describeApi(baseUrl ?? pathPrefix)));
    },
  };
  serveAsset(app, description, unsent);
}
