import type { Shift, ShiftFilter } from './api.ts';
import { askPage } from './ask.ts';
import { type Memory, makeMemory } from './memory.ts';
import { readOptions, type Settings, type ShiftfeedClientOptions } from './options.ts';
import type { ShiftPage } from './page.ts';
import { writeQuery } from './query.ts';
import { checkOnChange, type OnChange, readAlong, readWhole } from './reading.ts';

export interface ListOptions {
  /** Ends the reading, waits included, with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions extends ListOptions {
  /** What to do when the shifts change while their pages are read. Default `restart`. */
  readonly onChange?: OnChange;
}

/** Reads the shifts of one account. */
export class ShiftfeedClient {
  // Private fields are in no log and no JSON: the token is among them.
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
    { signal, onChange = 'restart' }: ReadOptions = {},
  ): AsyncGenerator<ShiftPage, void> {
    if ('page' in filter)
      throw new TypeError('The filter names a page, but all pages are read: use list for one.');
    // A filter that is wrong is told here, and not when the first page is asked for.
    writeQuery(filter);
    checkOnChange(onChange);
    const ask = (page: number) => this.list({ ...filter, page }, { signal });
    return onChange === 'restart' ? this.#collected(ask, signal) : readAlong(ask, onChange);
  }

  /** The shifts of all pages, one by one. */
  all(filter: Omit<ShiftFilter, 'page'> = {}, options: ReadOptions = {}): AsyncGenerator<Shift, void> {
    return shiftsOf(this.pages(filter, options));
  }

  async *#collected(
    ask: (page: number) => Promise<ShiftPage>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ShiftPage, void> {
    const { maxCollectedShifts, backoffMs } = this.#settings;
    yield* await readWhole(ask, maxCollectedShifts, backoffMs, signal);
  }
}

async function* shiftsOf(pages: AsyncIterable<ShiftPage>): AsyncGenerator<Shift, void> {
  for await (const { shifts } of pages) yield* shifts;
}
