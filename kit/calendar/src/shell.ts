/** What surrounds the pane, as an element of the page: its parts, and what they say at the moment. */

import {
  drawFrame,
  emptySentence,
  type Frame,
  groupsOf,
  type LegendGroup,
  periodOf,
  QUIET,
  type Status,
} from '@shiftfeed/common/calendar/frame';
import type { ViewName } from '@shiftfeed/common/calendar/range';
import { bringUpToDate, make } from './dom.ts';
import { MAX_SHIFTS, withinBounds } from './holding.ts';
import type { Scene } from './pane.ts';
import type { Supply } from './supply.ts';

export type Shell = ReturnType<typeof makeShell>;

export function makeShell(frame: Frame) {
  const root = make(drawFrame(frame));
  const find = (part: string) => root.querySelector(`[part~="${part}"]`) as HTMLElement;
  return {
    root,
    find,
    /** Where the pane goes. */
    body: find('body'),
    show: (changed: Frame) => bringUpToDate(root, drawFrame(changed)),
  };
}

/** What the page asks for, and the state of things. */
export interface Setting {
  readonly view: ViewName;
  readonly hasSource: boolean;
  readonly hasLegend: boolean;
  readonly hasSearch: boolean;
  /** The address of a calendar to subscribe to. */
  readonly subscribe: string | undefined;
  readonly isCopied: boolean;
  /** Something is awaited or went wrong at the end of the list. */
  readonly isAtEnd: boolean;
}

export function frameOf(scene: Scene, supply: Supply, setting: Setting): Frame {
  const { language, range, date, timeZone, holding } = scene;
  const { view, isAtEnd } = setting;
  const bounds = holding?.bounds ?? {};
  const { first = Number.NEGATIVE_INFINITY, last = Number.POSITIVE_INFINITY } = bounds;
  const canGrow = view === 'list' && holding !== undefined;
  const sentence = sentenceOf(scene, supply, setting);
  const status: Status = { sentence, canRetry: supply.trouble !== 'none' && view !== 'now' };
  const seen = view === 'list' ? withinBounds(range, bounds) : range;
  return {
    language,
    view,
    isPage: scene.isPage,
    hasScripts: true,
    title: holding?.title ?? '',
    period: view === 'list' && holding === undefined ? '' : periodOf(view, seen, date, language),
    zone: isZoneTold(scene) ? language.say('zone', { zone: language.zone(timeZone) }) : '',
    status: isAtEnd ? QUIET : status,
    endStatus: isAtEnd ? status : QUIET,
    isBusy: supply.isLoading(),
    isFirst: range.from <= first,
    isLast: range.to >= last,
    earlier: canGrow && range.from > first,
    later: canGrow && range.to < last,
    lastDay: seen.to,
    hasSearch: setting.hasSearch && view !== 'now',
    groups: setting.hasLegend && view !== 'now' ? legendOf(scene) : [],
    subscribe: setting.subscribe,
    isCopied: setting.isCopied,
    hasFallback: holding === undefined,
  };
}

/** Visitors from elsewhere are told, and so is everybody where the calendar is all of the page. */
function isZoneTold({ isForeignZone, isPage, holding }: Scene): boolean {
  return isForeignZone || (isPage && holding?.timeZone !== undefined);
}

/** The groups of all shifts that are seen, and those that are chosen, so that they can be let go. */
function legendOf({ allDays, filter, language }: Scene): LegendGroup[] {
  const shown = [...allDays.values()].flatMap((placed) => placed.map(({ shift }) => shift));
  const chosen = [...filter.groups.values()].map((group) => ({ group }));
  return groupsOf([...shown, ...chosen], language).map((group) => ({
    ...group,
    isChosen: filter.groups.has(group.id),
  }));
}

/** The state of a calendar in a sentence, empty when all is as it should be. */
function sentenceOf(scene: Scene, supply: Supply, { view, hasSource }: Setting): string {
  const { trouble, holding } = supply;
  const { language } = scene;
  // A board that has ever had shifts says itself how old they are.
  if (view === 'now' && holding !== undefined) return '';
  if (trouble === 'error') return language.say('error');
  if (!hasSource) return language.say('no_source');
  if (holding === undefined || !scene.isLoaded) return language.say('loading');
  if (trouble === 'stale') return language.say('stale', { time: language.clock(holding.loadedMs) });
  if (holding.isCut) return language.say('too_many', { count: MAX_SHIFTS });
  if (scene.days.size > 0) return '';
  if (scene.allDays.size > 0) return language.say('no_match');
  return emptySentence(withinBounds(scene.range, holding.bounds), language);
}
