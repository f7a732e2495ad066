import type { Feed } from '../feed/feed.ts';
import { jsonAnswer } from './protocol/exchange.ts';
import type { Route } from './protocol/routes.ts';

/** `GET /healthz` says that the process is alive, `GET /readyz` that it can read the database. */
export const HEALTH_PATHS: readonly string[] = ['/healthz', '/readyz'];

export function healthRoutes(feed: Feed): readonly Route[] {
  return [
    { path: '/healthz', answer: async () => jsonAnswer(200, { status: 'ok' }) },
    {
      path: '/readyz',
      async answer() {
        await feed.checkHealth();
        return jsonAnswer(200, { status: 'ready' });
      },
    },
  ];
}
