/** What surrounds the pane: title, dates, buttons, and sentences about the state of things. */

import { type Day, isoWeekOf } from '@shiftfeed/common/days';
import { element, setText } from './dom.ts';
import { type Holding, MAX_SHIFTS, withinBounds } from './holding.ts';
import type { Language } from './language.ts';
import type { Scene } from './pane.ts';
import { CHOSEN_VIEWS, type DayRange, type ViewName } from './range.ts';
import type { Supply } from './supply.ts';

export type Shell = ReturnType<typeof makeShell>;

export function makeShell() {
  const button = (part: string) => element('button', { part: `button ${part}`, type: 'button' });
  const parts = {
    title: element('h2', { part: 'title' }),
    period: element('p', { part: 'period', 'aria-live': 'polite' }),
    zone: element('p', { part: 'zone' }),
    previous: button('previous'),
    today: button('today'),
    next: button('next'),
    views: { list: button('view-list'), week: button('view-week'), month: button('view-month') },
    status: makeStatus(),
    earlier: button('earlier'),
    /** Where the pane goes. */
    body: element('div', { part: 'body' }),
    /** Shows what the page has between the tags, until there are shifts to show. */
    fallback: element('slot', { part: 'fallback' }),
    endStatus: makeStatus(),
    later: button('later'),
  };
  const { title, period, zone, previous, today, next, views } = parts;
  const { status, earlier, body, fallback, endStatus, later } = parts;
  const navigation = element('div', { part: 'navigation', role: 'group' }, previous, today, next);
  const switcher = element('div', { part: 'views', role: 'group' }, ...Object.values(views));
  const header = element(
    'div',
    { part: 'header' },
    element('div', { part: 'heading' }, title, period),
    element('div', { part: 'toolbar' }, navigation, switcher),
  );
  const around = [zone, status.element, earlier, body, fallback, endStatus.element, later];
  const root = element('div', { part: 'calendar', role: 'group' }, header, ...around);
  return { ...parts, navigation, switcher, root };
}

/** Puts all fixed words into a language. */
export function labelShell(shell: Shell, language: Language): void {
  const { root, navigation, switcher, views, status, endStatus } = shell;
  root.lang = language.tag;
  root.dir = language.direction;
  root.dataset.clock = language.clockHours;
  navigation.setAttribute('aria-label', language.say('navigation'));
  switcher.setAttribute('aria-label', language.say('view'));
  for (const name of CHOSEN_VIEWS) views[name].replaceChildren(language.say(name));
  for (const name of ['today', 'earlier', 'later'] as const) shell[name].replaceChildren(language.say(name));
  for (const { retry } of [status, endStatus]) retry.replaceChildren(language.say('retry'));
}

/** There is one above the pane, and one below it. */
function makeStatus() {
  const sentence = element('span');
  const retry = element('button', { part: 'button retry', type: 'button' });
  retry.hidden = true;
  return {
    element: element('div', { part: 'status' }, element('span', { role: 'status' }, sentence), retry),
    retry,
    say(text: string, canRetry = false): void {
      if (sentence.textContent !== text) sentence.replaceChildren(text);
      retry.hidden = !canRetry;
    },
  };
}

/** Brings title, dates and buttons up to date. */
export function showFrame(shell: Shell, view: ViewName, scene: Scene): void {
  const { language, range, date, timeZone, isForeignZone, holding } = scene;
  const { root, title, period, zone, previous, next, views, earlier, later, fallback } = shell;
  const { first = Number.NEGATIVE_INFINITY, last = Number.POSITIVE_INFINITY } = holding?.bounds ?? {};
  const name = holding?.title ?? '';
  const isList = view === 'list';
  const isGrid = view === 'week' || view === 'month';
  setText(title, name);
  root.setAttribute('aria-label', name === '' ? language.say('calendar') : name);
  setText(period, !isGrid ? '' : periodOf(view, range, date, language));
  setText(zone, isForeignZone ? language.say('zone', { zone: language.zone(timeZone) }) : '');
  for (const other of CHOSEN_VIEWS) views[other].setAttribute('aria-pressed', String(other === view));
  previous.hidden = !isGrid;
  next.hidden = !isGrid;
  if (isGrid) {
    previous.setAttribute('aria-label', language.say(`previous_${view}`));
    next.setAttribute('aria-label', language.say(`next_${view}`));
  }
  // A button that has focus keeps it, so it must not be disabled altogether.
  previous.ariaDisabled = String(range.from <= first);
  next.ariaDisabled = String(range.to >= last);
  earlier.hidden = !isList || holding === undefined || range.from <= first;
  later.hidden = !isList || holding === undefined || range.to >= last;
  fallback.hidden = holding !== undefined;
}

function periodOf(view: 'week' | 'month', { from, to }: DayRange, date: Day, language: Language): string {
  if (view === 'month') return language.date(date, 'month');
  const dates = language.dateRange(from, to);
  // ISO weeks begin on Mondays. Where weeks begin on another day, their numbers would be wrong.
  return language.firstWeekday === 1
    ? `${dates} · ${language.say('week_number', { number: isoWeekOf(from).week })}`
    : dates;
}

/** The state of a calendar in a sentence, empty when all is as it should be. */
export function sentenceOf(
  view: ViewName,
  language: Language,
  supply: Supply,
  hasSource: boolean,
  scene: Scene | undefined,
): string {
  const { trouble } = supply;
  const holding = supply.holding;
  // A board that has ever had shifts says itself how old they are.
  if (view === 'now' && holding !== undefined) return '';
  if (trouble === 'error') return language.say('error');
  if (!hasSource) return language.say('no_source');
  if (scene === undefined || holding === undefined || !scene.isLoaded) return language.say('loading');
  if (trouble === 'stale') return language.say('stale', { time: language.clock(holding.loadedMs) });
  if (holding.isCut) return language.say('too_many', { count: MAX_SHIFTS });
  return scene.days.size > 0 ? '' : emptySentence(scene, holding);
}

/** Says which days are without a shift, as far as the source looked at them. */
function emptySentence({ language, range }: Scene, { bounds }: Holding): string {
  const { from, to } = withinBounds(range, bounds);
  if (from > to) return language.say('empty_day');
  return language.say('empty', { from: language.date(from, 'date'), to: language.date(to, 'date') });
}
