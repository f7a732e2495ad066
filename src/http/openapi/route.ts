import { assetRoute } from '../assets/asset.ts';
import type { Route } from '../protocol/routes.ts';

/** Serves `GET /openapi.json`. */
export function descriptionRoute(root: string): Route {
  return assetRoute({
    path: '/openapi.json',
    contentType: 'application/json; charset=utf-8',
    async read() {
      // A server starts sooner without the description, which few read.
      const { describeApi } = await import('./description.ts');
      return Buffer.from(JSON.stringify(describeApi(root)));
    },
  });
}
