/**
 * `<shift-calendar>`: shows the shifts of a source as a list, a week or a month. Attributes say what to show, and
 * change when the visitor goes elsewhere. Every change runs through `#update`, which shows what is held and asks for
 * what is missing.
 */

import { addDays, type Day, dateOf, dayOf } from '@shiftfeed/common/days';
import { todayIn } from '@shiftfeed/common/zone';
import { readAnswer } from './answer.ts';
import { readGroupIds, readMessages } from './attributes.ts';
import { stylesheet } from './dom.ts';
import { showFrame } from './frame.ts';
import { covers, type Holding, holdAnswer, startsToAsk } from './holding.ts';
import { type Language, speak } from './language.ts';
import { makeListPane } from './list-pane.ts';
import { dayOfStop, type Pane, type Scene, stopOf, stopsIn } from './pane.ts';
import { type DayRange, placeShifts } from './placement.ts';
import {
  growEarlier,
  growLater,
  rangeOfGrid,
  searchFurther,
  startOfList,
  turnPage,
  VIEW_NAMES,
  type ViewName,
} from './range.ts';
import { makeShell } from './shell.ts';
import { placedOf, toggleDetails } from './shift-row.ts';
import { inSlices } from './slices.ts';
import { askSource, type ShiftSource, sourceAt } from './source.ts';
import { sentenceOf, type Trouble } from './state.ts';
import { enterStop, nearestStop, settleStops } from './stops.ts';
import { STYLES } from './styles.ts';
import { isSameTime, visitorZone } from './visitor-zone.ts';

declare global {
  interface HTMLElementTagNameMap {
    'shift-calendar': ShiftCalendar;
  }
}

export type { CalendarShift, SourceAnswer } from './answer.ts';
export type { CalendarPlace, ShiftCalendarEventMap, ShiftCalendarProps } from './element-types.ts';
export type { ShiftSource, SourceRequest } from './source.ts';

/** A tab that is seen again is brought up to date when its shifts are older than this. */
const FRESH_MS = 60_000;
/** A tab that stays in sight, such as a screen on a wall, is brought up to date this often. */
const REFRESH_MS = 10 * 60_000;

/** Servers that render a page import its scripts, too. They have no elements: nothing is registered there. */
const BaseElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

export class ShiftCalendar extends BaseElement {
  static readonly observedAttributes = ['src', 'view', 'date', 'group-ids', 'locale', 'messages'];

  readonly #shell = makeShell();
  readonly #shadow: ShadowRoot;
  readonly #styles = stylesheet(STYLES);
  #source: ShiftSource | undefined;
  #language: Language = speak({ chosen: 'en', page: null, visitor: [] }, {});
  #view: Pane | undefined;
  #viewName: ViewName | undefined;
  #scene: Scene | undefined;
  #holding: Holding | undefined;
  /** The days of the list, once it has grown. */
  #listRange: DayRange | undefined;
  #unfolded = new Set<string>();
  #trouble: Trouble = 'none';
  /** The end of the list at which something is awaited or went wrong. */
  #isAtEnd = false;
  #loading: AbortController | undefined;
  #showing = new AbortController();
  #isUpdateDue = false;
  #isFilling = false;
  /** Where focus goes when the day is there. */
  #wantedFocus: { readonly day: Day; readonly group: number } | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.#shadow = this.attachShadow({ mode: 'open' });
    this.#shadow.adoptedStyleSheets = [this.#styles];
    this.#shadow.append(this.#shell.root);
    this.#listen();
  }

  /** A function that gives shifts, in the place of `src`. */
  get source(): ShiftSource | undefined {
    return this.#source;
  }
  set source(source: ShiftSource | null | undefined) {
    this.#source = source ?? undefined;
    this.#forget();
  }

  get view(): ViewName {
    return VIEW_NAMES.find((name) => name === this.getAttribute('view')) ?? 'list';
  }
  set view(view: ViewName) {
    this.setAttribute('view', view);
  }

  /** The day that is seen, such as 2026-11-15. */
  get date(): string {
    return dateOf(this.#date());
  }
  set date(date: string) {
    this.setAttribute('date', date);
  }

  /** Asks the source again. Resolves when its answer is shown, or when it failed and the calendar says so. */
  async refresh(): Promise<void> {
    const range = this.#range();
    await this.#load(startsToAsk(undefined, range), range);
  }

  connectedCallback(): void {
    this.#takeEarlyProperties();
    document.addEventListener('visibilitychange', this.#onSeen);
    window.addEventListener('online', this.#onSeen);
    this.#timer = setInterval(this.#onSeen, REFRESH_MS);
    this.#speak();
    this.#scheduleUpdate();
  }

  disconnectedCallback(): void {
    document.removeEventListener('visibilitychange', this.#onSeen);
    window.removeEventListener('online', this.#onSeen);
    clearInterval(this.#timer);
    this.#loading?.abort();
    this.#loading = undefined;
    this.#showing.abort();
  }

  attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    if (old === value) return;
    if (name === 'src' || name === 'group-ids') this.#forget();
    if ((name === 'locale' || name === 'messages') && this.isConnected) this.#speak();
    if (name === 'date') this.#listRange = undefined;
    this.#scheduleUpdate();
  }

  /** What a page set before this script had loaded are plain properties, which hide the real ones. */
  #takeEarlyProperties(): void {
    for (const name of ['source', 'view', 'date'] as const) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete (this as Partial<Record<typeof name, unknown>>)[name];
      Object.assign(this, { [name]: value });
    }
  }

  #listen(): void {
    const { body, previous, today, next, views, earlier, later, status, endStatus } = this.#shell;
    previous.addEventListener('click', () => this.#turnPage(-1));
    next.addEventListener('click', () => this.#turnPage(1));
    today.addEventListener('click', () => {
      if (this.view === 'list') this.#wantedFocus = { day: this.#today(), group: 0 };
      this.#goTo(this.#today());
    });
    for (const name of VIEW_NAMES)
      views[name].addEventListener('click', () => this.#navigate(() => this.setAttribute('view', name)));
    earlier.addEventListener('click', () => void this.#grow(growEarlier, false));
    later.addEventListener('click', () => void this.#grow(growLater, true));
    for (const { retry } of [status, endStatus]) retry.addEventListener('click', () => void this.#retry());
    body.addEventListener('click', (event) => this.#choose(event));
    body.addEventListener('keydown', (event) => this.#pressKey(event));
    body.addEventListener('focusin', ({ target }) => {
      const group = this.#view?.groups.find((group) => group.contains(target as Node));
      const stop = stopOf(target);
      if (group !== undefined && stop !== undefined) enterStop(group, stop);
    });
  }

  readonly #onSeen = (): void => {
    const isOld = Date.now() - (this.#holding?.loadedMs ?? 0) >= FRESH_MS;
    if (!document.hidden && this.#loading === undefined && isOld) void this.refresh();
  };

  #speak(): void {
    const chosen = this.getAttribute('locale');
    const page = this.closest('[lang]')?.getAttribute('lang') ?? null;
    const own = readMessages(this.getAttribute('messages'));
    this.#language = speak({ chosen, page, visitor: navigator.languages }, own);
    this.#shell.label(this.#language);
    // Whatever is shown is in the other language.
    this.#viewName = undefined;
  }

  /** Lets go of all shifts: those that come are of another source. */
  #forget(): void {
    this.#loading?.abort();
    this.#loading = undefined;
    this.#holding = undefined;
    this.#listRange = undefined;
    this.#unfolded.clear();
    this.#trouble = 'none';
    this.#scheduleUpdate();
  }

  /** Several attributes that change at once cause one update. */
  #scheduleUpdate(): void {
    if (this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    queueMicrotask(() => {
      this.#isUpdateDue = false;
      if (this.isConnected) void this.#update();
    });
  }

  async #update(): Promise<void> {
    if (!(await this.#openView()) || !this.isConnected) return;
    // What could not be loaded may be something else than what is seen now.
    if (this.#trouble === 'error') this.#trouble = 'none';
    this.#show();
    const wanted = this.#range();
    if (!this.#isHeld(wanted)) {
      await this.#load(startsToAsk(this.#holding, wanted), wanted);
    } else if (this.#loading !== undefined) {
      // What is under way was for days that are no longer looked at.
      this.#loading.abort();
      this.#loading = undefined;
    }
  }

  /**
   * Puts the view in place that is asked for. Grids come with a script of their own. False if it is no longer wanted by
   * then.
   */
  async #openView(): Promise<boolean> {
    const name = this.view;
    if (this.#viewName === name) return true;
    let view: Pane;
    if (name === 'list') {
      view = makeListPane();
    } else {
      try {
        const grids = await import('./grids.ts');
        view = grids.makeGrid(name);
        this.#shadow.adoptedStyleSheets = [this.#styles, stylesheet(grids.GRID_STYLES)];
      } catch {
        this.#trouble = 'error';
        this.#sayState();
        return false;
      }
      if (this.view !== name) return false;
    }
    this.#view = view;
    this.#viewName = name;
    this.#unfolded.clear();
    this.#isAtEnd = false;
    this.#shell.body.replaceChildren(view.element);
    return true;
  }

  /** Asks for some days, so that those that are wanted can be shown. Whatever was asked before is given up. */
  async #load(asked: DayRange, wanted: DayRange): Promise<void> {
    this.#loading?.abort();
    const source = this.#sourceInUse();
    if (source === undefined) return;
    const loading = new AbortController();
    this.#loading = loading;
    if (this.#trouble === 'error') this.#trouble = 'none';
    this.#sayState();
    try {
      const groupIds = readGroupIds(this.getAttribute('group-ids'));
      const dates = { from: dateOf(asked.from), to: dateOf(asked.to) };
      const given = await askSource(source, { ...dates, groupIds, signal: loading.signal });
      if (loading.signal.aborted) return;
      const answer = readAnswer(given, groupIds);
      this.#holding = holdAnswer(this.#holding, answer, asked, wanted, Date.now());
      this.#trouble = 'none';
      this.#loading = undefined;
    } catch (error) {
      if (loading.signal.aborted) return;
      this.#trouble = this.#isHeld(this.#range()) ? 'stale' : 'error';
      this.#loading = undefined;
      // That a network fails is no news to whoever wrote the page. That an answer is wrong is.
      if (error instanceof RangeError) reportError(error);
      this.#show();
      return;
    }
    await this.#settle();
  }

  /** An answer may tell that it is another day where the shifts are, or that one has to look further for a shift. */
  async #settle(): Promise<void> {
    const range = this.#range();
    const { bounds, shifts } = this.#holding ?? { bounds: {}, shifts: [] };
    const isEmpty = placeShifts(shifts, range).size === 0;
    const further = isEmpty && this.view === 'list' && searchFurther(range);
    if (further && (bounds.last === undefined || bounds.last > range.to)) this.#listRange = further;
    await this.#update();
  }

  #sourceInUse(): ShiftSource | undefined {
    const src = this.getAttribute('src');
    return this.#source ?? (src === null || src === '' ? undefined : sourceAt(src));
  }

  #isHeld(wanted: DayRange): boolean {
    return this.#holding !== undefined && covers(this.#holding, wanted);
  }

  #timeZone(): string {
    return this.#holding?.timeZone ?? visitorZone();
  }

  #today(): Day {
    return todayIn(this.#timeZone(), Date.now());
  }

  #date(): Day {
    return dayOf(this.getAttribute('date') ?? '') ?? this.#today();
  }

  /** The days that are seen. */
  #range(): DayRange {
    const { view } = this;
    if (view === 'list') return this.#listRange ?? startOfList(this.#date());
    return rangeOfGrid(view, this.#date(), this.#language.firstWeekday);
  }

  /** Shows what is held. */
  #show(): void {
    const range = this.#range();
    const timeZone = this.#timeZone();
    const scene: Scene = {
      language: this.#language,
      timeZone,
      isForeignZone: !isSameTime(timeZone, visitorZone(), Date.now()),
      today: this.#today(),
      date: this.#date(),
      range,
      days: placeShifts(this.#holding?.shifts ?? [], range),
      isLoaded: this.#isHeld(range),
      unfolded: this.#unfolded,
    };
    this.#scene = scene;
    showFrame(this.#shell, this.view, scene, this.#holding);
    this.#sayState();
    this.#showing.abort();
    this.#showing = new AbortController();
    if (this.#view !== undefined) void this.#fill(this.#view, scene, this.#showing.signal);
  }

  /** Fills the view, and keeps focus where it is. */
  async #fill(view: Pane, scene: Scene, signal: AbortSignal): Promise<void> {
    const focused = stopOf(this.#shadow.activeElement);
    const name = focused?.dataset.stop;
    const work = inSlices(view.update(scene), signal);
    const place = () => {
      for (const group of view.groups) settleStops(group, scene.date);
      const isLost = focused !== undefined && (!focused.isConnected || focused.dataset.stop !== name);
      if (this.#wantedFocus === undefined && isLost) this.#refocus(view, focused, name);
      this.#focusWanted(view);
    };
    this.#isFilling = true;
    place();
    await work;
    if (signal.aborted) return;
    this.#isFilling = false;
    place();
  }

  /** Focus was on something that is no longer there: it goes to what took its place. */
  #refocus(view: Pane, lost: HTMLElement, name: string | undefined): void {
    const { activeElement } = this.#shadow;
    if (activeElement !== null && activeElement !== lost) return;
    const stops = view.groups.flatMap(stopsIn);
    const same = stops.find((stop) => stop.dataset.stop === name);
    const group = view.groups[0];
    (same ?? (group && nearestStop(group, dayOfStop(lost))))?.focus({ preventScroll: true });
  }

  /** While the view is being filled, only the day itself gets focus, unless nothing has it: then keys would be lost. */
  #focusWanted(view: Pane): void {
    const wanted = this.#wantedFocus;
    if (wanted === undefined) return;
    const group = view.groups[wanted.group];
    const stop = group && nearestStop(group, wanted.day);
    if (stop === undefined) return;
    const isThere = dayOfStop(stop) === wanted.day;
    if (isThere || !this.#isFilling || this.#shadow.activeElement === null) stop.focus();
    if (isThere || (!this.#isFilling && this.#scene?.isLoaded)) this.#wantedFocus = undefined;
  }

  /** The state of things in a sentence, where the visitor looks for it. */
  #sayState(): void {
    const { status, endStatus, body } = this.#shell;
    const [here, there] = this.#isAtEnd ? [endStatus, status] : [status, endStatus];
    const sentence = sentenceOf({
      language: this.#language,
      trouble: this.#trouble,
      hasSource: this.#sourceInUse() !== undefined,
      scene: this.#scene,
      holding: this.#holding,
    });
    here.say(sentence, this.#trouble !== 'none');
    there.say('');
    body.setAttribute('aria-busy', String(this.#loading !== undefined));
  }

  /** Goes to a day, and with it to the week or month that it is in. */
  #goTo(day: Day): void {
    this.#navigate(() => {
      if (day === this.#today()) this.removeAttribute('date');
      else if (this.#isWithinBounds(day)) this.setAttribute('date', dateOf(day));
      else this.#wantedFocus = undefined;
    });
    this.#scheduleUpdate();
  }

  /** Takes the visitor elsewhere, and tells the page if that is another view or another day. */
  #navigate(go: () => void): void {
    const before = [this.view, this.date].join();
    go();
    const { view, date } = this;
    if ([view, date].join() === before) return;
    const init = { detail: { view, date }, bubbles: true, composed: true };
    this.dispatchEvent(new CustomEvent('shift-calendar-navigate', init));
  }

  #isWithinBounds(day: Day): boolean {
    const { view } = this;
    if (view === 'list') return true;
    const { from, to } = rangeOfGrid(view, day, this.#language.firstWeekday);
    const { first = from, last = to } = this.#holding?.bounds ?? {};
    return to >= first && from <= last;
  }

  #turnPage(pages: number): void {
    const { view } = this;
    const button = pages < 0 ? this.#shell.previous : this.#shell.next;
    if (view !== 'list' && button.ariaDisabled !== 'true') this.#goTo(turnPage(view, this.#date(), pages));
  }

  /** Lets the list reach further, and takes whoever pressed the button by key to what is new. */
  async #grow(grow: (range: DayRange) => DayRange, isAtEnd: boolean): Promise<void> {
    const button = isAtEnd ? this.#shell.later : this.#shell.earlier;
    const hadFocus = this.#shadow.activeElement === button;
    const before = this.#range();
    this.#listRange = grow(before);
    this.#isAtEnd = isAtEnd;
    await this.#update();
    if (!hadFocus || this.#trouble !== 'none') return;
    this.#wantedFocus = { day: isAtEnd ? addDays(before.to, 1) : this.#range().from, group: 0 };
    if (this.#view !== undefined) this.#focusWanted(this.#view);
  }

  async #retry(): Promise<void> {
    if (this.#trouble === 'stale') await this.refresh();
    else await this.#update();
  }

  /** A click, or Enter, on a shift or on a day. */
  #choose(event: MouseEvent): void {
    const stop = stopOf(event.target);
    if (stop === undefined || this.#scene === undefined) return;
    const placed = placedOf(stop, this.#scene);
    if (placed === undefined) {
      if (!stop.part.contains('day-button')) return;
      // Keys click, too, and their clicks are not counted.
      if (event.detail === 0) this.#wantedFocus = { day: dayOfStop(stop), group: 1 };
      this.#goTo(dayOfStop(stop));
      return;
    }
    const init = { detail: placed.shift, bubbles: true, composed: true, cancelable: true };
    if (!this.dispatchEvent(new CustomEvent('shift-select', init))) return;
    const key = stop.dataset.stop ?? '';
    if (toggleDetails(stop, placed.shift, this.#scene)) this.#unfolded.add(key);
    else this.#unfolded.delete(key);
  }

  #pressKey(event: KeyboardEvent): void {
    const stop = stopOf(event.target);
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey;
    if (stop === undefined || this.#view === undefined || this.#scene === undefined || !isPlain) return;
    const key = keyTowards(event.key, this.#language.direction);
    const day = this.#wantedFocus?.day ?? dayOfStop(stop);
    const target = this.#view.move(key, stop, day, this.#scene);
    if (target === undefined) return;
    event.preventDefault();
    if (typeof target !== 'number') {
      this.#wantedFocus = undefined;
      target.focus();
    } else {
      this.#wantedFocus = { day: target, group: 0 };
      this.#goTo(target);
    }
  }
}

const MIRRORED: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' };

/** Keys by where they lead: "right" is forward, also where forward is left. */
function keyTowards(key: string, direction: 'ltr' | 'rtl'): string {
  if (key === 'T') return 't';
  return direction === 'rtl' ? (MIRRORED[key] ?? key) : key;
}

if (globalThis.customElements?.get('shift-calendar') === undefined) {
  globalThis.customElements?.define('shift-calendar', ShiftCalendar);
}
