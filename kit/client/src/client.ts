import type { ShiftPage } from './answer.ts';
import type { Shift, ShiftFilter } from './api.ts';
import { askPage, type Memory, makeMemory, writeQuery } from './ask.ts';
import { readCount, readOptions, type Settings, type ShiftfeedClientOptions } from './options.ts';
import { StateReader } from './reader.ts';
import { checkOnChange, type OnChange, openSource, readAlong } from './source.ts';
import { listeningPause, type ShiftChanges, watchListing } from './watch.ts';

export interface ListOptions {
  /** Aborts the reading, including waits, with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions extends ListOptions {
  /** What to do when the shifts change while their pages are read. Default `restart`. */
  readonly onChange?: OnChange;
  /** With `restart`: how long to keep trying after the first change if the shifts keep changing. Default 60,000. */
  readonly patienceMs?: number;
}

export interface WatchOptions extends ListOptions {
  /**
   * How long to wait before asking again whether something changed, where the server has no streams. At least 1,000.
   * Default 30,000.
   */
  readonly everyMs?: number;
}

const PATIENCE_MS = 60_000;
const EVERY_MS = 30_000;
const MIN_EVERY_MS = 1_000;

/** Reads the shifts of one account. */
export class ShiftfeedClient {
  // Private fields, so that the token appears in no log and no JSON.
  readonly #settings: Settings;
  readonly #memory: Memory;

  constructor(options: ShiftfeedClientOptions) {
    this.#settings = readOptions(options);
    this.#memory = makeMemory(this.#settings.memoryBytes);
  }

  /** One page: the first, unless the filter names another. */
  async list(filter: ShiftFilter = {}, { signal }: ListOptions = {}): Promise<ShiftPage> {
    return askPage(this.#settings, this.#memory, writeQuery(filter), signal);
  }

  /** All pages, in their order. There is at least one. */
  pages(
    filter: Omit<ShiftFilter, 'page'> = {},
    { signal, onChange = 'restart', patienceMs = PATIENCE_MS }: ReadOptions = {},
  ): AsyncGenerator<ShiftPage, void> {
    // A wrong filter throws here, and not when the first page is requested.
    checkFilterOfAll(filter);
    checkOnChange(onChange);
    readCount('patienceMs', patienceMs, 0);
    if (onChange === 'restart') return readAtOnce(this.#reader(filter, signal).state, patienceMs);
    return readAlong((page) => this.list({ ...filter, page }, { signal }), onChange);
  }

  /** The shifts of all pages, one by one. */
  all(filter: Omit<ShiftFilter, 'page'> = {}, options: ReadOptions = {}): AsyncGenerator<Shift, void> {
    return shiftsOf(this.pages(filter, options));
  }

  /**
   * Yields all shifts first, and then their changes, without an end. Each step is a state that the listing was in;
   * short-lived states may be skipped. Waits while the server is unavailable.
   */
  watch(
    filter: Omit<ShiftFilter, 'page'> = {},
    { signal, everyMs = EVERY_MS }: WatchOptions = {},
  ): AsyncGenerator<ShiftChanges, void> {
    checkFilterOfAll(filter);
    readCount('everyMs', everyMs, MIN_EVERY_MS);
    const { source, state } = this.#reader(filter, signal);
    return watchListing(source, state, everyMs, listeningPause(source, signal));
  }

  #reader(filter: ShiftFilter, signal: AbortSignal | undefined) {
    const source = openSource(this.#settings, this.#memory, filter, signal);
    return { source, state: new StateReader(source, this.#settings.backoffMs, signal) };
  }
}

function checkFilterOfAll(filter: ShiftFilter): void {
  if ('page' in filter)
    throw new TypeError('The filter names a page, but all pages are read: use list for one.');
  writeQuery(filter);
}

async function* shiftsOf(pages: AsyncIterable<ShiftPage>): AsyncGenerator<Shift, void> {
  for await (const { shifts } of pages) yield* shifts;
}

async function* readAtOnce(reader: StateReader, patienceMs: number): AsyncGenerator<ShiftPage, void> {
  yield* await reader.read(patienceMs);
}
