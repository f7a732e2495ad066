/**
 * Serves the OpenAPI 3.1 description of the API. docs/openapi.json is its source: edit it there. Tests hold the file to
 * the parser's parameters, to the problems, and to every response that they receive.
 */

import { ownFile } from '../install/files.ts';
import { assetRoute } from './assets.ts';
import type { Route } from './protocol/routes.ts';

const FILE = new URL('../../docs/openapi.json', import.meta.url);

/** `root` is the URL of the service for clients, or only its path, without a trailing slash. */
export function descriptionRoute(root: string): Route {
  return assetRoute({
    path: '/openapi.json',
    contentType: 'application/json; charset=utf-8',
    read() {
      const description = JSON.parse(ownFile(FILE).toString());
      return Buffer.from(JSON.stringify({ ...description, servers: [{ url: root || '/' }] }));
    },
  });
}
