/**
 * `<shift-calendar>`: shows the shifts of a source as a list, a week or a month, or as a board. Attributes say what to
 * show, and change when the visitor goes elsewhere. Every change runs through `#update`, which shows what is held and asks for
 * what is missing.
 */

import { MAP } from '@shiftfeed/common/calendar/day';
import type { Frame } from '@shiftfeed/common/calendar/frame';
import { type Language, speak } from '@shiftfeed/common/calendar/language';
import {
  type DayRange,
  growEarlier,
  growLater,
  placeShifts,
  searchFurther,
  type ViewName,
} from '@shiftfeed/common/calendar/range';
import { STYLES } from '@shiftfeed/common/calendar/styles';
import { addDays, type Day, formatDate } from '@shiftfeed/common/days';
import type { CalendarShift } from './answer.ts';
import { openList } from './day-section.ts';
import { stylesheet } from './dom.ts';
import type { Filter } from './filter.ts';
import { type Focus, keepFocus } from './focus.ts';
import { listen } from './input.ts';
import { listenTo } from './live.ts';
import { tellMistake } from './mistakes.ts';
import { type Pane, type Scene, sceneNow, type View } from './pane.ts';
import { makePosition } from './position.ts';
import { frameOf, makeShell, type Shell } from './shell.ts';
import { type Rhythm, readersRhythm, type ShiftSource, Supply, sourceAt } from './supply.ts';

export type { CalendarShift as Shift, SourceAnswer } from './answer.ts';
export type { ShiftSource, SourceRequest } from './supply.ts';

/** Servers that render a page import its scripts, too. They have no elements: nothing is registered there. */
const BaseElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

export class ShiftCalendar extends BaseElement {
  static readonly observedAttributes = [
    'src',
    'view',
    'date',
    'group-ids',
    'locale',
    'messages',
    'legend',
    'search',
    'subscribe',
    'maps',
    'live',
  ];

  /** A page that is about this calendar alone has drawn it already. That is seen until there is something else to see. */
  readonly #isPage = this.shadowRoot !== null;
  readonly #shadow: ShadowRoot;
  readonly #styles = stylesheet(STYLES);
  readonly #supply = new Supply();
  readonly #position = makePosition(
    this,
    () => this.#supply.holding,
    () => this.#language.firstWeekday,
  );
  readonly #focus: Focus;
  readonly #unfolded = new Set<string>();
  readonly #filter: Filter = { text: '', groups: new Map() };
  #source: ShiftSource | undefined;
  #language: Language = speak({ chosen: 'en', page: null, visitor: [] }, {});
  #pane: Pane | undefined;
  /** What the pane shows. */
  #viewName: ViewName | undefined;
  #scene: Scene;
  readonly #shell: Shell;
  /** The end of the list at which something is awaited or went wrong. */
  #isAtEnd = false;
  #isCopied = false;
  #showing = new AbortController();
  #isUpdateDue = false;
  #endRhythm: (() => void) | undefined;
  /** The stream that is listened to. */
  #live: { readonly address: string; readonly end: () => void } | undefined;

  constructor() {
    super();
    this.#shadow = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    this.#shadow.adoptedStyleSheets = [this.#styles];
    this.#scene = this.#look();
    this.#shell = makeShell(this.#frame());
    if (!this.#isPage) this.#shadow.append(this.#shell.root);
    this.#focus = keepFocus(this.#shadow);
    listen({
      host: this,
      shell: this.#shell,
      position: this.#position,
      focus: this.#focus,
      unfolded: this.#unfolded,
      filter: this.#filter,
      pane: () => this.#pane,
      scene: () => this.#scene,
      goTo: (day) => {
        if (!this.#position.goTo(day)) this.#focus.wantNothing();
        this.#scheduleUpdate();
      },
      grow: (isAtEnd) => void this.#grow(isAtEnd),
      show: () => this.#show(),
      sayCopied: (isCopied) => {
        this.#isCopied = isCopied;
        this.#showFrame();
      },
      retry: () => void (this.#supply.trouble === 'stale' ? this.refresh() : this.#update()),
    });
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
    return this.#position.view();
  }
  set view(view: ViewName | null | undefined) {
    this.#setOrRemove('view', view);
  }

  /** The day that is seen, such as 2026-11-15. */
  get date(): string {
    return formatDate(this.#position.date());
  }
  set date(date: string | null | undefined) {
    this.#setOrRemove('date', date);
  }

  /** When the source last gave what is shown, in milliseconds since 1970. */
  get updatedMs(): number | undefined {
    return this.#supply.holding?.loadedMs;
  }

  /** Asks the source again. Resolves when its answer is shown, or when it failed and the calendar says so. */
  async refresh(): Promise<void> {
    this.#supply.isOutdated = true;
    await this.#load(this.#position.rangeToAsk());
  }

  connectedCallback(): void {
    this.#takeEarlyProperties();
    this.#speak();
    if (!this.#shell.root.isConnected) this.#position.reach(drawnRange(this.#shadow));
    this.#scheduleUpdate();
  }

  disconnectedCallback(): void {
    this.#endRhythm?.();
    this.#listen(undefined);
    this.#supply.giveUp();
    this.#showing.abort();
  }

  attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    if (old === value) return;
    if (name === 'src' || name === 'group-ids') this.#forget();
    if ((name === 'locale' || name === 'messages') && this.isConnected) this.#speak();
    if (name === 'date') this.#position.reach(undefined);
    // What is no longer shown must not leave out shifts.
    if (name === 'legend' && value === null) this.#filter.groups.clear();
    if (name === 'search' && value === null) this.#filter.text = '';
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

  #setOrRemove(name: string, value: string | null | undefined): void {
    if (value === null || value === undefined) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }

  #speak(): void {
    const chosen = this.getAttribute('locale');
    const page = this.closest('[lang]')?.getAttribute('lang') ?? null;
    const own = readMessages(this.getAttribute('messages'));
    this.#language = speak({ chosen, page, visitor: navigator.languages }, own);
    // Whatever is shown is in the other language.
    this.#viewName = undefined;
  }

  /** Lets go of all shifts: those that come are of another source. */
  #forget(): void {
    this.#supply.forget();
    this.#position.reach(undefined);
    this.#unfolded.clear();
    this.#filter.groups.clear();
    this.#scheduleUpdate();
  }

  /** Several attributes that change at once cause one update. */
  #scheduleUpdate(): void {
    if (this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    queueMicrotask(() => {
      this.#isUpdateDue = false;
      void this.#update();
    });
  }

  async #update(): Promise<void> {
    // Nobody would end what an element listens to that is on no page.
    if (!this.isConnected) return;
    const supply = this.#supply;
    this.#listen(this.hasAttribute('live') ? liveAddress(this) : undefined);
    if (!(await this.#openView()) || !this.isConnected) return;
    // What could not be loaded may be something else than what is seen now.
    if (supply.trouble === 'error') supply.trouble = 'none';
    const wanted = this.#position.rangeToAsk();
    const isThere = supply.isHeld(wanted) && !supply.isOutdated;
    // What is under way was for days that are no longer looked at.
    if (isThere) supply.giveUp();
    this.#show();
    if (!isThere) await this.#load(wanted);
  }

  /** Puts the pane in place that shows the view. False if it is no longer wanted when its script has come. */
  async #openView(): Promise<boolean> {
    const name = this.view;
    if (this.#viewName === name) return true;
    const view = await openView(name).catch(() => undefined);
    if (this.view !== name || !this.isConnected) return false;
    if (view === undefined) {
      this.#supply.trouble = 'error';
      this.#showFrame();
      this.#takeOver();
      this.#follow(readersRhythm);
      return false;
    }
    this.#pane = view.pane;
    this.#viewName = name;
    this.#unfolded.clear();
    this.#isAtEnd = false;
    this.#shadow.adoptedStyleSheets = [this.#styles, stylesheet(view.styles ?? '')];
    this.#shell.body.replaceChildren(view.pane.element);
    this.#follow(view.rhythm ?? readersRhythm);
    return true;
  }

  #listen(address: string | undefined): void {
    if (this.#live?.address === address) return;
    this.#live?.end();
    const show = async () => {
      await this.refresh();
      return this.#supply.trouble === 'none' && !this.#supply.isOutdated;
    };
    this.#live = address ? { address, end: listenTo(address, show) } : undefined;
  }

  #follow(rhythm: Rhythm): void {
    this.#endRhythm?.();
    this.#endRhythm = rhythm(this.#supply, { show: () => this.#show(), refresh: () => this.refresh() });
  }

  async #load(wanted: DayRange): Promise<void> {
    const source = this.#sourceInUse();
    if (source === undefined) return this.#supply.giveUp();
    const request = { source, groupIds: this.getAttribute('group-ids') };
    const loading = this.#supply.load(request, wanted, this.#position.range);
    this.#showFrame();
    const outcome = await loading;
    if (outcome === 'failed') this.#show();
    if (outcome === 'answered') await this.#settle();
  }

  /** An answer may tell that it is another day where the shifts are, or that one has to look further for a shift. */
  async #settle(): Promise<void> {
    const range = this.#position.range();
    const { bounds, shifts } = this.#supply.holding ?? { bounds: {}, shifts: [] };
    const isEmpty = placeShifts(shifts, range).size === 0;
    const further = isEmpty && this.view === 'list' && searchFurther(range);
    if (further && (bounds.last === undefined || bounds.last > range.to)) this.#position.reach(further);
    await this.#update();
  }

  #sourceInUse(): ShiftSource | undefined {
    const src = this.getAttribute('src');
    return (
      this.#source ?? (src === null || src === '' ? undefined : sourceAt(src, this.hasAttribute('live')))
    );
  }

  /** Shows what is held. */
  #show(): void {
    const drawn = this.#shadow.querySelectorAll<HTMLElement>('details[open] > [data-stop]');
    for (const { dataset } of drawn) this.#unfolded.add(dataset.stop ?? '');
    this.#scene = this.#look();
    this.#showFrame();
    this.#showing.abort();
    this.#showing = new AbortController();
    void this.#fill(this.#scene, this.#showing.signal);
  }

  async #fill(scene: Scene, signal: AbortSignal): Promise<void> {
    if (this.#pane !== undefined) await this.#focus.fill(this.#pane, scene, signal);
    const isSettled = scene.isLoaded || this.#supply.trouble !== 'none' || !this.#supply.isLoading();
    if (isSettled && !signal.aborted) this.#takeOver();
  }

  /** Takes the place of what the page drew, with its focus. Without shifts, what it drew stays to be seen. */
  #takeOver(): void {
    const { root, find } = this.#shell;
    if (root.isConnected) return;
    const focused = this.#shadow.activeElement?.getAttribute('data-stop');
    const drawn = this.#shadow.querySelector('[part~="body"]')?.childNodes ?? [];
    if (this.#supply.holding === undefined) find('fallback').append(...drawn);
    this.#shadow.replaceChildren(root);
    root.querySelector<HTMLElement>(`[data-stop="${focused}"]`)?.focus({ preventScroll: true });
  }

  #look(): Scene {
    const look = {
      isPage: this.#isPage,
      hasColours: this.hasAttribute('legend'),
      maps: this.hasAttribute('maps') ? readAddress(this.getAttribute('maps') || MAP) : undefined,
    };
    return sceneNow(this.#position, this.#supply, this.#language, this.#unfolded, this.#filter, look);
  }

  /** Brings up to date what surrounds the days. */
  #showFrame(): void {
    this.#shell.show(this.#frame());
  }

  #frame(): Frame {
    return frameOf(this.#scene, this.#supply, {
      view: this.view,
      hasSource: this.#sourceInUse() !== undefined,
      hasLegend: this.hasAttribute('legend'),
      hasSearch: this.hasAttribute('search'),
      subscribe: readAddress(this.getAttribute('subscribe')),
      isCopied: this.#isCopied,
      isAtEnd: this.#isAtEnd,
    });
  }

  /** Lets the list reach further, and takes whoever pressed the button by key to what is new. */
  async #grow(isAtEnd: boolean): Promise<void> {
    const position = this.#position;
    const button = this.#shell.find(isAtEnd ? 'later' : 'earlier');
    const hadFocus = this.#shadow.activeElement === button;
    const before = position.range();
    position.reach(isAtEnd ? growLater(before) : growEarlier(before));
    this.#isAtEnd = isAtEnd;
    await this.#update();
    if (!hadFocus || this.#supply.trouble !== 'none') return;
    this.#focus.want(isAtEnd ? addDays(before.to, 1) : position.range().from, 0);
    if (this.#pane !== undefined) this.#focus.settle(this.#pane, this.#scene);
  }
}

if (globalThis.customElements?.get('shift-calendar') === undefined) {
  globalThis.customElements?.define('shift-calendar', ShiftCalendar);
}

/** Grids and the board come with scripts of their own. Rejects when one cannot be loaded. */
async function openView(name: ViewName): Promise<View> {
  if (name === 'list') return openList();
  if (name === 'now') return (await import('./board.ts')).openBoard();
  return (await import('./grids.ts')).openGrid(name);
}

/** The days of a list that the page drew. */
function drawnRange(shadow: ShadowRoot): DayRange | undefined {
  const days = shadow.querySelector<HTMLElement>('[data-days]')?.dataset.days;
  const [from, to] = (days ?? '').split(' ').map(Number);
  return from && to ? { from: from as Day, to: to as Day } : undefined;
}

/** What a page was given by others may be no address of the web, and must not become a script. */
function readAddress(text: string | null): string | undefined {
  if (text === null || text === '') return undefined;
  try {
    const { href, protocol } = new URL(text.replace(/^webcal:/, 'https:'), document.baseURI);
    return protocol === 'https:' || protocol === 'http:' ? href : undefined;
  } catch {
    return undefined;
  }
}

/** Beside that of the shifts, unless the page names another. */
function liveAddress(calendar: HTMLElement): string | undefined {
  const src = calendar.getAttribute('src')?.split('?')[0] ?? '';
  const beside = src.endsWith('/shifts') ? src.replace(/shifts$/, 'live') : null;
  const address = readAddress(calendar.getAttribute('live') || beside);
  if (address === undefined)
    tellMistake(
      'live has no address: expected a src that ends with /shifts, or live="https://…/kitchen/live".',
    );
  return address;
}

function readMessages(text: string | null): Readonly<Record<string, unknown>> {
  if (text === null) return {};
  try {
    return Object(JSON.parse(text));
  } catch {
    tellMistake('messages is not JSON: expected an object such as {"today": "Hoy"}.');
    return {};
  }
}

/** Where the visitor went. */
export interface CalendarPlace {
  readonly view: ViewName;
  /** Such as 2026-11-15. */
  readonly date: string;
}

export interface ShiftCalendarEventMap {
  /** A shift was chosen. It is told just as the source gave it. */
  'shift-select': CustomEvent<CalendarShift>;
  'shift-calendar-navigate': CustomEvent<CalendarPlace>;
}

/** What JSX may give to the element: its attributes, the property `source`, and listeners. */
export interface ShiftCalendarProps {
  readonly src?: string | undefined;
  readonly view?: ViewName | undefined;
  readonly date?: string | undefined;
  readonly 'group-ids'?: string | undefined;
  readonly locale?: string | undefined;
  /** As JSON. */
  readonly messages?: string | undefined;
  readonly legend?: '' | undefined;
  readonly search?: '' | undefined;
  /** The address of a calendar. */
  readonly subscribe?: string | undefined;
  /** The address of a map, or empty. */
  readonly maps?: string | undefined;
  /** The address of a stream, or empty for the one beside `src`. */
  readonly live?: string | undefined;
  readonly source?: ShiftSource | undefined;
  readonly 'onshift-select'?: Listener<'shift-select'> | undefined;
  readonly 'onshift-calendar-navigate'?: Listener<'shift-calendar-navigate'> | undefined;
}

type Listener<Name extends keyof ShiftCalendarEventMap> = (event: ShiftCalendarEventMap[Name]) => void;

declare global {
  interface HTMLElementTagNameMap {
    'shift-calendar': ShiftCalendar;
  }
  interface GlobalEventHandlersEventMap extends ShiftCalendarEventMap {}
}

/** As HTML has them, such as `group-ids`: no functions. */
export type Attributes = Omit<ShiftCalendarProps, 'source' | `on${string}`>;

/** As components have them, such as `groupIds`. */
export type CamelAttributes = {
  readonly [Name in keyof Attributes as Camel<Name>]: Attributes[Name];
};

type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
