/** Error responses that no route sends. The connection is closed after them. */

import type { ServerResponse } from 'node:http';
import type { ErrorBody, Problem } from './problems.ts';

// An import would load everything that the module offers, fetch included, which takes a tenth of the startup time.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export function respondAndClose(response: ServerResponse, problem: Problem): void {
  const { headers, body } = closingResponse(problem);
  response.writeHead(problem.status, headers).end(body);
}

/** The bytes of a whole response, for sockets without a response object. */
export function rawResponse(problem: Problem): string {
  const { headers, body } = closingResponse(problem);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`;
}

function closingResponse({ message, headers }: Problem) {
  const body = JSON.stringify({ error: message } satisfies ErrorBody);
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      connection: 'close',
      ...headers,
    },
  };
}
