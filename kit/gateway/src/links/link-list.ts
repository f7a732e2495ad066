/** Who works the shifts of a feed, and the address of each: for owners, who hand them out. */

import { todayIn } from '@shiftfeed/client';
import { foldName } from '@shiftfeed/common/names';
import type { FeedConfig } from '../config.ts';
import type { GatewayOptions } from '../gateway.ts';
import { windowOf } from '../projection.ts';
import { readConfig } from '../read-config.ts';
import { openUpstream, type Reading } from '../upstream.ts';
import { linkOf, personalPath, readLinks } from './links.ts';

export interface LinkList {
  /** The feeds that have personal links. */
  readonly feeds: readonly FeedConfig[];
  /** The names in the days that a feed shows, each once, as the upstream writes them. Rejects as its reading does. */
  people(feed: FeedConfig): Promise<readonly string[]>;
  /** Below the root, such as `/kitchen/me/…`, or undefined for what is no name: empty, or too long. */
  path(feed: FeedConfig, person: string): Promise<string | undefined>;
  /** The names that were given a number, as they were given, and that none of these people has. */
  numberedWithout(people: readonly string[]): readonly string[];
}

type ListOptions = Pick<
  GatewayOptions,
  'config' | 'token' | 'linksSecret' | 'linkNumbers' | 'fetch' | 'clock'
>;

const MAX_COPY_BYTES = 256 * 1024 * 1024;

/** Rejects with `LinksProblem` if the secret or the numbers are wrong. */
export async function openLinkList(options: ListOptions): Promise<LinkList> {
  const { clock = Date.now } = options;
  const { upstream: url, timeZone, feeds } = readConfig(options.config);
  const personal = feeds.filter(({ isPersonal }) => isPersonal);
  const names = personal.map(({ name }) => name);
  const links = await readLinks(options, names);
  const follow = openUpstream({ ...options, url, timeZone, maxCopyBytes: MAX_COPY_BYTES });
  return {
    feeds: personal,
    async people(feed) {
      const nowMs = clock();
      return namesOf(await follow(feed).read(nowMs), feed, nowMs);
    },
    async path(feed, person) {
      const link = await linkOf(links, feed.name, person);
      return link === undefined ? undefined : personalPath(feed.name, link);
    },
    numberedWithout(people) {
      const folded = new Set(people.map(foldName));
      return [...links.numbered].filter(([name]) => !folded.has(name)).map(([, { name }]) => name);
    },
  };
}

function namesOf({ shifts, people, timeZone }: Reading, feed: FeedConfig, nowMs: number): readonly string[] {
  const { from, to } = windowOf(feed, todayIn(timeZone, new Date(nowMs)));
  const names = new Map<string, string>();
  for (const { id, date } of shifts) {
    const name = (people[id] ?? '').trim();
    if (date >= from && date <= to && name !== '') names.set(foldName(name), name);
  }
  return [...names.values()].sort(new Intl.Collator('en').compare);
}
