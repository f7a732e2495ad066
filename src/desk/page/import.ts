/** An import: its file, then questions, mistakes or a preview, then what was done. */

import type { Answer } from '../../import/questions.ts';
import type { Failed, Imported, ReadWith, UploadResult } from '../../import/upload.ts';
import type { Undone } from '../task.ts';
import { ask, type ImportState, Refusal, type Session, send, settled } from './ask.ts';
import {
  attempt,
  button,
  complain,
  lead,
  say,
  section,
  sentenceList,
  showSession,
  timeText,
} from './controls.ts';
import { find, make } from './dom.ts';
import { makeUndone, offerUndo } from './history.ts';
import { makeMistakes } from './mistakes.ts';
import { makePreview } from './preview.ts';
import { makeAnswers, makeQuestions, unanswered } from './questions.ts';
import { TEXTS } from './texts.ts';

const MAX_BYTES = 100 * 1024 * 1024;

/** Options of the question that the preview asks. */
const REMOVING = ['replace-days', 'allow-empty', 'allow-removals'];

const { file: texts } = TEXTS;
const stage = make('div', { class: 'stage' });
const isNew = make('p', { class: 'hint' });

/** The import that is shown, and what ends whatever waits for it. */
export interface Import {
  id?: string;
  ending: AbortController;
  /** With which it was read. */
  answers: readonly Answer[];
  /** What questions show as answered before. */
  asked: readonly Answer[];
  /** Questions that were left open when it was last read. */
  open: readonly string[];
  /** Which entry of the browser's history its result gets. */
  entry: 'this' | 'next' | 'its own';
  preview?: ReturnType<typeof makePreview> | undefined;
}

let current: Import | undefined;
let session: Session;

export async function openImport(panel: HTMLElement, signedIn: Session) {
  session = signedIn;
  if (panel.firstChild === null) panel.append(makeChooser(), stage);
  const step: Step | null = history.state;
  const id = step === null ? location.hash.split('/')[1] : step.id;
  if (step === null && id === undefined) return current && remember();
  if (id === undefined) return current?.id !== undefined && letGo();
  if (id !== current?.id) {
    letGo();
    // After a reload, the import goes on where it was.
    return followOn({ ...newImport(), id });
  }
  // It may still be read for the step before.
  await settled(id, { signal: current.ending.signal });
  if (step === null || id !== current?.id || !isAlike(step, history.state)) return;
  if (isAlike(step.answers, current.answers)) return;
  current.asked = current.answers;
  current.entry = 'its own';
  await read(current, step.answers);
}

/** What an entry of the browser's history shows: a file as it was read with these answers. */
type Step = { id?: string | undefined; answers: readonly Answer[] };

function isAlike(one: unknown, other: unknown) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Back leads to what was shown before. */
function remember(isNew = false) {
  if (!stage.checkVisibility()) return;
  const { id, answers = [] } = current ?? {};
  const step: Step = { id, answers };
  if (isAlike(step, history.state)) return;
  const address = id === undefined ? '#import' : `#import/${id}`;
  if (isNew) history.pushState(step, '', address);
  else history.replaceState(step, '', address);
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
  isNew.textContent = account.exists ? '' : texts.isNew(account.slug);
  return make(
    'div',
    { class: 'card chooser' },
    label,
    make('span', { class: 'unseen' }, input),
    make('div', { class: 'line' }, choose, make('span', { class: 'hint' }, texts.drop)),
    isNew,
  );
}

export function takeFiles(files: FileList | null | undefined) {
  const [file, second] = files ?? [];
  if (file === undefined) return;
  attempt(async () => {
    if (second !== undefined) throw new Refusal(texts.one, 400);
    if (file.size > MAX_BYTES) throw new Refusal(texts.tooLarge, 413);
    const started = await begin();
    const onProgress = (percent: number) => showProgress(texts.sending(file.name, percent), percent);
    onProgress(0);
    const path = `api/imports?name=${encodeURIComponent(file.name)}`;
    const sent = send(path, file, onProgress, started.ending.signal);
    const { id } = await sent.catch((error) => {
      if (started === current) letGo();
      throw error;
    });
    await followOn(Object.assign(started, { id }));
  });
}

/** Lets go of the import before. */
async function begin(): Promise<Import> {
  await discard();
  remember();
  current = newImport();
  return current;
}

function newImport(): Import {
  return { ending: new AbortController(), answers: [], asked: [], open: [], entry: 'this' };
}

/** Refused while it is being imported. What is no longer there needs no discarding. */
async function discard() {
  const asked = current?.id === undefined ? undefined : ask('DELETE', `api/imports/${current.id}`);
  await asked?.catch((error) => {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
  });
  letGo();
}

function letGo() {
  current?.ending.abort();
  current = undefined;
  stage.replaceChildren();
}

/** When the connection is lost meanwhile, one can go on where it was. */
function followOn(followed: Import) {
  return attempt(() => follow(followed));
}

/** Waits until there is a result. */
async function follow(followed: Import) {
  current = followed;
  if (history.state?.id !== followed.id) remember(true);
  const onWait = (state: ImportState) => showProgress(progressOf(state));
  const options = { signal: followed.ending.signal, onWait };
  const state = await settled(followed.id as string, options).catch((error) => {
    throw gone(error, followed);
  });
  show(followed, state);
}

function progressOf({ file, state, ahead = 0 }: ImportState) {
  if (state === 'importing') return texts.importing(file);
  return ahead > 0 ? texts.waiting(file, ahead) : texts.reading(file);
}

/** A file that is no longer there has to be chosen again. */
function gone(error: unknown, followed: Import) {
  if (!(error instanceof Refusal && error.status === 404)) return error;
  if (followed === current) {
    letGo();
    remember();
  }
  return new Refusal(texts.gone, 404);
}

/** A preview stays in sight while it is made anew. */
function showProgress(sentence: string, percent?: number) {
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
    remember();
    say(texts.discarded);
    find('.chooser button').focus();
  });
}

function show(followed: Import, { file, answers, result }: ImportState) {
  if (followed !== current || result === undefined) return;
  followed.answers = answers;
  if (followed.entry !== 'its own') remember(followed.entry === 'next');
  followed.entry = 'next';
  stage.removeAttribute('aria-busy');
  say('');
  if (result.kind === 'preview') return showPreview(followed, file, result);
  followed.preview = undefined;
  const region = regionOf(followed, file, result);
  if (result.kind === 'imported') current = undefined;
  stage.replaceChildren(region);
  lead(region);
  const open =
    result.kind === 'questions' ? result.questions.filter(({ id }) => followed.open.includes(id)) : [];
  if (open.length > 0) complain(unanswered(open.map(({ label }) => label)));
  followed.open = [];
}

function regionOf(followed: Import, file: string, result: Exclude<UploadResult, ShownPreview> | Undone) {
  switch (result.kind) {
    case 'questions':
      return makeQuestions(result, file, followed.asked, {
        readAgain(given, before, open) {
          followed.open = open;
          return read(followed, [...without(followed.answers, before), ...given]);
        },
        answers: answersOf(followed, result),
        discard: discardButton(),
      });
    case 'mistakes':
      return makeMistakes(result, file, [...answersOf(followed, result), discardButton()]);
    case 'imported':
      return makeDone(result);
    case 'undone':
      return makeUndone(result);
    case 'failed':
      return makeFailed(result, () => read(followed, followed.answers));
  }
}

function makeFailed({ message }: Failed, readAgain: () => Promise<void>) {
  const buttons = make(
    'div',
    { class: 'line' },
    button(TEXTS.questions.readAgain, readAgain),
    discardButton(),
  );
  return section(texts.failed, make('p', { role: 'alert' }, message), buttons);
}

type ShownPreview = Extract<UploadResult, { kind: 'preview' }>;

/** The answers with which it was read, except for those that have controls of their own. */
function answersOf(followed: Import, { answers, keptAt }: ReadWith) {
  const shown = answers.filter(({ option }) => !REMOVING.includes(option));
  // Without its answers, a file asks its questions again, and each shows what was answered. To remove much was allowed
  // for the preview alone.
  return makeAnswers(shown, keptAt && timeText(keptAt, session.account.time_zone), () => {
    followed.asked = followed.answers.filter(([option]) => !option.startsWith('allow-'));
    return read(
      followed,
      followed.answers.filter(([option]) => option === 'replace-days'),
    );
  });
}

function showPreview(followed: Import, file: string, preview: ShownPreview) {
  const isFirst = followed.preview === undefined;
  followed.preview ??= makePreview(followed.id as string, file, session, {
    choose: (answers) => read(followed, [...aboutFile(followed), ...answers]),
    import: (digest) => tell(followed, 'import', { digest }),
    discard: discardButton(),
  });
  followed.preview.show(preview, answersOf(followed, preview));
  if (isFirst) stage.replaceChildren(followed.preview.region);
  if (isFirst || preview.isChangedSince) lead(followed.preview.region);
  if (preview.isChangedSince) complain(new Refusal(TEXTS.preview.changedSince, 409));
}

/** Reads the file again, with these answers alone. */
function read(followed: Import, answers: readonly Answer[]) {
  return tell(followed, 'read', { answers });
}

/** Without answers to the question that the preview asks. */
function aboutFile({ answers }: Import) {
  return answers.filter(([option]) => !REMOVING.includes(option));
}

function without(answers: readonly Answer[], others: readonly Answer[]) {
  return answers.filter(
    ([option, value]) => !others.some((other) => other[0] === option && other[1] === value),
  );
}

/** When the connection is lost, it may have arrived or not: the state of the import tells. */
async function tell(followed: Import, verb: 'read' | 'import', body: object) {
  try {
    await ask('POST', `api/imports/${followed.id}/${verb}`, { body });
  } catch (error) {
    return complain(error, () => followOn(followed));
  }
  await followOn(followed);
}

function makeDone({ headline, sentences, entry }: Imported) {
  const region = section(TEXTS.done.title, make('p', {}, headline), ...sentenceList(sentences));
  attempt(async () => {
    if (entry !== undefined) offerUndo(region, entry);
    // The first import has made the account.
    isNew.textContent = '';
    showSession(Object.assign(session, await ask('GET', 'api/session')));
  });
  return region;
}
