/**
 * Reads the configuration. Everything is checked at the start, and all problems are reported at once, by place: a
 * misspelt key must not show more than the owner meant to show.
 */

import type { FeedConfig, GatewayConfig, ShowKey } from '../config.ts';
import { isObject, readObject, shownKey } from './keys.ts';
import { type ConfigProblem, ConfigProblems } from './problems.ts';
import {
  readBoolean,
  readCalendarId,
  readCancelled,
  readFileName,
  readGroupIds,
  readLanguage,
  readOrigins,
  readShow,
  readTimeZone,
  readTitle,
  readTokenFile,
  readUpstream,
  wholeNumber,
} from './values.ts';

const DEFAULT_SHOW: readonly ShowKey[] = ['group', 'location'];
const DEFAULT_DAYS_AHEAD = 90;
const DEFAULT_MAX_AGE_SECONDS = 60;
const DEFAULT_LANGUAGE = 'en';
const MAX_DAYS = 400;
const MAX_AGE_LIMIT_SECONDS = 86_400;
/** Names are parts of addresses. They have no dots, so that files can have addresses beside them. */
const FEED_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const RESERVED_NAMES: ReadonlySet<string> = new Set(['healthz']);

/** Throws `ConfigProblems` when anything is wrong. */
export function readConfig(document: unknown): GatewayConfig {
  const problems: ConfigProblem[] = [];
  const root = readObject(document, '', problems);
  const config: GatewayConfig = {
    upstream: root.take('upstream', readUpstream) ?? '',
    tokenFile: root.takeOptional('token_file', readTokenFile),
    linksSecretFile: root.takeOptional('links_secret_file', readFileName),
    linksFile: root.takeOptional('links_file', readFileName),
    timeZone: root.takeOptional('time_zone', readTimeZone),
    calendarId: root.takeOptional('calendar_id', readCalendarId),
    feeds: root.take('feeds', readFeeds) ?? [],
  };
  root.ignore('$schema');
  root.refuseOthers();
  if (problems.length > 0) throw new ConfigProblems(problems);
  return config;
}

function readFeeds(value: unknown, place: string, problems: ConfigProblem[]): readonly FeedConfig[] {
  const feeds = isObject(value) ? Object.entries(value) : [];
  if (feeds.length === 0) {
    problems.push({ place, message: 'expected an object with at least one feed, by its name.' });
  }
  return feeds.map(([name, feed]) => {
    const at = `${place}.${shownKey(name)}`;
    if (!FEED_NAME.test(name) || RESERVED_NAMES.has(name)) {
      const message = RESERVED_NAMES.has(name)
        ? 'this name is taken by an address of the gateway: choose another one.'
        : 'the name of a feed is a part of its address: expected 1 to 63 letters, digits, - or _.';
      problems.push({ place: at, message });
    }
    return readFeed(name, feed, at, problems);
  });
}

function readFeed(name: string, value: unknown, place: string, problems: ConfigProblem[]): FeedConfig {
  const feed = readObject(value, place, problems);
  const config: FeedConfig = {
    name,
    title: feed.takeOptional('title', readTitle) ?? name,
    groupIds: feed.take('group_ids', readGroupIds) ?? new Set(),
    show: new Set(feed.takeOptional('show', readShow) ?? DEFAULT_SHOW),
    daysBack: feed.takeOptional('days_back', wholeNumber(0, MAX_DAYS)) ?? 0,
    daysAhead: feed.takeOptional('days_ahead', wholeNumber(0, MAX_DAYS)) ?? DEFAULT_DAYS_AHEAD,
    hidesCancelled: feed.takeOptional('cancelled', readCancelled) === 'hide',
    showsUnpublished: feed.takeOptional('unpublished', readBoolean) ?? false,
    origins: feed.takeOptional('origins', readOrigins) ?? [],
    maxAgeSeconds:
      feed.takeOptional('max_age', wholeNumber(1, MAX_AGE_LIMIT_SECONDS)) ?? DEFAULT_MAX_AGE_SECONDS,
    language: feed.takeOptional('language', readLanguage) ?? DEFAULT_LANGUAGE,
    isPersonal: feed.takeOptional('personal', readBoolean) ?? false,
  };
  feed.refuseOthers();
  return config;
}
