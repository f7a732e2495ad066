/** Answers a visit to a feed: from its query and the copy to a body. */

import { type Day, formatDate, MINUTE_MS } from '@shiftfeed/common/days';
import { foldName } from '@shiftfeed/common/names';
import { todayIn } from '@shiftfeed/common/zone';
import { sendBody, TooBusy } from './bodies.ts';
import type { FeedConfig } from './config.ts';
import type { CopyKeeper, FeedCopy } from './feed-copy.ts';
import { type Form, type Setting, writeProblem } from './forms.ts';
import { firstStartFor } from './projection.ts';
import {
  type Answer,
  type HeaderFields,
  PROBLEMS,
  type Problem,
  type RouteName,
  sendProblem,
  type Visit,
} from './response.ts';
import type { Upstream } from './upstream.ts';
import {
  BadQuery,
  latest,
  type Moment,
  type Narrowing,
  readNarrowing,
  visibleFeed,
  writeNarrowing,
} from './visible-feed.ts';

/** The address of a feed in one form. */
export interface FeedRoute {
  readonly name: RouteName;
  readonly feed: FeedConfig;
  readonly keeper: CopyKeeper;
  readonly upstream: Upstream;
  readonly form: Form;
  /** Those of every answer. */
  readonly headers: HeaderFields;
  /** Whose shifts alone are shown, with the name as `foldName` writes it, and by which link. */
  readonly person?: { readonly name: string; readonly link: string };
}

const BUSY_SECONDS = '1';

/** `common` are the headers of every answer of the route to such a visit. */
export async function answerFeed(
  visit: Visit,
  route: FeedRoute,
  setting: Setting,
  common: HeaderFields,
  clock: () => number,
): Promise<Answer> {
  const { name, feed, keeper, form } = route;
  const refuse = (problem: Problem, more: HeaderFields = {}) =>
    sendProblem(problem, visit, name, { ...common, ...more }, writeProblem(form, feed, problem, setting));
  const narrowing = readNarrowing(visit.search);
  if (narrowing instanceof BadQuery) return refuse({ status: 400, message: narrowing.message });

  const copy = keeper.find() ?? (await keeper.take());
  if (copy === undefined) {
    return refuse(PROBLEMS.unavailable, { 'retry-after': String(keeper.retrySeconds()) });
  }
  // After the copy was waited for.
  const nowMs = clock();
  const ageSeconds = keeper.ageSeconds(nowMs);
  const moment = { nowMs, asOfMs: nowMs - ageSeconds * 1000 };
  const today = todayIn(copy.timeZone, nowMs);
  const sight: Sight = { route, copy, today, narrowing, setting, moment };
  const key = keyOf(sight);
  const body =
    copy.bodies.find(key) ??
    (await copy.bodies.write(key, visit.search === '', () => writeBody(sight)).catch(undefinedIfBusy));
  if (body === undefined) return refuse(PROBLEMS.unavailable, { 'retry-after': BUSY_SECONDS });

  const sharing = route.person === undefined ? 'public' : 'private';
  const cacheControl = form.isOfMinute ? 'no-cache' : `${sharing}, max-age=${keeper.freshSeconds(nowMs)}`;
  const sending = { route: name, body, contentType: form.type, common, cacheControl, ageSeconds };
  return sendBody(visit, sending);
}

/** What a body depends on. */
interface Sight {
  readonly route: FeedRoute;
  readonly copy: FeedCopy;
  readonly today: Day;
  readonly narrowing: Narrowing;
  readonly setting: Setting;
  readonly moment: Moment;
}

function writeBody({ route, copy, today, narrowing, setting, moment }: Sight): string {
  const { feed, form, person } = route;
  const shifts =
    person === undefined
      ? copy.shifts
      : copy.shifts.filter(({ id }) => foldName(copy.people[id] ?? '') === person.name);
  const shown = { ...copy, shifts };
  // People see what is still on, as the calendar does, which asks for it.
  const looksBack = form.isForPeople === true;
  const visible = visibleFeed(feed, shown, formatDate(today), narrowing, looksBack, person?.link);
  return form.write(visible, setting, moment);
}

/** Of a body among those of the copy. Queries that mean the same share it. */
function keyOf({ route, copy, today, narrowing, setting, moment }: Sight): string {
  const { form, person } = route;
  const { window } = copy;
  const { from, to, groupIds } = narrowing;
  const time = form.isOfMinute ? minutesOf(moment) : today;
  const start = from === undefined ? '' : latest(from, firstStartFor(window));
  const end = to !== undefined && to < window.to ? to : '';
  const groups = groupIds?.join() ?? 'all';
  // Pages hold addresses with the query as it was asked.
  const page = form.isForPeople ? `${setting.language.tag} ${setting.root} ${writeNarrowing(narrowing)}` : '';
  return `${form.name} ${person?.link ?? ''} ${time} ${start}/${end}/${groups} ${page}`;
}

function minutesOf({ nowMs, asOfMs }: Moment): string {
  return `${Math.floor(nowMs / MINUTE_MS)} ${Math.floor(asOfMs / MINUTE_MS)}`;
}

function undefinedIfBusy(error: unknown): undefined {
  if (!(error instanceof TooBusy)) throw error;
}
