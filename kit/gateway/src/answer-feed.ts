/** Answers a visit to a feed: from its query and the copy to a body. */

import { MINUTE_MS } from '@shiftfeed/common/days';
import { type Bodies, type Body, TooBusy } from './bodies.ts';
import type { FeedCopy } from './feed-copy.ts';
import type { Setting } from './forms.ts';
import { ownCopy } from './links/own-shifts.ts';
import { BadQuery, type Narrowing, readNarrowing } from './narrowing.ts';
import { firstStartFor } from './projection.ts';
import { AGE_HEADER, type Answer, PROBLEMS, sendBody, sendProblem, type Visit } from './response.ts';
import type { Route } from './routes.ts';
import { visibleFeed } from './visible-feed.ts';

const BUSY_SECONDS = '1';

/** `headers` are those of every answer of the route. */
export async function answerFeed(
  visit: Visit,
  route: Route,
  setting: Setting,
  headers: Readonly<Record<string, string>>,
  bodies: Bodies,
  encodings: readonly string[],
): Promise<Answer> {
  const { name, feed, keeper, form, person } = route;
  const problem = (which: { status: number; message: string }, more: Record<string, string> = {}) => {
    const body = form.problem?.(feed, which, setting);
    return sendProblem(which, visit, name, { ...headers, ...more }, body);
  };
  const narrowing = narrow(visit.search);
  if (narrowing instanceof BadQuery) return problem({ status: 400, message: narrowing.message });
  const copy = keeper.find() ?? (await keeper.take());
  if (copy === undefined) {
    return problem(PROBLEMS.unavailable, { 'retry-after': String(keeper.retrySeconds()) });
  }
  const today = route.today(copy.timeZone);
  const isNarrowed = visit.search !== '';
  const variant = form.variant(setting, narrowing);
  const nowMs = route.clock();
  const ageSeconds = keeper.ageSeconds();
  const asOfMs = nowMs - ageSeconds * 1000;
  const moment = form.isOfMinute ? `${minuteOf(nowMs)} ${minuteOf(asOfMs)}` : today;
  const key = [
    feed.name,
    person?.link ?? '',
    form.name,
    copy.version,
    moment,
    keyOf(narrowing, copy),
    variant,
  ].join(' ');
  const write = () => {
    const shown = person === undefined ? copy : ownCopy(copy, person.name);
    const visible = visibleFeed(feed, shown, today, narrowing, {
      looksBack: form.isOfMinute,
      link: person?.link,
    });
    return form.write(visible, setting, { nowMs, asOfMs });
  };
  const body = await unlessBusy(bodies.get(key, !isNarrowed, write));
  if (body === undefined) return problem(PROBLEMS.unavailable, { 'retry-after': BUSY_SECONDS });
  const found = {
    ...headers,
    'cache-control': form.isOfMinute
      ? 'no-cache'
      : `${person === undefined ? 'public' : 'private'}, max-age=${keeper.freshSeconds()}`,
    'content-type': form.type,
    // Sent even if it is 0: with a 304, browsers keep the header of the earlier response.
    [AGE_HEADER]: String(ageSeconds),
  };
  return sendBody(visit, name, body, found, encodings);
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

/** Queries that mean the same share a body. */
function keyOf({ from, to, groupIds }: Narrowing, { window }: FeedCopy): string {
  const start = from === undefined ? '' : latest(from, firstStartFor(window));
  const end = to !== undefined && to < window.to ? to : '';
  return `${start}/${end}/${groupIds?.join() ?? 'all'}`;
}

function latest(a: string, b: string): string {
  return a > b ? a : b;
}

async function unlessBusy(body: Body | Promise<Body>): Promise<Body | undefined> {
  try {
    return await body;
  } catch (error) {
    if (error instanceof TooBusy) return undefined;
    throw error;
  }
}
