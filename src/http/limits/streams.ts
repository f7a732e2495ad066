/**
 * Responses that do not end: streams of events (text/event-stream). Each is the last response of its connection. A client
 * gets a comment now and then, so that proxies keep the connection, and is cut off if it reads nothing.
 */

import type { Socket } from 'node:net';
import type { Answer, Exchange, HeaderList } from '../protocol/exchange.ts';
import { PROBLEMS, type Problem, problemAnswer } from '../protocol/problems.ts';

export interface StreamLimits {
  /** In a process. There are never more than half of its connections. */
  readonly maxStreams: number;
  /** How often a stream gets a comment. */
  readonly commentMs: number;
}

export interface StreamsOptions extends StreamLimits {
  readonly maxConnections: number;
  /** Over how much time the streams of a server that is about to stop end. */
  readonly drainMs: number;
  /** Lets nothing follow on the connection. False if something is under way there. */
  readonly takeConnection: (socket: Socket) => boolean;
  readonly onTooMany: () => void;
}

export interface Streams {
  /** The answer to a request for a stream. `begin` may say something at once, and returns what ends it. */
  open(exchange: Exchange, headers: Readonly<HeaderList>, quotas: readonly Quota[], begin: Begin): Answer;
  /** Ends all streams, one after the other. New ones end after what they are told at first. */
  drain(): void;
  /** Ends those that are left. */
  close(): void;
  count(): number;
}

export type Begin = (stream: Stream) => () => void;

/** What a client is told. */
export interface Stream {
  /** False if the client has not read what was said before: then this is not said. */
  say(event: string): boolean;
  /** What the stream is about is gone. */
  end(): void;
}

/** How many streams somebody may have, and what more are told. */
export interface Quota {
  readonly holder: string;
  readonly max: number;
  readonly problem: Problem;
}

/** `client`: it left, or was lost. `gone`: what the stream is about. `unread`: the client read nothing. */
export type StreamEnd = 'client' | 'gone' | 'unread' | 'stopping';

const COMMENT = ':\n\n';
/** A comment is due for one in so many streams at a time, however many were opened at the same moment. */
const BEATS = 60;
/** Browsers come back after a time that the server names, so it names another one to each. */
const [MIN_RETRY_MS, MAX_RETRY_MS] = [1_000, 5_000];

export function makeStreams(options: StreamsOptions): Streams {
  const { commentMs, drainMs, takeConnection, onTooMany } = options;
  const maxStreams = Math.min(options.maxStreams, Math.floor(options.maxConnections / 2));
  const all: Quota = { holder: '', max: maxStreams, problem: PROBLEMS.tooManyStreams };
  const held = countHeld();
  const streams = new Set<OpenStream>();
  let opened = 0;
  let beat = 0;
  let beating: NodeJS.Timeout | undefined;
  let isDraining = false;

  function comment(): void {
    beat = (beat + 1) % BEATS;
    for (const stream of streams) if (stream.beat === beat) stream.comment();
  }

  function add(stream: OpenStream, quotas: readonly Quota[], onClose: () => void): void {
    held.add(quotas, 1);
    streams.add(stream);
    beating ??= setInterval(comment, commentMs / BEATS).unref();
    stream.onClose(() => {
      held.add(quotas, -1);
      streams.delete(stream);
      if (streams.size === 0) {
        clearInterval(beating);
        beating = undefined;
      }
      onClose();
    });
  }

  return {
    open(exchange, headers, given, begin) {
      const { request, response } = exchange;
      const { range, 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
      if (length !== '0' || coding !== undefined) return problemAnswer(PROBLEMS.streamBody);
      if (range !== undefined) return problemAnswer(PROBLEMS.streamRange);
      const answer = { status: 200, headers, chunks: [] };
      if (request.method === 'HEAD' || response.destroyed) return answer;
      const quotas = given.concat(all);
      const exceeded = held.exceeded(quotas);
      if (exceeded !== undefined) {
        onTooMany();
        return problemAnswer(exceeded.problem);
      }
      const stream = newStream(exchange, opened++ % BEATS);
      const leave = begin(stream);
      // Whoever sends no more requests has left, although others are still answered then.
      const isLast = isDraining || request.socket.readableEnded;
      if (isLast || !takeConnection(request.socket)) {
        leave();
        return isLast
          ? { ...answer, chunks: [stream.beginning()] }
          : problemAnswer(PROBLEMS.streamAmongOthers);
      }
      response.shouldKeepAlive = false;
      add(stream, quotas, leave);
      return { ...answer, chunks: [stream.beginning()], stream };
    },
    drain() {
      isDraining = true;
      const pauseMs = drainMs / (streams.size + 1);
      for (const [i, stream] of [...streams].entries())
        setTimeout(() => stream.endFor('stopping'), pauseMs * i).unref();
    },
    close() {
      isDraining = true;
      for (const stream of streams) stream.endFor('stopping');
    },
    count: () => streams.size,
  };
}

/** How many streams each holder has. */
function countHeld() {
  const counts = new Map<string, number>();
  return {
    exceeded: (quotas: readonly Quota[]) =>
      quotas.find(({ holder, max }) => (counts.get(holder) ?? 0) >= max),
    add(quotas: readonly Quota[], by: number): void {
      for (const { holder } of quotas) {
        const count = (counts.get(holder) ?? 0) + by;
        if (count === 0) counts.delete(holder);
        else counts.set(holder, count);
      }
    },
  };
}

type OpenStream = ReturnType<typeof newStream>;

function newStream({ response }: Exchange, beat: number) {
  const retryMs = Math.floor(MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS));
  let beginning = `retry: ${retryMs}\n\n`;
  let hasBegun = false;
  let reason: StreamEnd = 'client';

  function endFor(given: StreamEnd): void {
    reason = given;
    if (given === 'unread') response.destroy();
    else response.end();
  }

  return {
    beat,
    beginning: () => beginning,
    begin() {
      hasBegun = true;
      beginning = '';
    },
    reason: () => reason,
    onClose(leave: () => void) {
      response.once('close', leave);
      response.req.socket.once('end', () => response.destroy());
    },
    say(event: string): boolean {
      if (!hasBegun) beginning += event;
      else if (response.writableLength > 0) return false;
      else response.write(event, 'latin1');
      return true;
    },
    comment(): void {
      if (response.writableLength > 0) endFor('unread');
      else response.write(COMMENT, 'latin1');
    },
    end: () => endFor('gone'),
    endFor,
  };
}
