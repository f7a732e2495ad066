/**
 * In the primary process: dispatches connections to workers. The primary keeps its copy of a connection until the
 * worker confirms that it has taken it. If a worker dies, the connection that it had not confirmed goes to another one,
 * and the primary holds nothing that would keep a confirmed one open.
 */

import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { PrimaryMessage, WorkerMessage } from './worker-messages.ts';

export interface Dispatcher {
  /** Queues a connection, from which nothing was read, for the next free worker. */
  dispatch(socket: Socket): void;
  /** Gives the worker connections until it ends. */
  addWorker(worker: Worker): void;
  /** Closes the queued connections. */
  close(): void;
}

export interface DispatcherOptions {
  /** Called for each connection that is closed because no worker took it. */
  readonly onDropped: () => void;
  readonly maxQueued?: number;
  readonly queueTimeoutMs?: number;
  readonly offerTimeoutMs?: number;
}

/** Enough for all clients of a busy service to reconnect at once. Each takes a descriptor and some kilobytes. */
export const MAX_QUEUED = 4_096;
/** Longer than it takes to start a worker when all have died. */
const QUEUE_TIMEOUT_MS = 10_000;
/** A worker that runs takes a connection at once. One that is suspended must not keep a visitor waiting for long. */
const OFFER_TIMEOUT_MS = 3_000;

/** A worker is offered one connection at a time. */
interface WorkerSlot {
  readonly worker: Worker;
  /** The number of the latest offer. */
  offer: number;
  /** The connection that is offered, until the worker answers. */
  socket: Socket | undefined;
}

export function makeDispatcher(options: DispatcherOptions): Dispatcher {
  const { onDropped, maxQueued = MAX_QUEUED } = options;
  const { queueTimeoutMs = QUEUE_TIMEOUT_MS, offerTimeoutMs = OFFER_TIMEOUT_MS } = options;
  const dispatching: Dispatching = {
    queueTimeoutMs,
    offerTimeoutMs,
    queue: new Set(),
    slots: new Set(),
    freeSlots: new Set(),
    isClosed: false,
  };
  const { queue, slots, freeSlots } = dispatching;
  return {
    dispatch(socket) {
      socket.on('error', () => undefined);
      if (queue.size >= maxQueued) {
        onDropped();
        socket.destroy();
        return;
      }
      socket.once('timeout', () => {
        onDropped();
        giveUp(dispatching, socket);
      });
      enqueue(dispatching, socket);
    },
    addWorker(worker) {
      const slot: WorkerSlot = { worker, offer: 0, socket: undefined };
      slots.add(slot);
      freeSlots.add(slot);
      worker.on('message', (message: WorkerMessage) => onAnswer(dispatching, slot, message));
      // 'close' comes after the last message of the worker. Node does not emit 'disconnect' if a worker dies during an
      // offer.
      worker.process.once('close', () => removeSlot(dispatching, slot));
      offerQueued(dispatching);
    },
    close() {
      dispatching.isClosed = true;
      for (const socket of queue) socket.destroy();
      queue.clear();
    },
  };
}

interface Dispatching {
  readonly queueTimeoutMs: number;
  readonly offerTimeoutMs: number;
  readonly queue: Set<Socket>;
  readonly slots: Set<WorkerSlot>;
  /** In the order in which they became free, so that workers take turns. */
  readonly freeSlots: Set<WorkerSlot>;
  isClosed: boolean;
}

function enqueue(dispatching: Dispatching, socket: Socket): void {
  if (dispatching.isClosed) socket.destroy();
  else dispatching.queue.add(socket);
  socket.setTimeout(dispatching.queueTimeoutMs);
  offerQueued(dispatching);
}

function offerQueued(dispatching: Dispatching): void {
  const { queue, freeSlots } = dispatching;
  for (const slot of freeSlots) {
    const [socket] = queue;
    if (socket === undefined) return;
    queue.delete(socket);
    freeSlots.delete(slot);
    offer(dispatching, slot, socket);
  }
}

/** Without a socket, it asks whether the worker responds again. */
function offer({ offerTimeoutMs }: Dispatching, slot: WorkerSlot, socket: Socket | undefined): void {
  slot.socket = socket;
  socket?.setTimeout(offerTimeoutMs);
  slot.offer++;
  const message: PrimaryMessage = { kind: 'offer', number: slot.offer };
  // An error can be ignored: the worker is gone, and its 'close' event follows.
  slot.worker.send(message, socket, { keepOpen: true }, () => undefined);
}

function onAnswer(dispatching: Dispatching, slot: WorkerSlot, message: WorkerMessage): void {
  if (message.kind !== 'taken' && message.kind !== 'declined') return;
  // The worker answers an earlier offer, which has timed out since.
  if (message.number !== slot.offer) return;
  const { socket } = slot;
  slot.socket = undefined;
  if (message.kind === 'declined') {
    if (socket !== undefined) enqueue(dispatching, socket);
    return;
  }
  socket?.destroy();
  dispatching.freeSlots.add(slot);
  offerQueued(dispatching);
}

function removeSlot(dispatching: Dispatching, slot: WorkerSlot): void {
  dispatching.slots.delete(slot);
  dispatching.freeSlots.delete(slot);
  if (slot.socket !== undefined) enqueue(dispatching, slot.socket);
}

/** Drops a connection that no worker took in time. */
function giveUp(dispatching: Dispatching, socket: Socket): void {
  if (dispatching.queue.delete(socket)) {
    socket.destroy();
    return;
  }
  // A suspended worker may hold a copy of the connection that it was offered. `end` closes the connection for both
  // copies. The worker gets no further connection until it answers.
  socket.end(() => socket.destroy());
  for (const slot of dispatching.slots) if (slot.socket === socket) offer(dispatching, slot, undefined);
}
