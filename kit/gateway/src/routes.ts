/** The addresses of the feeds, each in every form, and the copies that they show. */

import { todayIn } from '@shiftfeed/client';
import type { FeedConfig } from './config.ts';
import { type Attempt, type CopyKeeper, keepCopy } from './feed-copy.ts';
import { FORMS, type Form } from './forms.ts';
import type { RouteName } from './response.ts';
import type { Upstream } from './upstream.ts';

export interface Route {
  readonly name: RouteName;
  readonly feed: FeedConfig;
  readonly keeper: CopyKeeper;
  readonly form: Form;
  /** Those of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: () => number;
  /** The date in a zone. */
  readonly today: (timeZone: string, nowMs: number) => string;
  /** Whose shifts alone are shown, with the name as `foldName` writes it, and by which link. */
  readonly person?: { readonly name: string; readonly link: string };
}

export interface UpstreamAttempt extends Attempt {
  readonly feed: string;
}

/** The routes of each feed by their paths. They share a copy. */
export function openRoutes(
  feeds: readonly FeedConfig[],
  pathPrefix: string,
  hasCalendar: boolean,
  upstream: Upstream,
  clock: () => number,
  onAttempt: ((attempt: UpstreamAttempt) => void) | undefined,
): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const feed of feeds) {
    const keeper = keepCopy({
      maxAgeSeconds: feed.maxAgeSeconds,
      read: upstream.follow(feed),
      clock,
      onAttempt: (attempt) => onAttempt?.({ feed: feed.name, ...attempt }),
    });
    const today = rememberToday();
    for (const form of FORMS) {
      const path = `${pathPrefix}/${feed.name}${form.path}`;
      const headers = form.headers(feed, hasCalendar);
      routes.set(path, { name: form.name, feed, keeper, form, headers, clock, today });
    }
  }
  return routes;
}

/** To find the date takes some calendar work, and it does not change within a minute. */
function rememberToday(): Route['today'] {
  let known = { minute: Number.NaN, timeZone: '', today: '' };
  return (timeZone, nowMs) => {
    const minute = Math.floor(nowMs / 60_000);
    if (known.minute !== minute || known.timeZone !== timeZone) {
      known = { minute, timeZone, today: todayIn(timeZone, new Date(nowMs)) };
    }
    return known.today;
  };
}
