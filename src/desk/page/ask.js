/** Asks the desk's server. What comes back is what the routes of the desk give. */

import { showSignIn } from './sign-in.js';
import { TEXTS } from './texts.js';

/**
 * @typedef {import('../../store/records.ts').Tally} Tally
 * @typedef {import('../../import/upload.ts').Preview} Preview
 * @typedef {import('../../import/explain.ts').Questions} Questions
 * @typedef {import('../../import/explain.ts').Mistakes} Mistakes
 * @typedef {import('../../import/upload.ts').Imported} Imported
 * @typedef {import('../../import/upload.ts').Failed} Failed
 * @typedef {import('../results.ts').Undone} Undone
 * @typedef {import('../../import/explain.ts').Problem} Problem
 * @typedef {Preview['counts']} Counts
 * @typedef {Preview['days'][number]} ChangedDay
 * @typedef {Mistakes['sheets'][number]} Sheet
 * @typedef {import('../../import/questions.ts').Answer} Answer
 * @typedef {import('../../import/questions.ts').Choice} Choice
 * @typedef {import('../../import/questions.ts').Question} Question
 * @typedef {NonNullable<Question['input']>} QuestionInput
 * @typedef {import('../preview.ts').ShownChange} Change
 * @typedef {import('@shiftfeed/client').Shift & { published?: boolean, active?: boolean }} Shift
 *
 * @typedef {object} Session
 * @property {string} name
 * @property {'planner' | 'owner'} role
 * @property {{ slug: string, name: string, time_zone: string, exists: boolean, today: string }} account
 *
 * @typedef {object} ImportState
 * @property {string} id
 * @property {string} file
 * @property {'waiting' | 'reading' | 'read' | 'importing' | 'done'} state
 * @property {number} [ahead]
 * @property {readonly Answer[]} answers with which it was read
 * @property {Questions | Mistakes | Preview | Imported | Undone | Failed} [result]
 */

/** Longer than the desk takes for any answer. What takes long is a job there, which is asked after. */
const TIMEOUT_MS = 30_000;
/** A line that carries nothing for so long is broken. */
const STALLED_MS = 60_000;

/** What the server refuses, or that it cannot be reached. The message is a sentence for the one who asked. */
export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {number} status 0 if there was no answer
   */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {string} method
 * @param {string} path relative to the page
 * @param {{ body?: object, signal?: AbortSignal | undefined }} [options]
 * @returns {Promise<any>} what the caller's types say
 */
export async function ask(method, path, { body, signal } = {}) {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  /** @type {RequestInit} */
  const request = {
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

/**
 * Asks again and again until a file was read or imported, or an import was taken back.
 *
 * @param {string} id
 * @param {{ signal?: AbortSignal | undefined, onWait?: (state: ImportState) => void }} [options]
 * @returns {Promise<ImportState>} with its result
 */
export async function settled(id, { signal, onWait } = {}) {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS)) {
    /** @type {ImportState} */
    const state = await ask('GET', `api/imports/${id}`, { signal });
    if (state.result !== undefined) return state;
    onWait?.(state);
    await pause(pauseMs, signal);
  }
}

/** @param {number} ms @param {AbortSignal | undefined} signal */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/**
 * Sends a file as it is. Fetch cannot tell how much has been sent.
 *
 * @param {string} path
 * @param {File} file
 * @param {(percent: number) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<{ id: string }>}
 */
export function send(path, file, onProgress, signal) {
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
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

/**
 * @param {number} status
 * @param {string} text
 */
function read(status, text) {
  if (status === 204) return undefined;
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    // Something in between, such as a proxy, has answered.
  }
  if (status >= 200 && status < 300 && body !== undefined) return body;
  const sentence = typeof body?.error === 'string' ? body.error : TEXTS.strangeAnswer(status);
  if (status === 401) showSignIn(sentence);
  throw new Refusal(sentence, status);
}
