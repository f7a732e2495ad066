/**
 * What surrounds the days: title, dates, buttons, and sentences about the state of things. Nothing in it comes or goes, but is
 * hidden or seen, so that a browser can bring it up to date in place.
 */

import { type Day, isoWeekOf } from '../days.ts';
import { type Drawing, draw } from './drawing.ts';
import type { Language } from './language.ts';
import { CHOSEN_VIEWS, type DayRange, type ViewName } from './range.ts';
import { groupParts, type ShiftGroup } from './shift.ts';

export interface Frame {
  readonly language: Language;
  readonly view: ViewName;
  /** The page is about nothing else: its heading is the title of the calendar. */
  readonly isPage: boolean;
  /** There are scripts, or there will be soon. */
  readonly hasScripts: boolean;
  readonly title: string;
  readonly period: string;
  /** A sentence about the time zone, or nothing. */
  readonly zone: string;
  /** Above the days, and below them. */
  readonly status: Status;
  readonly endStatus: Status;
  readonly isBusy: boolean;
  /** The first and the last of all days are seen. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** What leads from a list to earlier and later days: nothing, a button, or the address of a page. */
  readonly earlier: boolean | string;
  readonly later: boolean | string;
  readonly lastDay: Day;
  readonly hasSearch: boolean;
  readonly groups: readonly LegendGroup[];
  /** The address of a calendar to subscribe to. */
  readonly subscribe: string | undefined;
  /** Its address has been copied. */
  readonly isCopied: boolean;
  /** What the page has between the tags is seen. */
  readonly hasFallback: boolean;
}

export interface Status {
  readonly sentence: string;
  readonly canRetry: boolean;
}

export interface LegendGroup extends ShiftGroup {
  /** Shifts of other groups are not seen. */
  readonly isChosen: boolean;
  /** The address of a page with this group alone, where there are no scripts. */
  readonly href?: string;
}

export const QUIET: Status = { sentence: '', canRetry: false };

/** The days are put into the part `body`. */
export function drawFrame(frame: Frame, ...days: readonly Drawing[]): Drawing {
  const { language, view, isPage, title, period, zone, earlier, later } = frame;
  const { say, tag, direction, clockHours } = language;
  const attributes = {
    part: 'calendar',
    role: 'group',
    lang: tag,
    dir: direction,
    'aria-label': title === '' ? say('calendar') : title,
    'data-view': view,
    'data-clock': clockHours,
  };
  const heading = draw(
    'div',
    { part: 'heading' },
    draw('h2', { part: 'title', hidden: isPage || title === '' }, title),
    draw('p', { part: 'period', 'aria-live': 'polite', hidden: period === '' }, period),
  );
  const end = later === false ? '' : say('may_follow', { day: language.date(frame.lastDay, 'date') });
  return draw(
    'div',
    attributes,
    draw('div', { part: 'header' }, heading, drawToolbar(frame)),
    drawTools(frame),
    draw('p', { part: 'zone', hidden: zone === '' }, zone),
    drawStatus(frame.status, language),
    drawWay('earlier', earlier, language),
    draw('div', { part: 'body', 'aria-busy': String(frame.isBusy) }, ...days),
    draw('slot', { part: 'fallback', hidden: !frame.hasFallback }),
    drawStatus(frame.endStatus, language),
    drawWay('later', later, language),
    draw('p', { part: 'paper-end', hidden: end === '' }, end),
  );
}

function drawToolbar({ language, view, hasScripts, isFirst, isLast }: Frame): Drawing {
  const { say } = language;
  const grid = view === 'week' || view === 'month' ? view : undefined;
  const turn = (to: 'previous' | 'next', isDone: boolean) =>
    drawButton(to, {
      hidden: grid === undefined,
      'aria-label': grid && say(`${to}_${grid}`),
      // A button that has focus keeps it, so it must not be disabled altogether.
      'aria-disabled': String(isDone),
    });
  const views = CHOSEN_VIEWS.map((name) =>
    drawButton(`view-${name}`, { 'aria-pressed': String(name === view) }, say(name)),
  );
  const turns = [turn('previous', isFirst), drawButton('today', {}, say('today')), turn('next', isLast)];
  return draw(
    'div',
    { part: 'toolbar', hidden: !hasScripts },
    draw('div', { part: 'navigation', role: 'group', 'aria-label': say('navigation') }, ...turns),
    draw('div', { part: 'views', role: 'group', 'aria-label': say('view') }, ...views),
  );
}

/** Ways to subscribe, a field to search in, and the groups with their colours. */
function drawTools(frame: Frame): Drawing {
  const { hasSearch, groups, subscribe } = frame;
  const { say } = frame.language;
  const legend = groups.map(({ id, name, isChosen, href }) => {
    const part = `button legend-group ${groupParts({ id }, true)}`;
    const words = draw('bdi', {}, name);
    return href === undefined
      ? draw(
          'button',
          { part, type: 'button', 'data-group': String(id), 'aria-pressed': String(isChosen) },
          words,
        )
      : draw('a', { part, href, 'aria-current': isChosen && 'true' }, words);
  });
  const field = { part: 'search', type: 'search', 'aria-label': say('search'), placeholder: say('search') };
  return draw(
    'div',
    { part: 'tools', hidden: !hasSearch && groups.length === 0 && subscribe === undefined },
    drawSubscribe(frame),
    draw('input', { ...field, hidden: !hasSearch }),
    draw(
      'div',
      { part: 'legend', role: 'group', 'aria-label': say('groups'), hidden: groups.length === 0 },
      ...legend,
    ),
  );
}

/** Ways to subscribe to a calendar. All but the copying work without scripts. */
function drawSubscribe({ language, subscribe = '', isCopied, title, hasScripts }: Frame): Drawing {
  const { say } = language;
  const address = encodeURIComponent(subscribe);
  const webcal = subscribe.replace(/^https?:/, 'webcal:');
  const outlook = `https://outlook.live.com/calendar/0/addfromweb?url=${address}&name=${encodeURIComponent(title)}`;
  const ways = [
    [say('calendar_app'), webcal],
    ['Google Calendar', `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`],
    ['Outlook', outlook],
  ] as const;
  const links = ways.map(([name, href], i) => {
    const elsewhere = i > 0 && { target: '_blank', rel: 'noopener noreferrer' };
    return draw('li', {}, draw('a', { part: 'button subscribe-way', href, ...elsewhere }, name));
  });
  return draw(
    'details',
    { part: 'subscribe', hidden: subscribe === '' },
    draw('summary', { part: 'button subscribe-button' }, say('subscribe')),
    draw(
      'div',
      { part: 'subscribe-ways' },
      draw('ul', { role: 'list' }, ...links),
      draw('code', { part: 'subscribe-address', dir: 'ltr' }, subscribe),
      drawButton('copy', { hidden: !hasScripts, 'aria-live': 'polite' }, say(isCopied ? 'copied' : 'copy')),
    ),
  );
}

function drawButton(name: string, attributes: Drawing['attributes'], ...children: string[]): Drawing {
  return draw('button', { part: `button ${name}`, type: 'button', ...attributes }, ...children);
}

function drawWay(name: 'earlier' | 'later', way: boolean | string, { say }: Language): Drawing {
  if (typeof way === 'string') return draw('a', { part: `button ${name}`, href: way }, say(name));
  return drawButton(name, { hidden: !way }, say(name));
}

function drawStatus({ sentence, canRetry }: Status, { say }: Language): Drawing {
  return draw(
    'div',
    { part: 'status' },
    draw('span', { role: 'status' }, draw('span', {}, sentence)),
    drawButton('retry', { hidden: !canRetry }, say('retry')),
  );
}

/** The days that a view shows, as its heading. Of a list, those that the source has. */
export function periodOf(view: ViewName, { from, to }: DayRange, date: Day, language: Language): string {
  if (view === 'now' || from > to) return '';
  if (view === 'month') return language.date(date, 'month');
  const dates = language.dateRange(from, to);
  // ISO weeks begin on Mondays. Where weeks begin on another day, their numbers would be wrong.
  return view === 'week' && language.firstWeekday === 1
    ? `${dates} · ${language.say('week_number', { number: isoWeekOf(from).week })}`
    : dates;
}

/** Says which days are without a shift, as far as the source looked at them. */
export function emptySentence({ from, to }: DayRange, language: Language): string {
  if (from > to) return language.say('empty_day');
  return language.say('empty', { from: language.date(from, 'date'), to: language.date(to, 'date') });
}

/** The groups of these shifts, by name. A single one needs no legend. */
export function groupsOf(
  shifts: Iterable<{ readonly group?: ShiftGroup | null }>,
  language: Language,
): ShiftGroup[] {
  const groups = new Map<number, ShiftGroup>();
  for (const { group } of shifts) if (group) groups.set(group.id, group);
  const collator = new Intl.Collator(language.tag, { numeric: true });
  return groups.size < 2 ? [] : [...groups.values()].sort((a, b) => collator.compare(a.name, b.name));
}
