/** A request, and the answer of its route. */

import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Exchange {
  /** Sent back as `X-Request-Id`, and part of every log entry about the request. */
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers of every answer to this request, whatever its route. */
  readonly headers: HeaderList;
}

/** Alternating names and values. Merging them into an object would take a tenth of the time of a small response. */
export type HeaderList = (string | number)[];

/** What a route answers. */
export interface Answer {
  readonly status: number;
  /** Includes the length of the body, if there is one. */
  readonly headers: Readonly<HeaderList>;
  /** The body. Each character of a string is a byte (latin1). */
  readonly chunks: Chunks;
  /** Whether the chunks stay in memory anyway, so that a slow client keeps no additional memory. */
  readonly isPermanent?: boolean;
  /** What goes on after the chunks, until the client leaves or the server ends it. */
  readonly stream?: BodyStream;
  /** For metrics and logs, where the target does not know it. */
  readonly route?: string;
}

export interface BodyStream {
  /** Called when the chunks were sent. */
  begin(): void;
  /** Why it has ended. */
  reason(): string;
}

export type Chunks = readonly (string | Uint8Array)[];

/** Up to this size, head and body of an answer are one string, which is one write. Not tuned. */
export const SMALL_BYTES = 16 * 1024;

const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonAnswer(status: number, value: object, headers: Readonly<HeaderList> = []): Answer {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: ['content-type', JSON_TYPE, 'content-length', body.length, ...headers],
    chunks: [body],
  };
}

export function redirection(location: string): Answer {
  return { status: 308, headers: ['location', location, 'content-length', 0], chunks: [] };
}

export function listOf(headers: Readonly<Record<string, string | number>>): HeaderList {
  return Object.entries(headers).flat();
}
