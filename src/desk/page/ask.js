/** Asks the desk's server. What comes back is what the routes of the desk give. */

import { showSignIn } from './sign-in.js';
import { TEXTS } from './texts.js';

/**
 * @typedef {{ readonly added: number, readonly changed: number, readonly removed: number, readonly unchanged: number }} Tally
 * @typedef {Readonly<Record<'shifts' | 'groups' | 'locations' | 'people', Tally>>} Counts
 * @typedef {readonly [option: string, value: string]} Answer as it would be typed on the command line
 *
 * @typedef {object} Session
 * @property {string} name
 * @property {'planner' | 'owner'} role
 * @property {{ slug: string, name: string, time_zone: string, exists: boolean, today: string, sort: string }} account
 *
 * @typedef {object} Choice
 * @property {string} option
 * @property {string} value
 * @property {string} label
 *
 * @typedef {object} QuestionInput the answer is the template with what was typed in place of the placeholder
 * @property {string} option
 * @property {string} template
 * @property {string} placeholder
 * @property {'text' | 'times' | 'year' | 'date' | 'zone'} kind
 * @property {readonly string[]} [suggestions]
 *
 * @typedef {object} Question
 * @property {string} id
 * @property {string} place
 * @property {string} message
 * @property {string} label
 * @property {readonly Choice[]} choices
 * @property {QuestionInput} [input]
 * @property {{ option: string, value: string }} [answer]
 *
 * @typedef {{ place: string, message: string, cell?: { sheet: number, line: number, column?: number } }} Problem
 * @typedef {{ number: number, name: string, rows: readonly { line: number, cells: readonly string[] }[] }} Sheet
 *
 * @typedef {{ kind: 'questions', questions: readonly Question[], mistakes?: readonly Problem[] }} Questions
 * @typedef {{ kind: 'mistakes', headline: string, problems: readonly Problem[], more: number, sheets: readonly Sheet[] }} Mistakes
 * @typedef {object} Preview
 * @property {'preview'} kind
 * @property {string} digest
 * @property {readonly string[]} how
 * @property {readonly (Choice & { text: string })[]} answers
 * @property {'added' | 'changed' | 'unchanged'} account
 * @property {Counts} counts
 * @property {{ on: boolean, from: string, to: string }} replace
 * @property {readonly string[]} warnings
 * @property {readonly string[]} unlisted
 * @property {string} [undoRefusal]
 * @property {number} changes
 * @property {readonly ChangedDay[]} days
 * @property {true} [isChangedSince]
 *
 * @typedef {{ day: string | null, first: number, count: number }} ChangedDay
 * @typedef {{ kind: 'imported', headline: string, sentences: readonly string[], canUndo: boolean }} Imported
 * @typedef {{ kind: 'failed', message: string }} Failed
 *
 * @typedef {object} ImportState
 * @property {string} id
 * @property {string} file
 * @property {'waiting' | 'reading' | 'read' | 'importing' | 'done'} state
 * @property {number} [ahead]
 * @property {readonly Answer[]} answers with which it was read
 * @property {Questions | Mistakes | Preview | Imported | Failed} [result]
 *
 * @typedef {object} Change
 * @property {'added' | 'changed' | 'removed'} kind
 * @property {'shifts' | 'groups' | 'locations' | 'people'} table
 * @property {string | null} day
 * @property {string} title
 * @property {readonly { field: string, before: string, after: string }[]} fields
 *
 * @typedef {import('@shiftfeed/client').Shift & { published?: boolean, active?: boolean }} Shift
 */

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
    throw new Refusal(TEXTS.unreachable, 0);
  }
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
    let timer = 0;
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
