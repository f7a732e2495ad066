/** Answers a visit to a feed: from its query and the copy to a body. */

import { MINUTE_MS } from '@shiftfeed/common/days';
import { type Bodies, type Body, TooBusy } from './bodies.ts';
import type { FeedCopy } from './feed-copy.ts';
import type { Setting } from './forms.ts';
import { ownCopy } from './links/own-shifts.ts';
import { BadQuery, type Narrowing, readNarrowing } from './narrowing.ts';
import { onceThere } from './once-there.ts';
import { firstStartFor } from './projection.ts';
import {
  AGE_HEADER,
  type Answer,
  type HeaderFields,
  PROBLEMS,
  type Problem,
  sendBody,
  sendProblem,
  type Visit,
} from './response.ts';
import type { Route } from './routes.ts';
import { type Moment, visibleFeed } from './visible-feed.ts';

const BUSY_SECONDS = '1';

/** `headers` are those of every answer of the route. */
export function answerFeed(
  visit: Visit,
  route: Route,
  setting: Setting,
  headers: HeaderFields,
  bodies: Bodies,
  encodings: readonly string[],
): Answer | Promise<Answer> {
  const { name, feed, keeper, form } = route;
  const refuse = (problem: Problem, more: Record<string, string> = {}) =>
    sendProblem(problem, visit, name, { ...headers, ...more }, form.problem?.(feed, problem, setting));
  const narrowing = narrow(visit.search);
  if (narrowing instanceof BadQuery) return refuse({ status: 400, message: narrowing.message });
  return onceThere(keeper.find() ?? keeper.take(), (copy) => {
    if (copy === undefined) {
      return refuse(PROBLEMS.unavailable, { 'retry-after': String(keeper.retrySeconds()) });
    }
    const nowMs = route.clock();
    const ageSeconds = keeper.ageSeconds(nowMs);
    const moment = { nowMs, asOfMs: nowMs - ageSeconds * 1000 };
    return onceThere(findBody(visit, route, copy, narrowing, setting, moment, bodies), (body) => {
      if (body === undefined) return refuse(PROBLEMS.unavailable, { 'retry-after': BUSY_SECONDS });
      return sendBody(visit, name, body, headersNow(route, headers, ageSeconds), encodings);
    });
  });
}

/** The last headers of each route. They are the same for a second, and so is the answer that was made with them. */
const lastHeaders = new WeakMap<
  Route,
  {
    readonly common: HeaderFields;
    readonly ageSeconds: number;
    readonly freshSeconds: number;
    readonly headers: HeaderFields;
  }
>();

function headersNow(route: Route, common: HeaderFields, ageSeconds: number): HeaderFields {
  const { form, keeper } = route;
  const freshSeconds = keeper.freshSeconds(route.clock());
  const last = lastHeaders.get(route);
  if (last?.common === common && last.ageSeconds === ageSeconds && last.freshSeconds === freshSeconds)
    return last.headers;
  const sharing = route.person === undefined ? 'public' : 'private';
  const headers = {
    ...common,
    'cache-control': form.isOfMinute ? 'no-cache' : `${sharing}, max-age=${freshSeconds}`,
    'content-type': form.type,
    // Sent even if it is 0: with a 304, browsers keep the header of the earlier response.
    [AGE_HEADER]: String(ageSeconds),
  };
  // Routes of one person, and headers for an origin, are made anew for each visit.
  if (common === route.headers && route.person === undefined)
    lastHeaders.set(route, { common, ageSeconds, freshSeconds, headers });
  return headers;
}

/** What the copy shows to such a visit. Undefined if too many others have to be written before. */
function findBody(
  visit: Visit,
  route: Route,
  copy: FeedCopy,
  narrowing: Narrowing,
  setting: Setting,
  moment: Moment,
  bodies: Bodies,
): Body | Promise<Body | undefined> {
  const { feed, form, person } = route;
  const today = route.today(copy.timeZone, moment.nowMs);
  const time = form.isOfMinute ? `${minuteOf(moment.nowMs)} ${minuteOf(moment.asOfMs)}` : today;
  const variant = form.variant(setting, narrowing);
  const key = keyOf(route, copy, { time, search: visit.search, variant }, narrowing);
  const write = () => {
    const shown = person === undefined ? copy : ownCopy(copy, person.name);
    const visible = visibleFeed(feed, shown, today, narrowing, {
      looksBack: form.isOfMinute,
      link: person?.link,
    });
    return form.write(visible, setting, moment);
  };
  const body = bodies.get(key, visit.search === '', write);
  return body instanceof Promise ? body.catch(undefinedIfBusy) : body;
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

function narrow(search: string): Narrowing | BadQuery {
  try {
    return readNarrowing(search);
  } catch (error) {
    if (error instanceof BadQuery) return error;
    throw error;
  }
}

/** What a body depends on, besides its route and the copy. */
interface Sight {
  readonly time: string;
  readonly search: string;
  readonly variant: string;
}

/** The last key of each route: most visits want the same, and V8 looks up a new string much more slowly. */
const lastKeys = new WeakMap<Route, Sight & { readonly version: number; readonly key: string }>();

function keyOf(route: Route, copy: FeedCopy, sight: Sight, narrowing: Narrowing): string {
  const { feed, form, person } = route;
  const { version } = copy;
  const { time, search, variant } = sight;
  const last = lastKeys.get(route);
  if (last?.version === version && last.time === time && last.search === search && last.variant === variant) {
    return last.key;
  }
  const narrowed = narrowedKeyOf(narrowing, copy);
  const key = [feed.name, person?.link ?? '', form.name, version, time, narrowed, variant].join(' ');
  lastKeys.set(route, { ...sight, version, key });
  return key;
}

/** Queries that mean the same share a body. */
function narrowedKeyOf({ from, to, groupIds }: Narrowing, { window }: FeedCopy): string {
  const start = from === undefined ? '' : latest(from, firstStartFor(window));
  const end = to !== undefined && to < window.to ? to : '';
  return `${start}/${end}/${groupIds?.join() ?? 'all'}`;
}

function latest(a: string, b: string): string {
  return a > b ? a : b;
}

function undefinedIfBusy(error: unknown): undefined {
  if (!(error instanceof TooBusy)) throw error;
}
