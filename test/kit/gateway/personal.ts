/** A gateway with personal links, for tests. */

import { type ConfigDocument, createGateway, type GatewayOptions, openLinkList } from '@shiftfeed/gateway';
import { type FakeUpstream, fakeUpstream, makeShift } from './upstream.ts';

export const SECRET = 'K3vXnJq0mYb7Tz2LhR8wUcA5fDgE1sPi';
export const NOW = '2026-11-15T12:00:00Z';

/** Each has a place that is seen nowhere else. */
export const SHIFTS = [
  makeShift({ id: 7001, person: { name: 'Noor' }, location: { name: 'PlaceOfNoor', address: '' } }),
  makeShift({ id: 7002, person: { name: 'Sam' }, location: { name: 'PlaceOfSam', address: '' } }),
  makeShift({ id: 7003, person: null, location: { name: 'PlaceOfNobody', address: '' } }),
  makeShift({ id: 7004, person: { name: ' NOOR ' }, date: '2026-11-20', cancelled: true }),
  makeShift({ id: 7005, person: { name: 'Noor' }, date: '2026-12-01', group: { id: 2, name: 'Bar' } }),
];

export interface PersonalGateway {
  readonly upstream: FakeUpstream;
  /** Answers a path. */
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Response>;
  /** The path of somebody's page. */
  pathOf(person: string, feed?: string): Promise<string>;
}

export function openPersonal(
  options: Partial<GatewayOptions> = {},
  feeds: ConfigDocument['feeds'] = { kitchen: { group_ids: 'all', personal: true } },
  upstream = fakeUpstream({ shifts: SHIFTS }),
): PersonalGateway {
  const all: GatewayOptions = {
    config: { upstream: 'https://up.example/acme', feeds },
    token: 'shiftfeed_x',
    linksSecret: SECRET,
    clock: () => Date.parse(NOW),
    fetch: upstream.fetch,
    ...options,
  };
  const gateway = createGateway(all);
  return {
    upstream,
    get: (path, headers = {}, method = 'GET') =>
      gateway(new Request(`https://gw.example.org${path}`, { headers, method })),
    async pathOf(person, name = 'kitchen') {
      const list = await openLinkList(all);
      const feed = list.feeds.find((one) => one.name === name);
      return (feed && (await list.path(feed, person))) ?? '';
    },
  };
}
