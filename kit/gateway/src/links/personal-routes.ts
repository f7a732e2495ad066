/** The addresses of people: below that of a feed, each with a link that shows the shifts of one person. */

import type { FeedConfig } from '../config.ts';
import type { Route } from '../routes.ts';
import type { LinksKeeper } from './keep-links.ts';
import { PERSONAL_PATH } from './personal-path.ts';
import { openLink } from './sealed-name.ts';

/**
 * What no search engine, cache of a proxy, frame or other website may have. Nobody else may frame or read it, because
 * it has no origins.
 */
export const PERSONAL_HEADERS = {
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Finds the route of a personal address. Every path that is none takes the work of opening a link, so that the time
 * does not tell whether there is such a feed, whether it is personal, or what is wrong with the link.
 */
export function findPersonalRoutes(
  routes: ReadonlyMap<string, Route>,
  pathPrefix: string,
  keeper: LinksKeeper,
): (path: string) => Promise<Route | undefined> {
  return async (path) => {
    const below = path.startsWith(pathPrefix) ? path.slice(pathPrefix.length) : '';
    const [, name = '', link = '', form = ''] = PERSONAL_PATH.exec(below) ?? [];
    const route = routes.get(`${pathPrefix}/${name}${form}`);
    const isPersonal = route?.feed.isPersonal === true;
    const links = await keeper.take();
    if (links === undefined) return isPersonal ? withoutCopy(route) : undefined;
    const person = await openLink(links.keysOf(name), link, links.numberOf);
    return isPersonal && person !== undefined ? personalRoute(route, { name: person, link }) : undefined;
  };
}

function personalRoute(route: Route, person: NonNullable<Route['person']>): Route {
  return { ...route, name: `personal-${route.form.name}`, feed: withoutOrigins(route.feed), person };
}

function withoutOrigins(feed: FeedConfig): FeedConfig {
  return { ...feed, origins: [] };
}

/** Without the secret nobody knows whose link it is: there is nothing to show, as long as that lasts. */
function withoutCopy(route: Route): Route {
  const keeper = { ...route.keeper, find: () => undefined, take: async () => undefined };
  return { ...personalRoute(route, { name: '', link: '' }), keeper };
}
