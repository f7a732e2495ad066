/** A server that is not Shiftfeed: it answers as a test tells it, and notes what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Shift } from '@shiftfeed/client';
import type { Cleanup } from '../../support/database.ts';
import { listen } from '../../support/listening.ts';

export interface OtherServer {
  readonly origin: string;
  /** Of the account. */
  readonly url: string;
  /** What was asked, in turn. */
  readonly requests: IncomingMessage[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

export async function startOtherServer(context: Cleanup): Promise<OtherServer> {
  const server = createServer((request, response) => {
    other.requests.push(request);
    other.answer(request, response);
  });
  const origin = `http://127.0.0.1:${await listen(context, server)}`;
  const other: OtherServer = { origin, url: `${origin}/acme`, requests: [], answer: sendListing([]) };
  return other;
}

/** Answers with the page that is asked for, and with nothing that the specification does not name. */
export function sendListing(shifts: readonly object[], headers: Record<string, string> = {}) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    const page = Number(query.get('page') ?? 1);
    const perPage = Number(query.get('per_page') ?? 500);
    const meta = {
      total: shifts.length,
      page,
      per_page: perPage,
      total_pages: Math.ceil(shifts.length / perPage),
    };
    const body = { shifts: shifts.slice((page - 1) * perPage, page * perPage), meta };
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

export function send(status: number, body: string, headers: Record<string, string> = {}) {
  return (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, headers).end(body);
  };
}

export function sendError(status: number, error: string, headers: Record<string, string> = {}) {
  return send(status, JSON.stringify({ error }), headers);
}

/** Answers each request with the next of these, and then always with the last. */
export function inTurn(...answers: OtherServer['answer'][]): OtherServer['answer'] {
  let next = 0;
  return (request, response) => {
    const answer = answers[Math.min(next++, answers.length - 1)];
    answer?.(request, response);
  };
}

export function someShift(id: number, fields: Partial<Record<keyof Shift, unknown>> = {}): object {
  return {
    id,
    date: '2026-12-28',
    start_time: '22:00',
    end_time: '06:00',
    end_date: '2026-12-29',
    group: { id: 1, name: 'Kitchen' },
    location: null,
    person: null,
    publish_date: '2026-01-01',
    remarks: '',
    starred: false,
    cancelled: false,
    noshow: false,
    ...fields,
  };
}

export function someShifts(count: number, firstId = 1): object[] {
  return Array.from({ length: count }, (_, i) => someShift(firstId + i));
}
