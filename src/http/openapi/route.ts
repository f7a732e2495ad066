import { assetRoute } from '../assets/asset.ts';
import type { Route } from '../protocol/routes.ts';

/** Serves `GET /openapi.json`. */
export function descriptionRoute(root: string): Route {
  return assetRoute({
    path: '/openapi.json',
    contentType: 'application/json; charset=utf-8',
    async read() {
      // Loaded on demand: few clients read the description, and the server starts sooner without it.
      const { describeApi } = await import('./description.ts');
      return Buffer.from(JSON.stringify(describeApi(root)));
    },
  });
}
