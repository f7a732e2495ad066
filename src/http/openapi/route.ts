import type { FastifyInstance } from 'fastify';
import { serveAsset } from '../asset.ts';
import { describeApi } from './description.ts';

/** `GET /openapi.json` */
export function serveDescription(
  app: FastifyInstance,
  pathPrefix: string,
  baseUrl: string | undefined,
): void {
  serveAsset(app, {
    path: `${pathPrefix}/openapi.json`,
    contentType: 'application/json; charset=utf-8',
    read: async () => Buffer.from(JSON.stringify(describeApi(baseUrl ?? pathPrefix))),
  });
}
