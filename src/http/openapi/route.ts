import type { FastifyInstance } from 'fastify';
import { serveAsset } from '../asset.ts';
import type { UnsentResponses } from '../limits/unsent.ts';
import { describeApi } from './description.ts';

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
    read: async () => Buffer.from(JSON.stringify(describeApi(baseUrl ?? pathPrefix))),
  };
  serveAsset(app, description, unsent);
}
