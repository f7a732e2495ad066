/** Asks the desk's server. What comes back is what the routes of the desk give. */

import type { Shift as ListedShift } from '@shiftfeed/client';
import type { describeSession } from '../account-routes.ts';
import type { Imports } from '../imports.ts';
import { showSignIn } from './sign-in.ts';
import { TEXTS } from './texts.ts';

export type Shift = ListedShift & { published?: boolean; active?: boolean };

export type Session = ReturnType<typeof describeSession>;
export type ImportState = ReturnType<Imports['describe']>;

/** Longer than the desk takes for any answer. What takes long is a job there, which is asked after. */
const TIMEOUT_MS = 30_000;
/** A line that carries nothing for so long is broken. */
const STALLED_MS = 60_000;

/** What the server refuses, or that it cannot be reached. The message is a sentence for the one who asked. */
export class Refusal extends Error {
  /** 0 if there was no answer. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The path is relative to the page. What is answered is what the caller's types say. */
export async function ask<Answered>(
  method: string,
  path: string,
  { body, signal }: { body?: object; signal?: AbortSignal | undefined } = {},
): Promise<Answered> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const request: RequestInit = {
    method,
    cache: 'no-store',
    redirect: 'error',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  };
  if (body !== undefined) {
    request.headers = { 'content-type': 'application/json' };
    request.body = JSON.stringify(body);
  }
  try {
    const response = await fetch(path, request);
    return read(response.status, await response.text());
  } catch (error) {
    if (error instanceof Refusal || signal?.aborted) throw error;
    // To try again might do twice what was sent, and perhaps done.
    if (timeout.aborted && method !== 'GET') throw new Refusal(TEXTS.unanswered, 408);
    throw new Refusal(TEXTS.unreachable, 0);
  }
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Asks again and again until a file was read or imported, or an import was taken back. */
export async function settled(
  id: string,
  { signal, onWait }: { signal?: AbortSignal | undefined; onWait?: (state: ImportState) => void } = {},
): Promise<ImportState> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS)) {
    const state: ImportState = await ask('GET', `api/imports/${id}`, { signal });
    if (state.result !== undefined) return state;
    onWait?.(state);
    await pause(pauseMs, signal);
  }
}

function pause(ms: number, signal: AbortSignal | undefined) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Sends a file as it is. Fetch cannot tell how much has been sent. */
export function send(
  path: string,
  file: File,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<{ id: string }> {
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stall = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        reject(new Refusal(TEXTS.file.stalled, 0));
        request.abort();
      }, STALLED_MS);
    };
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      stall();
      onProgress(Math.floor((100 * loaded) / Math.max(1, total)));
    });
    request.addEventListener('load', () => {
      try {
        resolve(read(request.status, request.responseText));
      } catch (error) {
        reject(error);
      }
    });
    request.addEventListener('error', () => reject(new Refusal(TEXTS.unreachable, 0)));
    request.addEventListener('loadend', () => clearTimeout(timer));
    signal.addEventListener('abort', () => {
      reject(signal.reason);
      request.abort();
    });
    stall();
    request.open('POST', path);
    request.send(file);
  });
}

function read<Answered>(status: number, text: string): Answered {
  let body: (Answered & { error?: unknown }) | undefined;
  try {
    body = status === 204 ? undefined : JSON.parse(text);
  } catch {
    // Something in between, such as a proxy, has answered.
  }
  if (status === 204 || (status >= 200 && status < 300 && body !== undefined)) return body as Answered;
  const sentence = typeof body?.error === 'string' ? body.error : TEXTS.strangeAnswer(status);
  if (status === 401) showSignIn(sentence);
  throw new Refusal(sentence, status);
}
