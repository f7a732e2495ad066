/** An import: its file, then questions, mistakes or a preview, then what was done. */

import { ask, Refusal, send } from './ask.js';
import {
  attempt,
  button,
  complain,
  hush,
  lead,
  say,
  section,
  sentenceList,
  showSession,
} from './controls.js';
import { find, make } from './dom.js';
import { offerUndo } from './history.js';
import { makeMistakes } from './mistakes.js';
import { makePreview } from './preview.js';
import { makeQuestions } from './questions.js';
import { TEXTS } from './texts.js';

/** @import { Answer, Failed, ImportState, Imported, Mistakes, Preview, Questions, Session } from './ask.js' */

const MAX_BYTES = 100_000_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Options that the box of the preview stands for. */
const REPLACING = ['replace', 'from', 'to'];

const { file: texts } = TEXTS;
const stage = make('div', { class: 'stage' });

/**
 * The import that is shown, and what ends whatever waits for it.
 *
 * @typedef {object} Import
 * @property {string} [id]
 * @property {AbortController} ending
 * @property {readonly Answer[]} answers with which it was read
 * @property {readonly Answer[]} asked what questions show as answered before
 * @property {ReturnType<typeof makePreview> | undefined} [preview]
 */

/** @type {Import | undefined} */
let current;
/** @type {Session} */
let session;

/** @param {HTMLElement} panel @param {Session} signedIn */
export async function openImport(panel, signedIn) {
  session = signedIn;
  if (panel.firstChild === null) panel.append(makeChooser(), stage);
  const id = location.hash.split('/')[1];
  if (current !== undefined) rememberId();
  // After a reload, the import goes on where it was.
  else if (id !== undefined) await follow({ ...(await begin()), id });
}

function makeChooser() {
  const input = make('input', { type: 'file', id: 'file', tabindex: '-1' });
  input.addEventListener('change', () => {
    takeFiles(input.files);
    // The same file can be chosen again once it is corrected.
    input.value = '';
  });
  const label = make('label', { for: 'file', class: 'title' }, texts.label);
  const choose = button(texts.choose, () => input.click(), { class: 'primary' });
  const { account } = session;
  const isNew = account.exists ? [] : [make('p', { class: 'hint' }, texts.isNew(account.slug))];
  return make(
    'div',
    { class: 'card chooser' },
    label,
    make('span', { class: 'unseen' }, input),
    make('div', { class: 'line' }, choose, make('span', { class: 'hint' }, texts.drop)),
    ...isNew,
  );
}

/** @param {FileList | null | undefined} files */
export function takeFiles(files) {
  const [file, second] = files ?? [];
  if (file === undefined) return;
  attempt(async () => {
    if (second !== undefined) throw new Refusal(texts.one, 400);
    if (file.size > MAX_BYTES) throw new Refusal(texts.tooLarge, 413);
    const started = await begin();
    showProgress(texts.sending(file.name, 0), 0);
    const path = `api/imports?name=${encodeURIComponent(file.name)}`;
    const onProgress = (/** @type {number} */ percent) =>
      showProgress(texts.sending(file.name, percent), percent);
    try {
      const { id } = await send(path, file, onProgress, started.ending.signal);
      await follow(Object.assign(started, { id }));
    } catch (error) {
      if (started.id === undefined && started === current) clear();
      throw error;
    }
  });
}

/** Lets go of the import before. @returns {Promise<Import>} */
async function begin() {
  await discard();
  current = { ending: new AbortController(), answers: [], asked: [] };
  return current;
}

/** Refused while it is being imported. What is no longer there needs no discarding. */
async function discard() {
  const asked = current?.id === undefined ? undefined : ask('DELETE', `api/imports/${current.id}`);
  await asked?.catch((error) => {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
  });
  clear();
}

function clear() {
  current?.ending.abort();
  current = undefined;
  stage.replaceChildren();
  rememberId();
}

function rememberId() {
  history.replaceState(null, '', current?.id === undefined ? '#import' : `#import/${current.id}`);
}

/** Asks again and again until there is a result. @param {Import} followed */
async function follow(followed) {
  current = followed;
  rememberId();
  const { signal } = followed.ending;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS)) {
    const asked = ask('GET', `api/imports/${followed.id}`, { signal });
    /** @type {ImportState} */
    const state = await asked.catch((error) => {
      throw gone(error, followed);
    });
    if (state.result !== undefined && (state.state === 'read' || state.state === 'done'))
      return show(followed, state);
    const progress = {
      waiting: texts.waiting(state.file, state.ahead ?? 0),
      reading: texts.reading(state.file),
      importing: texts.importing(state.file),
      read: '',
      done: '',
    };
    const isNext = state.state === 'waiting' && !state.ahead;
    showProgress(isNext ? progress.reading : progress[state.state]);
    await pause(pauseMs, signal);
  }
}

/** A file that is no longer there has to be chosen again. @param {unknown} error @param {Import} followed */
function gone(error, followed) {
  if (!(error instanceof Refusal && error.status === 404)) return error;
  if (followed === current) clear();
  return new Refusal(texts.gone, 404);
}

/** @param {number} ms @param {AbortSignal} signal */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** A preview stays in sight while it is made anew. @param {string} sentence @param {number} [percent] */
function showProgress(sentence, percent) {
  if (find('#status').textContent !== sentence) say(sentence);
  stage.setAttribute('aria-busy', 'true');
  if (current?.preview !== undefined) return;
  const bar = stage.querySelector('progress') ?? make('progress', { 'aria-label': TEXTS.loading });
  if (percent === undefined) bar.removeAttribute('value');
  else Object.assign(bar, { max: 100, value: percent });
  if (bar.parentElement !== stage) stage.replaceChildren(bar, discardButton());
}

function discardButton() {
  return button(texts.discard, async () => {
    await discard();
    say(texts.discarded);
    find('.chooser button').focus();
  });
}

/** @param {Import} followed @param {ImportState} state */
function show(followed, { file, answers, result }) {
  if (followed !== current || result === undefined) return;
  followed.answers = answers;
  stage.removeAttribute('aria-busy');
  say('');
  if (result.kind === 'preview') return showPreview(followed, result);
  followed.preview = undefined;
  const region = regionOf(followed, file, result);
  if (result.kind === 'imported') current = undefined;
  stage.replaceChildren(region);
  lead(region);
}

/**
 * @param {Import} followed
 * @param {string} file
 * @param {Questions | Mistakes | Imported | Failed} result
 */
function regionOf(followed, file, result) {
  switch (result.kind) {
    case 'questions':
      return makeQuestions(result, file, followed.asked, (given) => read(followed, given), discardButton());
    case 'mistakes':
      return makeMistakes(result, discardButton());
    case 'imported':
      return makeDone(result);
    case 'failed':
      return section(
        texts.failed,
        make('p', { role: 'alert' }, result.message),
        make(
          'div',
          { class: 'line' },
          button(TEXTS.questions.readAgain, () => read(followed, [])),
          discardButton(),
        ),
      );
  }
}

/** @param {Import} followed @param {Preview} preview */
function showPreview(followed, preview) {
  const isFirst = followed.preview === undefined;
  followed.preview ??= makePreview(/** @type {string} */ (followed.id), session, {
    replace: (answers) =>
      read(
        followed,
        answers,
        followed.answers.filter(([option]) => !REPLACING.includes(option)),
      ),
    // Without its answers, a file asks its questions again, and each shows what was answered.
    changeAnswers: () => {
      followed.asked = followed.answers;
      return read(
        followed,
        [],
        followed.answers.filter(([option]) => REPLACING.includes(option)),
      );
    },
    import: async (digest) => {
      await ask('POST', `api/imports/${followed.id}/import`, { body: { digest } });
      await follow(followed);
    },
    discard: discardButton(),
  });
  followed.preview.show(preview);
  if (isFirst) stage.replaceChildren(followed.preview.region);
  if (isFirst || preview.isChangedSince) lead(followed.preview.region);
  if (preview.isChangedSince) complain(new Refusal(TEXTS.preview.changedSince, 409));
}

/**
 * Reads the file again. What is answered now takes the place of what was answered before.
 *
 * @param {Import} followed
 * @param {readonly Answer[]} given
 * @param {readonly Answer[]} [before]
 */
async function read(followed, given, before = followed.answers) {
  hush();
  const all = new Map([...before, ...given].map((answer) => [aboutOf(answer), answer]));
  await ask('POST', `api/imports/${followed.id}/read`, { body: { answers: [...all.values()] } });
  await follow(followed);
}

/** The option, and of pairs such as E=06:00-14:00 also what is meant. @param {Answer} answer */
function aboutOf([option, value]) {
  const [item, ...rest] = value.split('=');
  return `${option} ${rest.length === 0 ? '' : item}`;
}

/** @param {Imported} imported */
function makeDone({ headline, sentences, canUndo }) {
  const region = section(TEXTS.done.title, make('p', {}, headline), ...sentenceList(sentences));
  attempt(async () => {
    if (canUndo) await offerUndo(region);
    // The first import has made the account.
    showSession(Object.assign(session, await ask('GET', 'api/session')));
  });
  return region;
}
