/** The addresses of people: below that of a feed, each with a link that shows the shifts of one person. */

import type { FeedRoute } from '../answer-feed.ts';
import { PERSONAL_PATH, type TakeLinks } from './links.ts';
import { openLink } from './sealed-name.ts';

/**
 * What no search engine, cache of a proxy, frame or other website may have. Nobody else may frame or read it, because
 * it has no origins.
 */
const PERSONAL_HEADERS = {
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Finds the route of a personal address. Every path that is none takes the work of opening a link, so that the time
 * does not tell whether there is such a feed, whether it is personal, or what is wrong with the link.
 */
export function findPersonalRoutes(
  routes: ReadonlyMap<string, FeedRoute>,
  pathPrefix: string,
  hasCalendar: boolean,
  takeLinks: TakeLinks,
): (path: string) => Promise<FeedRoute | undefined> {
  return async (path) => {
    const below = path.startsWith(pathPrefix) ? path.slice(pathPrefix.length) : '';
    const [, name = '', link = '', form = ''] = PERSONAL_PATH.exec(below) ?? [];
    const route = routes.get(`${pathPrefix}/${name}${form}`);
    const isPersonal = route?.feed.isPersonal === true;
    const links = await takeLinks();
    if (links === undefined) return isPersonal ? withoutCopy(route, hasCalendar) : undefined;
    const person = await openLink(links.keysOf(name), link, links.numberOf);
    if (!isPersonal || person === undefined) return undefined;
    return personalRoute(route, { name: person, link }, hasCalendar);
  };
}

function personalRoute(
  route: FeedRoute,
  person: NonNullable<FeedRoute['person']>,
  hasCalendar: boolean,
): FeedRoute {
  const feed = { ...route.feed, origins: [] };
  return {
    ...route,
    name: `personal-${route.form.name}`,
    feed,
    headers: { ...route.form.headers(feed, hasCalendar), ...PERSONAL_HEADERS },
    person,
  };
}

/** Without the secret nobody knows whose link it is: there is nothing to show, as long as that lasts. */
function withoutCopy(route: FeedRoute, hasCalendar: boolean): FeedRoute {
  const keeper = { ...route.keeper, find: () => undefined, take: async () => undefined };
  return { ...personalRoute(route, { name: '', link: '' }, hasCalendar), keeper };
}
