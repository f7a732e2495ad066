/**
 * Shares the event loop fairly among those who ask. Work is done in short turns. While a turn has time left and nobody
 * waits, work is done at once. Otherwise it waits in a queue of its asker, and each turn takes one piece from every
 * queue in rotation. So whoever asks for much waits for their own work, and others hardly notice.
 *
 * A client that waits for its answer sends nothing more, so waiting costs no time. What has waited for too long is
 * refused when it comes up, because a refusal takes time as well; but not the last of an asker, because then it was not
 * the asker's crowd that took so long: perhaps the machine stood still.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEMS, Refused } from '../protocol/problems.ts';
import { pauseReading, resumeReading } from './connections.ts';

export interface Turns {
  /** Whether work that has arrived can begin at once. */
  isFree(): boolean;
  /** Whether work that has begun can go on at once. Does not keep an idle loop from waiting for sockets. */
  isStillFree(): boolean;
  /**
   * Resolves when it is this asker's turn. Rejects with Overloaded after too long a wait, if the asker has more that
   * waits.
   * Never settles if the client has disconnected by then.
   */
  wait(asker: string, client: Client): Promise<void>;
  /**
   * The same for a connection that is not read on before, and may then bring so many requests. Requests of this asker go
   * first, so that those that a crowd sends ahead are in memory for one connection at a time. Resolves also for one that
   * was closed, so that it is let go.
   */
  waitUnread(asker: string, client: Client, requests: number): Promise<void>;
  counts(): TurnCounts;
}

export interface TurnCounts {
  readonly waiting: number;
  readonly refused: number;
}

export interface Client {
  readonly destroyed: boolean;
}

export interface TurnLimits {
  /** How long a request may wait for its turn. */
  readonly maxWaitMs: number;
}

/** The part of the event loop that turns need. */
export interface Loop {
  /** Milliseconds of a monotonic clock. */
  nowMs(): number;
  /** Runs it once, after the sockets that can be read by then were read. */
  soon(run: () => void): void;
  /** Runs it once, when promises that are settled by now have had all their effects. */
  afterPromises(run: () => void): void;
}

export class Overloaded extends Refused {
  constructor() {
    super(
      PROBLEMS.overloaded,
      'There are more requests than can be answered in time: some that waited too long are refused.',
    );
  }
}

/** While nobody waits, more than this much work in one turn of the event loop is an overload. */
const AT_ONCE_MS = 4;
/** While somebody waits, the others wait for about so long in addition. */
const TURN_MS = 1;
/** The clock does not see all work of a turn: some of it follows in later microtasks, some when the database answers. */
const MAX_AT_ONCE = 256;
const MAX_SERVED = 24;
/** To begin takes about as long for every request, so the clock need not be read for each of them. */
const CLOCK_EVERY = 8;
/**
 * After so many requests of an asker, a connection of theirs is read on, even if more requests wait. It may bring dozens,
 * so with fewer what waits would never become less.
 */
const MAX_BEFORE_UNREAD = 256;

const EVENT_LOOP: Loop = {
  nowMs: () => performance.now(),
  soon: (run) => void setImmediate(run),
  // Ticks run when no microtask is left.
  afterPromises: (run) => queueMicrotask(() => process.nextTick(run)),
};

export function makeTurns({ maxWaitMs }: TurnLimits, loop = EVENT_LOOP): Turns {
  const rotation = makeRotation();
  const budget = makeBudget(loop);
  let isEndPlanned = false;
  let refused = 0;

  function begin(): void {
    budget.renew();
    isEndPlanned = true;
    loop.soon(end);
  }

  function end(): void {
    budget.renew();
    isEndPlanned = false;
    if (rotation.size() === 0) return;
    begin();
    serve();
  }

  /** One after the other, so that the clock sees the whole work of each. */
  function serve(): void {
    const next = budget.has(TURN_MS, MAX_SERVED) && rotation.next();
    if (!next) return;
    budget.use(next.requests - 1);
    const isLate = loop.nowMs() - next.sinceMs > maxWaitMs;
    if (isLate && !next.isLast) {
      if (!next.isUnread) refused++;
      next.reject(new Overloaded());
    } else {
      next.resolve();
    }
    loop.afterPromises(serve);
  }

  function wait(asker: string, waiting: Pick<Waiting, 'client' | 'isUnread' | 'requests'>): Promise<void> {
    if (!isEndPlanned) begin();
    const { promise, ...settle } = Promise.withResolvers<void>();
    rotation.add(asker, { ...waiting, ...settle, sinceMs: loop.nowMs() });
    return promise;
  }

  return {
    isFree() {
      if (rotation.size() > 0) return false;
      if (!isEndPlanned) begin();
      return budget.has(AT_ONCE_MS, MAX_AT_ONCE, CLOCK_EVERY);
    },
    isStillFree: () => budget.has(rotation.size() === 0 ? AT_ONCE_MS : TURN_MS, MAX_AT_ONCE),
    wait: (asker, client) => wait(asker, { client, isUnread: false, requests: 1 }),
    waitUnread: (asker, client, requests) => wait(asker, { client, isUnread: true, requests }),
    counts: () => ({ waiting: rotation.size(), refused }),
  };
}

/** The time of a turn. It runs from the first work. */
function makeBudget({ nowMs }: Loop) {
  let beganMs: number | undefined;
  let pieces = 0;
  return {
    renew(): void {
      beganMs = undefined;
    },
    /** Counts so many more pieces of work. */
    use(count: number): void {
      pieces += count;
    },
    /** Whether there is time for one more piece of work, if there may be so many of them. The first always can. */
    has(ms: number, maxPieces: number, clockEvery = 1): boolean {
      if (beganMs === undefined) {
        beganMs = nowMs();
        pieces = 0;
      }
      pieces++;
      if (pieces > 1 && pieces % clockEvery === 0 && nowMs() - beganMs >= ms)
        pieces = Number.POSITIVE_INFINITY;
      return pieces <= maxPieces;
    },
  };
}

interface Waiting {
  readonly sinceMs: number;
  readonly client: Client;
  /** Whether it is a connection that is read on in its turn. */
  readonly isUnread: boolean;
  /** How many there are then. */
  readonly requests: number;
  readonly resolve: () => void;
  readonly reject: (error: Overloaded) => void;
}

/** The queues of all askers, each of which gives one in rotation. */
function makeRotation() {
  const askers = new Map<string, Asker>();
  /** Those of whom something waits. */
  const ring = makeQueue<Asker>();
  let size = 0;
  return {
    size: () => size,
    add(name: string, waiting: Waiting): void {
      let asker = askers.get(name);
      if (asker === undefined) {
        asker = newAsker(name);
        askers.set(name, asker);
        ring.push(asker);
      }
      (waiting.isUnread ? asker.unread : asker.requests).push(waiting);
      size++;
    },
    /** The next one whose client is still there. */
    next(): (Waiting & { readonly isLast: boolean }) | undefined {
      for (let asker = ring.shift(); asker !== undefined; asker = ring.shift()) {
        const waiting = nextOf(asker);
        size--;
        const isLast = asker.requests.isEmpty() && asker.unread.isEmpty();
        if (isLast) askers.delete(asker.name);
        else ring.push(asker);
        if (waiting?.client.destroyed === false) return { ...waiting, isLast };
        if (waiting?.isUnread) waiting.resolve();
      }
      return undefined;
    },
  };
}

type Asker = ReturnType<typeof newAsker>;

function newAsker(name: string) {
  const requests = makeQueue<Waiting>();
  const unread = makeQueue<Waiting>();
  return { name, requests, unread, beforeUnread: 0 };
}

function nextOf(asker: Asker): Waiting | undefined {
  const { requests, unread } = asker;
  const isForUnread = requests.isEmpty() || (asker.beforeUnread >= MAX_BEFORE_UNREAD && !unread.isEmpty());
  asker.beforeUnread = isForUnread ? 0 : asker.beforeUnread + 1;
  return isForUnread ? unread.shift() : requests.shift();
}

interface Link<T> {
  readonly value: T;
  next: Link<T> | undefined;
}

/** First in, first out. Unlike with an array, the cost does not grow with the length. */
function makeQueue<T>() {
  let first: Link<T> | undefined;
  let last: Link<T> | undefined;
  return {
    push(value: T): void {
      const link: Link<T> = { value, next: undefined };
      if (last === undefined) first = link;
      else last.next = link;
      last = link;
    },
    shift(): T | undefined {
      const link = first;
      first = link?.next;
      if (first === undefined) last = undefined;
      // Otherwise one that has grown old would keep all that follow in memory until old objects are collected.
      if (link !== undefined) link.next = undefined;
      return link?.value;
    },
    isEmpty: () => first === undefined,
  };
}

export type RequestTurns = ReturnType<typeof makeRequestTurns>;

/**
 * The turns of requests. When a request that waited is answered, its connection is read on only after those requests of
 * the asker that wait by then. So of a crowd, few requests are in memory at a time: the others stay unread.
 */
export function makeRequestTurns(turns: Turns, askerOf: (request: IncomingMessage) => string) {
  /** The turns of the next requests of connections that were or are not read on. */
  const nextTurns = new WeakMap<Socket, Promise<void>>();
  const unread = new Set<Socket>();
  /** How many requests of a connection had to wait since it was last read on, which may be as many as come next. */
  const waited = new WeakMap<Socket, number>();
  let isDraining = false;

  function rest(socket: Socket, asker: string): void {
    const isClosing = socket.destroyed || socket.writableEnded;
    if (isDraining || isClosing || nextTurns.has(socket)) return;
    if (turns.isFree()) {
      waited.delete(socket);
      return;
    }
    // Once: it is read on once, too, although what it had sent ahead may have used up its turn.
    if (!unread.has(socket)) pauseReading(socket);
    unread.add(socket);
    const turn = turns.waitUnread(asker, socket, waited.get(socket) ?? 1);
    waited.delete(socket);
    nextTurns.set(socket, turn);
    // One that came to nothing is not the turn of a request that may come much later.
    const refused = () => nextTurns.delete(socket);
    turn.catch(refused).then(() => readOn(socket));
  }

  function readOn(socket: Socket): void {
    if (unread.delete(socket)) resumeReading(socket);
  }

  return {
    /** Undefined when the request can be handled at once. Otherwise see `wait`. */
    begin(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
      if (turns.isFree()) return undefined;
      const { socket } = request;
      const asker = askerOf(request);
      response.once('close', () => rest(socket, asker));
      waited.set(socket, (waited.get(socket) ?? 0) + 1);
      // The turn of a connection that is unread still is not that of a request that had come with an earlier one.
      const turn = unread.has(socket) ? undefined : nextTurns.get(socket);
      if (turn === undefined) return turns.wait(asker, response);
      nextTurns.delete(socket);
      return turn;
    },
    /**
     * The same for a request that waited for the database. Its turn may be over by then, and most of the work is still to
     * come. By now it is known who asks.
     */
    goOn: (asker: string, response: ServerResponse) =>
      turns.isStillFree() ? undefined : turns.wait(asker, response),
    /**
     * Resolves when all connections were read on. A server that shuts down closes those that seem to be idle, even if
     * they hold requests that were not read.
     */
    async drain(): Promise<void> {
      isDraining = true;
      for (const socket of unread) {
        // It is not for the request that comes now, which others of its asker may not go before.
        nextTurns.delete(socket);
        readOn(socket);
      }
      // Sockets are read between two of these.
      for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
