import type { FastifyInstance } from 'fastify';
import type { Feed } from '../feed/feed.ts';

/** `GET /healthz` says that the process is alive, `GET /readyz` that it can read the database. */
export function serveHealth(app: FastifyInstance, pathPrefix: string, feed: Feed): void {
  app.get(`${pathPrefix}/healthz`, () => ({ status: 'ok' }));
  app.get(`${pathPrefix}/readyz`, async () => {
    await feed.checkHealth();
    return { status: 'ready' };
  });
}
