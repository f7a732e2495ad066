/**
 * The list of a page, as the calendar would draw it at first. It needs no script, and scripts take its place without
 * moving anything. What leads elsewhere is the address of a page.
 */

import {
  daysOfList,
  drawDay,
  drawEmptyDay,
  drawPlainShift,
  drawRows,
  MAP,
  type Sight,
} from '@shiftfeed/common/calendar/day';
import { type Drawing, draw, writeDrawing } from '@shiftfeed/common/calendar/drawing';
import { drawFrame, emptySentence, groupsOf, periodOf, QUIET } from '@shiftfeed/common/calendar/frame';
import { type DayRange, placeShifts, searchFurther, startOfList } from '@shiftfeed/common/calendar/range';
import { STYLES } from '@shiftfeed/common/calendar/styles';
import { addDays, type Day, formatDate, readDate } from '@shiftfeed/common/days';
import { type Narrowing, type VisibleFeed, writeNarrowing } from '../visible-feed.ts';
import type { Language } from './language.ts';

export interface PageAddresses {
  readonly stylesheet: string;
  /** The script of the calendar, if there is one. */
  readonly script: string | undefined;
  readonly frameScript: string;
  /** The page itself, without what narrows it. */
  readonly page: string;
  /** What it shows, as JSON. */
  readonly shifts: string;
  /** There is a stream beside it. */
  readonly isLive: boolean;
  /** The calendar of what the page shows, as a whole address. */
  readonly calendar: string;
}

export function writeList(visible: VisibleFeed, language: Language, addresses: PageAddresses): string {
  const { feed, shifts, narrowing, copy } = visible;
  const today = readDate(visible.today);
  const window = { from: readDate(visible.window.from), to: readDate(visible.window.to) };
  const date = narrowing.from === undefined ? today : window.from;
  const range = firstRange(visible, startOfList(date), window.to);
  const days = placeShifts(shifts, range);
  const hasScripts = addresses.script !== undefined;
  const sight: Sight = {
    language,
    timeZone: copy.timeZone,
    isForeignZone: false,
    today,
    days,
    isLoaded: true,
    isPage: true,
    hasColours: true,
    maps: MAP,
  };
  const seen = { from: Math.max(range.from, window.from) as Day, to: Math.min(range.to, window.to) as Day };
  const seenShifts = [...days.values()].flatMap((placed) => placed.map(({ shift }) => shift));
  const linkTo = (other: Partial<Narrowing>) =>
    `${addresses.page}${writeNarrowing({ ...narrowing, ...other })}`;
  const frame = drawFrame(
    {
      language,
      view: 'list',
      isPage: true,
      hasScripts,
      title: feed.title,
      period: periodOf('list', seen, date, language),
      zone: language.say('zone', { zone: language.zone(copy.timeZone) }),
      status: days.size === 0 ? { ...QUIET, sentence: emptySentence(seen, language) } : QUIET,
      endStatus: QUIET,
      isBusy: false,
      isFirst: false,
      isLast: false,
      earlier: range.from > window.from && linkTo({ from: visible.window.from }),
      later: range.to < window.to && linkTo({ from: formatDate(addDays(range.to, 1)) }),
      lastDay: seen.to,
      hasSearch: hasScripts,
      groups: groupsOf(seenShifts, language).map((group) => ({
        ...group,
        isChosen: false,
        href: linkTo({ groupIds: [group.id] }),
      })),
      subscribe: addresses.calendar,
      isCopied: false,
      hasFallback: false,
    },
    draw(
      'div',
      { part: 'list', 'data-days': `${range.from} ${range.to}` },
      ...daysOfList(days, today, range).map((day) => drawWholeDay(day, sight)),
    ),
  );
  return `<style>${STYLES}</style>${writeDrawing(frame)}`;
}

/** A list without a shift looks further ahead, as far as there is something. */
function firstRange({ shifts }: VisibleFeed, range: DayRange, last: Day): DayRange {
  if (range.to >= last || placeShifts(shifts, range).size > 0) return range;
  return searchFurther(range) ?? range;
}

function drawWholeDay(day: Day, sight: Sight): Drawing {
  const placed = sight.days.get(day) ?? [];
  const rows = placed.map((one) => drawPlainShift(one, sight));
  return drawDay(day, sight, rows.length === 0 ? drawEmptyDay(day, sight) : drawRows(day, ...rows));
}
