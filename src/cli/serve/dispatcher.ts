/**
 * In the primary process: hands connections over to workers. The primary keeps its own copy of a connection until the worker
 * says that it has taken it. So nothing is lost with a worker that dies: what it had not taken goes to another one, and of
 * what it had taken, the primary holds nothing that would keep it open.
 */

import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { PrimaryMessage, WorkerMessage } from './worker-messages.ts';

export interface HandOver {
  /** Takes a connection nothing of which was read, for the worker that is free next. */
  accept(socket: Socket): void;
  /** From now on the worker gets connections, until it ends. */
  addWorker(worker: Worker): void;
  /** Closes the connections that wait. */
  close(): void;
}

export interface HandOverOptions {
  /** Called for each connection that is closed because no worker took it. */
  readonly onClosed: () => void;
  readonly maxWaiting?: number;
  readonly waitLimitMs?: number;
}

/** Enough for all clients of a busy service to come back at once. Each takes a descriptor and some kilobytes. */
export const MAX_WAITING = 4_096;
/** Longer than it takes to start a worker when all have died. */
const WAIT_LIMIT_MS = 10_000;

/** A worker, and the one connection that it is offered at a time. */
interface Post {
  readonly worker: Worker;
  offer: number;
  socket: Socket | undefined;
}

export function makeHandOver(options: HandOverOptions): HandOver {
  const { onClosed, maxWaiting = MAX_WAITING, waitLimitMs = WAIT_LIMIT_MS } = options;
  const waiting = new Set<Socket>();
  const posts = new Set<Post>();
  /** The one that has been free for the longest comes first. */
  const free = new Set<Post>();

  let isClosed = false;

  function wait(socket: Socket): void {
    if (isClosed) socket.destroy();
    else waiting.add(socket);
    offerNext();
  }

  function offerNext(): void {
    for (const post of free) {
      const [socket] = waiting;
      if (socket === undefined) return;
      waiting.delete(socket);
      free.delete(post);
      offer(post, socket);
    }
  }

  function offer(post: Post, socket: Socket | undefined): void {
    post.socket = socket;
    post.offer++;
    const message: PrimaryMessage = { kind: 'offer', number: post.offer };
    // When it cannot be sent, the worker is about to be seen as gone.
    post.worker.send(message, socket, { keepOpen: true }, () => undefined);
  }

  function onAnswer(post: Post, message: WorkerMessage): void {
    if (message.kind !== 'taken' && message.kind !== 'declined') return;
    // An answer to an earlier offer, which the worker was too late for.
    if (message.number !== post.offer) return;
    const { socket } = post;
    post.socket = undefined;
    if (message.kind === 'declined') {
      if (socket !== undefined) wait(socket);
      return;
    }
    socket?.destroy();
    free.add(post);
    offerNext();
  }

  function removeWorker(post: Post): void {
    posts.delete(post);
    free.delete(post);
    if (post.socket !== undefined) wait(post.socket);
  }

  function giveUp(socket: Socket): void {
    onClosed();
    if (waiting.delete(socket)) {
      socket.destroy();
      return;
    }
    // The worker that is offered it may be stopped, and still has it when it goes on. It is ended for both, and the
    // worker gets no other one until it answers again.
    socket.end(() => socket.destroy());
    for (const post of posts) if (post.socket === socket) offer(post, undefined);
  }

  return {
    accept(socket) {
      socket.on('error', () => undefined);
      if (waiting.size >= maxWaiting) {
        onClosed();
        socket.destroy();
        return;
      }
      socket.setTimeout(waitLimitMs, () => giveUp(socket));
      wait(socket);
    },
    addWorker(worker) {
      const post: Post = { worker, offer: 0, socket: undefined };
      posts.add(post);
      free.add(post);
      worker.on('message', (message: WorkerMessage) => onAnswer(post, message));
      // By then, everything that the worker has told was read. Node leaves out 'disconnect' when a worker dies on an offer.
      worker.process.once('close', () => removeWorker(post));
      offerNext();
    },
    close() {
      isClosed = true;
      for (const socket of waiting) socket.destroy();
      waiting.clear();
    },
  };
}
