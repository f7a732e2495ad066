/**
 * The calendar to subscribe to (RFC 5545, RFC 7986). Its bytes follow from what the upstream says and from nothing else,
 * so that every process of a gateway, today and after a restart, gives the same.
 */

import { spanOf, wallMsOf } from '@shiftfeed/common/zone';
import type { FeedConfig } from '../config.ts';
import { ENGLISH, type Words, wordsOf } from '../page/language.ts';
import type { PublicShift } from '../projection.ts';
import { monthOf } from '../upstream.ts';
import type { VisibleFeed } from '../visible-feed.ts';
import { escapeText, line, textLine } from './lines.ts';
import { wallTime, writeTimeZone } from './time-zone.ts';

export const ICALENDAR_TYPE = 'text/calendar; charset=utf-8';

/** Programs that look more often than this learn nothing that a person would notice. */
const MIN_REFRESH_MINUTES = 15;
/**
 * `DTSTAMP` is required, also where nobody says when a shift was last changed. "When it was written" would differ with
 * every request, and the day on which a shift was published is for the owner to show.
 */
const UNKNOWN_MS = 0;
/** `SEQUENCE` counts seconds from here. Programs that keep it in 31 bits can do so until 2088. */
const SEQUENCE_START_MS = Date.UTC(2020, 0, 1);

export function writeICalendar(visible: VisibleFeed, calendarId: string): string {
  const { feed, link, copy, shifts } = visible;
  const { timeZone, window } = copy;
  const kind = link === undefined ? FOR_EVERYBODY : FOR_ONE;
  const interval = `PT${Math.max(MIN_REFRESH_MINUTES, Math.ceil(feed.maxAgeSeconds / 60))}M`;
  return [
    line('BEGIN', 'VCALENDAR'),
    line('VERSION', '2.0'),
    line('PRODID', '-//Shiftfeed//Gateway//EN'),
    line('CALSCALE', 'GREGORIAN'),
    textLine('NAME', feed.title),
    textLine('X-WR-CALNAME', feed.title),
    line('X-WR-TIMEZONE', timeZone),
    line('REFRESH-INTERVAL;VALUE=DURATION', interval),
    line('X-PUBLISHED-TTL', interval),
    // A year more on both sides: shifts may end after the window, and rules show themselves over some years.
    writeTimeZone(timeZone, yearOf(window.from) - 1, yearOf(window.to) + 1),
    ...shifts.map((shift) => {
      const event = kind.events.get(shift) ?? writeEvent(shift, kind, visible, calendarId);
      kind.events.set(shift, event);
      return event;
    }),
    line('END', 'VCALENDAR'),
  ].join('');
}

interface CalendarKind {
  /** Names of feeds have no dot, so that the identities of both kinds differ: people may subscribe to both. */
  readonly mark: string;
  readonly transparency: string;
  /**
   * The event of each shift, because writing events is most of the work. A shift object belongs to one feed and is never
   * changed, so its event stays the same.
   */
  readonly events: WeakMap<PublicShift, string>;
}

/** Whoever subscribes to a website's shifts is not busy during all of them, but during their own. */
const FOR_EVERYBODY: CalendarKind = { mark: '', transparency: 'TRANSPARENT', events: new WeakMap() };
const FOR_ONE: CalendarKind = { mark: '.me', transparency: 'OPAQUE', events: new WeakMap() };

function writeEvent(
  shift: PublicShift,
  { mark, transparency }: CalendarKind,
  { feed, copy }: VisibleFeed,
  calendarId: string,
): string {
  const { group, location, remarks, cancelled, noshow } = shift;
  const words = wordsOf(feed.language) ?? ENGLISH;
  const description = [remarks, noshow === true ? words.noshow : undefined].filter(Boolean).join('\n');
  return [
    line('BEGIN', 'VEVENT'),
    textLine('UID', `${feed.name}${mark}-${shift.id}@${calendarId}`),
    ...writeStamps(copy.modifiedMs[monthOf(shift.date)]),
    ...writeTimes(shift, copy.timeZone),
    textLine('SUMMARY', summaryOf(shift, feed, words)),
    ...(location ? [textLine('LOCATION', placeOf(location))] : []),
    ...(description === '' ? [] : [textLine('DESCRIPTION', description)]),
    ...(group === undefined ? [] : [line('CATEGORIES', escapeText(group.name))]),
    ...(cancelled === undefined ? [] : [line('STATUS', cancelled ? 'CANCELLED' : 'CONFIRMED')]),
    line('TRANSP', transparency),
    line('END', 'VEVENT'),
  ].join('');
}

/** By these, programs decide whether an event that they know has changed. */
function writeStamps(modifiedMs: number | undefined): readonly string[] {
  const stamp = `${wallTime(modifiedMs ?? UNKNOWN_MS)}Z`;
  if (modifiedMs === undefined) return [line('DTSTAMP', stamp)];
  const sequence = Math.max(0, Math.floor((modifiedMs - SEQUENCE_START_MS) / 1000));
  return [line('DTSTAMP', stamp), line('LAST-MODIFIED', stamp), line('SEQUENCE', String(sequence))];
}

/**
 * As the clocks show it, but in UTC in the nights when they change: programs do not agree on what a time is that is
 * there twice, or not at all.
 */
function writeTimes(shift: PublicShift, timeZone: string): readonly string[] {
  const { startMs, endMs, isPlain } = spanOf(shift, timeZone);
  if (!isPlain) return [line('DTSTART', `${wallTime(startMs)}Z`), line('DTEND', `${wallTime(endMs)}Z`)];
  const startWallMs = wallMsOf(shift.date, shift.start_time);
  const endWallMs = Math.max(startWallMs, wallMsOf(shift.end_date, shift.end_time));
  const zoned = `;TZID=${timeZone}`;
  return [line(`DTSTART${zoned}`, wallTime(startWallMs)), line(`DTEND${zoned}`, wallTime(endWallMs))];
}

/** Says that a shift is cancelled, because Outlook ignores `STATUS`. */
function summaryOf(shift: PublicShift, { title, language }: FeedConfig, words: Words): string {
  const { group, person, open, starred, cancelled } = shift;
  const isOpen = open === true || person === null;
  const who = person?.name ?? (isOpen ? words.open.toLocaleLowerCase(language) : undefined);
  const what = group?.name ?? title;
  const marks = `${cancelled === true ? `${words.cancelled}: ` : ''}${starred === true ? '★ ' : ''}`;
  return `${marks}${who === undefined ? what : `${what}: ${who}`}`;
}

function placeOf({ name, address }: { readonly name: string; readonly address: string }): string {
  return address === '' ? name : `${name}, ${address}`;
}

function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}
