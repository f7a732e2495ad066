/**
 * Lets time fly in a page: its clock and its timers are the test's, and its network can be taken away. Between two
 * timers, all answers arrive, so that a simulated minute is the same on a fast machine and on a slow one.
 */

import type { Page } from 'playwright-core';

/** `refused`: nobody listens. `error`: a proxy answers in its place. `hangs`: there is never an answer. */
export type Network = 'fine' | 'refused' | 'error' | 'hangs';

/** What a board shows at a simulated minute. */
export interface SeenMinute {
  readonly nowMs: number;
  /** When an answer last arrived. */
  readonly answeredMs: number;
  readonly title: string;
  readonly date: string;
  readonly clock: string;
  readonly state: string;
  /** What is read aloud. */
  readonly spoken: string;
  /** Heading, then lines. */
  readonly sections: readonly (readonly string[])[];
}

export async function installTimeMachine(page: Page, startMs: number): Promise<void> {
  await page.addInitScript({ content: `(${machine})(${startMs});` });
}

/** Runs so many minutes, and tells what was seen in each. */
export async function runMinutes(
  page: Page,
  minutes: number,
  network: Network = 'fine',
): Promise<SeenMinute[]> {
  return page.evaluate(`timeMachine.run(${minutes}, '${network}')`);
}

/** The computer sleeps: when it wakes, the clock has moved, and timers have not run. */
export async function sleepUntil(page: Page, ms: number): Promise<void> {
  await page.evaluate(`timeMachine.sleepUntil(${ms})`);
}

/** How often the board asked since the last time that this was asked. */
export async function countRequests(page: Page): Promise<number> {
  return page.evaluate('timeMachine.countRequests()');
}

/** As much of the page as is looked at: tests are compiled without browsers. */
interface Host {
  readonly shadowRoot: Found;
}
interface Found {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): Found | null;
  querySelectorAll(selector: string): Iterable<Found>;
}

/** Runs in the page. */
function machine(startMs: number): void {
  const scope = globalThis as unknown as Record<string, unknown> & typeof globalThis;
  const { Date: RealDate, fetch: realFetch, setTimeout: realTimeout, clearTimeout: realClear } = globalThis;
  type Timer = { atMs: number; everyMs: number; call: () => void };
  const timers = new Map<number, Timer>();
  let nowMs = startMs;
  let lastId = 1_000_000;
  let network = 'fine';
  const underWay = new Set<Promise<unknown>>();
  let known = { url: '', body: '' };
  let requests = 0;
  let answeredMs = Number.NEGATIVE_INFINITY;

  scope.Date = class extends RealDate {
    constructor(...args: []) {
      super(...(args.length === 0 ? ([nowMs] as unknown as []) : args));
    }
    static override now = () => nowMs;
  } as DateConstructor;

  const add = (call: () => void, ms: number, everyMs: number) => {
    timers.set(++lastId, { atMs: nowMs + ms, everyMs, call });
    return lastId;
  };
  const remove = (id: number) => {
    if (!timers.delete(id)) realClear(id);
  };
  scope.setInterval = ((call: () => void, ms: number) => add(call, ms, ms)) as never;
  // What is due at once only lets the browser breathe.
  scope.setTimeout = ((call: () => void, ms = 0) =>
    ms === 0 ? realTimeout(call, 0) : add(call, ms, 0)) as never;
  scope.clearTimeout = remove as never;
  scope.clearInterval = remove as never;

  const realDeadline = AbortSignal.timeout;
  AbortSignal.timeout = (ms) => {
    if (network !== 'hangs') return realDeadline.call(AbortSignal, ms);
    const deadline = new AbortController();
    add(() => deadline.abort(), ms, 0);
    return deadline.signal;
  };
  scope.fetch = async (input, init) => {
    requests++;
    if (network === 'refused') throw new TypeError('Failed to fetch');
    if (network === 'hangs') {
      return new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    }
    if (network === 'error') return new Response('Bad gateway', { status: 502 });
    // The same question has the same answer all day.
    if (String(input) !== known.url) {
      const reading = realFetch(input, init).then((response) => response.text());
      underWay.add(reading);
      known = { url: String(input), body: await reading.finally(() => underWay.delete(reading)) };
    }
    answeredMs = nowMs;
    return new Response(known.body);
  };

  const { document } = scope as unknown as { document: { querySelector(selector: string): Host | null } };
  const root = () => document.querySelector('shift-calendar')?.shadowRoot;
  // A timer would take some milliseconds each time.
  const { port1, port2 } = new MessageChannel();
  const breathe = () =>
    new Promise<void>((resolve) => {
      port1.onmessage = () => resolve();
      port2.postMessage(0);
    });
  const find = (part: string) => root()?.querySelector(`[part~="${part}"]`);
  /** Until the answer is shown, or will never come. */
  async function settle(): Promise<void> {
    await Promise.allSettled(underWay);
    do await breathe();
    while (network !== 'hangs' && find('body')?.getAttribute('aria-busy') === 'true');
  }

  async function advance(toMs: number): Promise<void> {
    for (;;) {
      let next: [number, Timer] | undefined;
      for (const entry of timers) if (next === undefined || entry[1].atMs < next[1].atMs) next = entry;
      if (next === undefined || next[1].atMs > toMs) break;
      const [id, timer] = next;
      nowMs = Math.max(nowMs, timer.atMs);
      if (timer.everyMs > 0) timer.atMs = nowMs + timer.everyMs;
      else timers.delete(id);
      const before = requests;
      timer.call();
      if (requests !== before || timer.everyMs === 0) await settle();
    }
    nowMs = toMs;
  }

  function look(): SeenMinute {
    const text = (part: string) => find(part)?.textContent ?? '';
    const sections = [...(root()?.querySelectorAll('[part~="board-section"]') ?? [])].map((section) =>
      [...section.querySelectorAll('h3, li, [part~="board-none"]')].map((line) => line.textContent ?? ''),
    );
    const [title, date] = [text('board-title'), text('board-date')];
    const [clock, state, spoken] = [text('board-clock'), text('board-state'), text('spoken')];
    return { nowMs, answeredMs, title, date, clock, state, spoken, sections };
  }

  scope.timeMachine = {
    async run(minutes: number, wanted: string) {
      network = wanted;
      const seen: SeenMinute[] = [];
      for (let i = 0; i < minutes; i++) {
        // On the full minute, at which the board beats: when an answer fails a second later, it may rightly show more.
        await advance(Math.floor(nowMs / 60_000) * 60_000 + 60_000);
        seen.push(look());
      }
      return seen;
    },
    async sleepUntil(ms: number) {
      const sleptMs = ms - nowMs;
      nowMs = ms;
      for (const timer of timers.values()) timer.atMs += sleptMs;
    },
    countRequests() {
      const count = requests;
      requests = 0;
      return count;
    },
  };
}
