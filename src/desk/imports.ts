/**
 * The files that were dropped on the desk, from the upload to the import, and imports that are taken back. Each file lies
 * in a private folder until it is imported, discarded, an hour old, or the desk stops. What came of it is kept as long.
 */

import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ProblemLog } from '../http/observe/problem-log.ts';
import { isKeepable } from '../import/questions.ts';
import { anotherCame, byClocksOf, whyNotUndone } from '../import/refusal.ts';
import { StoreFailure } from '../store/failure.ts';
import type { DeskDatabase } from './database.ts';
import { checkRoom, removeAll, type UploadFolder, whyNotKept } from './folder.ts';
import { type Readers, ReadersBusy } from './readers.ts';
import { bodyOf, CLOSING, DeskRefusal } from './request.ts';
import { whyNotTakenBack } from './roles.ts';
import type { Session } from './session.ts';
import type { Answer, ReaderResult, ReaderTask, UploadTask } from './task.ts';

export const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** Arriving at once, of all accounts and of one. */
const MAX_UPLOADS = 8;
const MAX_UPLOADS_OF_ACCOUNT = 4;
/** Of all accounts, and of one. Beyond that, one that is at rest makes room, of the account that keeps most. */
const MAX_KEPT = 32;
const MAX_KEPT_OF_ACCOUNT = 8;
const KEPT_MS = 60 * 60 * 1_000;
const FORGET_INTERVAL_MS = 60_000;
const UPLOAD_TIMEOUT_MS = 15 * 60 * 1_000;
const MAX_NAME_CHARACTERS = 200;

type ImportState = 'arriving' | 'waiting' | 'reading' | 'read' | 'importing' | 'done';

export interface DeskImport {
  readonly id: string;
  readonly slug: string;
  /** undefined: the import would make it. */
  readonly accountId: number | undefined;
  /** What the planner calls the file. */
  readonly file: string;
  readonly atMs: number;
  /** undefined: it has no file, or not any more. */
  folder: string | undefined;
  bytes: number;
  state: ImportState;
  result: ReaderResult | undefined;
  /** With which it was read, or is to be read. */
  answers: readonly Answer[];
  /** undefined: it was not read yet. */
  layout: string | undefined;
  stop: AbortController;
}

/** Who asks, once more: fails if the key has ended since. */
export type CheckAgain = () => Promise<Session>;

export interface ImportsOptions {
  readonly database: DeskDatabase;
  readonly readers: Readers;
  readonly folder: UploadFolder;
  readonly nowMs: () => number;
  readonly problems: ProblemLog;
}

export class Imports {
  readonly #options: ImportsOptions;
  readonly #kept = new Map<string, DeskImport>();
  readonly #forgetting: NodeJS.Timeout;
  readonly #running = new Set<Promise<void>>();
  /** Requests on connections that are open are still answered then. */
  #isClosing = false;

  constructor(options: ImportsOptions) {
    this.#options = options;
    this.#forgetting = setInterval(() => this.#forgetOld(), FORGET_INTERVAL_MS).unref();
  }

  /** Throws a DeskRefusal if no file could be kept, or there is no room to import one. */
  async checkFolder(): Promise<void> {
    const { folder, database } = this.#options;
    await checkRoom(await folder.path());
    if (database.folder !== undefined) await checkRoom(database.folder);
  }

  /** Resolves when all of it has arrived, and has it read. `check` may still refuse it then. */
  async upload(
    session: Session,
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
    check: CheckAgain,
  ): Promise<DeskImport> {
    if (Number(request.headers['content-length']) > MAX_FILE_BYTES) throw tooLarge();
    if (this.#isClosing) throw new DeskRefusal(503, CLOSING);
    const one = this.#newImport(session, nameOf(name));
    this.#makeRoom(one);
    this.#kept.set(one.id, one);
    try {
      one.folder = join(await this.#options.folder.path(), one.id);
      await receive(one, one.folder, request, response).catch((error: unknown) => {
        throw isOfSystem(error) ? whyNotKept(error) : error;
      });
      if (!isOf(one, await check())) throw gone();
    } catch (error) {
      await this.#forget(one);
      throw error;
    }
    this.#start(one, this.#uploadTask(one, session, { kind: 'read' }), check);
    return one;
  }

  /** Another account's imports are answered like ones that do not exist. */
  find(session: Session, id: string): DeskImport {
    const one = this.#kept.get(id);
    if (one !== undefined && this.#isOld(one)) this.#forgetSoon(one);
    else if (one !== undefined && isOf(one, session)) return one;
    throw gone();
  }

  /** What the page is told of it. */
  describe({ id, file, bytes, state, answers, result, stop }: DeskImport) {
    return { id, file, bytes, state, ahead: this.#options.readers.ahead(stop.signal), answers, result };
  }

  read(one: DeskImport, session: Session, answers: readonly Answer[], check: CheckAgain) {
    needRest(one);
    one.answers = answers;
    this.#start(one, this.#uploadTask(one, session, { kind: 'read' }), check);
    return this.describe(one);
  }

  import(one: DeskImport, session: Session, digest: string | undefined, check: CheckAgain) {
    needRest(one);
    if (one.result?.kind !== 'preview' || one.result.digest !== digest)
      throw new DeskRefusal(409, 'This is not what the preview shows now: look at it again.');
    this.#start(one, this.#uploadTask(one, session, { kind: 'import', expected: digest }), check);
    return this.describe(one);
  }

  async discard(one: DeskImport): Promise<void> {
    if (one.state === 'importing')
      throw new DeskRefusal(409, 'It is being imported: wait until that is done.');
    await this.#forget(one);
  }

  /** Whether the last import can be taken back by who asks. Whoever takes it back looks more closely. */
  async undoable(session: Session): Promise<{ entry: number } | { refusal: string }> {
    const { slug, account } = session;
    const store = await this.#options.database.store();
    const found = account && (await store.lastChangeAtOnce(account.id));
    const last = account && byClocksOf(found, account.timeZone);
    const refusal = whyNotUndone(slug, last) ?? (account && last && whyNotTakenBack(last, account, session));
    return refusal === undefined && last !== undefined
      ? { entry: last.entry.id }
      : { refusal: refusal ?? '' };
  }

  /** Takes the last import back, if it is still the one that the page shows. Whoever asks again gets the same. */
  async undo(session: Session, entry: number, check: CheckAgain): Promise<DeskImport> {
    const { slug, role, name } = session;
    const found = await this.undoable(session);
    if ('refusal' in found) throw new DeskRefusal(409, found.refusal);
    if (found.entry !== entry) throw new DeskRefusal(409, anotherCame(slug));
    const id = `undo-${slug}-${entry}`;
    const running = this.#kept.get(id);
    if (running?.state === 'importing' && isOf(running, session)) return running;
    const one = { ...this.#newImport(session, ''), id };
    this.#kept.set(id, one);
    const database = this.#options.database.url;
    this.#start(one, { kind: 'undo', database, account: slug, role, who: name, entry }, check);
    return one;
  }

  /** Lets imports finish that are being written, within the time that readers give them. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#forgetting);
    for (const { state, stop } of this.#kept.values()) if (state === 'arriving') stop.abort();
    await this.#options.readers.close();
    while (this.#running.size > 0) await Promise.all(this.#running);
    await this.#options.folder.remove();
  }

  /** Runs a reader. What it finds, or why it could not, is what the page sees next. */
  #start(one: DeskImport, task: ReaderTask, check: CheckAgain): void {
    one.stop = new AbortController();
    one.state = task.kind === 'read' ? 'waiting' : 'importing';
    one.result = undefined;
    const { signal } = one.stop;
    const onStart = async () => {
      // It may have waited for long.
      if (!isOf(one, await check())) throw gone();
      if (one.state === 'waiting') one.state = 'reading';
    };
    const running = this.#options.readers
      .run(task, { signal, onStart })
      .catch((error: unknown) => this.#failed(error, signal))
      .then((result) => this.#end(one, result))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #end(one: DeskImport, result: ReaderResult): Promise<void> {
    const isDone = result.kind === 'imported' || one.folder === undefined;
    if (result.kind === 'imported') {
      await this.#keepAnswers(one).catch((error: unknown) => {
        // The error of a database may quote what was answered.
        const reason = error instanceof Error ? error.name : 'unknown';
        this.#options.problems.error('Answers could not be kept for the next file.', { reason });
      });
      await this.#removeFile(one).catch(() => undefined);
    }
    if ('layout' in result) {
      one.layout = result.layout;
      one.answers = result.answers.map(({ option, value }) => [option, value]);
    }
    one.result = result;
    one.state = isDone ? 'done' : 'read';
    const done = [...this.#kept.values()].filter(({ slug, state }) => slug === one.slug && state === 'done');
    for (const old of done.slice(0, -MAX_KEPT_OF_ACCOUNT)) this.#forgetSoon(old);
  }

  #failed(error: unknown, { aborted }: AbortSignal): ReaderResult {
    const isKnown = [ReadersBusy, DeskRefusal, StoreFailure].some((known) => error instanceof known);
    if (isKnown) return { kind: 'failed', message: (error as Error).message };
    // Nobody wants it any more.
    if (!aborted) this.#options.problems.error(String(error), { err: error });
    return { kind: 'failed', message: 'An internal error occurred: the log of the desk has it.' };
  }

  #uploadTask(
    { slug, file, folder = '', answers, layout }: DeskImport,
    { role, name }: Session,
    part: Pick<UploadTask, 'kind' | 'expected'>,
  ): UploadTask {
    return {
      ...part,
      database: this.#options.database.url,
      account: slug,
      role,
      who: name,
      file: join(folder, UPLOAD),
      name: file,
      folder,
      answers,
      layout,
      nowMs: this.#options.nowMs(),
    };
  }

  /** For the next file of the same layout. */
  async #keepAnswers({ slug, accountId, answers, layout }: DeskImport): Promise<void> {
    const store = await this.#options.database.store();
    const id = accountId ?? (await store.findAccount(slug))?.id;
    if (id === undefined || !layout) return;
    const kept = answers.filter(isKeepable);
    if (kept.length === 0 && (await store.deskLayout(id, layout)) === undefined) return;
    const usedAtMs = this.#options.nowMs();
    await store.saveDeskLayout(id, layout, { answers: JSON.stringify(kept), usedAtMs });
  }

  /** Those that are arriving will be kept, too. Whoever has most gives way to whoever has less. */
  #makeRoom({ slug }: DeskImport): void {
    const all = [...this.#kept.values()];
    const arriving = ofAccounts(all.filter(({ state }) => state === 'arriving'));
    if (arriving.of(slug).length >= MAX_UPLOADS_OF_ACCOUNT) throw busy();
    if (arriving.count >= MAX_UPLOADS) {
      const most = arriving.most();
      if (most.length <= arriving.of(slug).length + 1) throw busy();
      most.at(-1)?.stop.abort();
    }
    const files = ofAccounts(all.filter(({ state, folder }) => state === 'arriving' || folder !== undefined));
    const isFull = files.of(slug).length >= MAX_KEPT_OF_ACCOUNT;
    if (!isFull && files.count < MAX_KEPT) return;
    const most = isFull ? files.of(slug) : files.most();
    const oldest =
      most.find(({ state }) => state === 'read') ?? most.findLast(({ state }) => state === 'waiting');
    if (oldest === undefined) throw busy();
    this.#forgetSoon(oldest);
  }

  #newImport({ slug, account }: Session, file: string): DeskImport {
    return {
      id: randomBytes(16).toString('base64url'),
      slug,
      accountId: account?.id,
      file,
      folder: undefined,
      atMs: this.#options.nowMs(),
      bytes: 0,
      state: 'arriving',
      result: undefined,
      answers: [],
      layout: undefined,
      stop: new AbortController(),
    };
  }

  #isOld({ atMs, state }: DeskImport): boolean {
    return this.#options.nowMs() - atMs > KEPT_MS && state !== 'importing';
  }

  #forgetOld(): void {
    for (const one of this.#kept.values()) if (this.#isOld(one)) this.#forgetSoon(one);
  }

  #forgetSoon(one: DeskImport): void {
    this.#forget(one).catch(() => undefined);
  }

  async #forget(one: DeskImport): Promise<void> {
    this.#kept.delete(one.id);
    one.stop.abort();
    await this.#removeFile(one);
  }

  async #removeFile(one: DeskImport): Promise<void> {
    const { folder } = one;
    one.folder = undefined;
    if (folder !== undefined) await removeAll(folder);
  }
}

const UPLOAD = 'upload';

async function receive(
  one: DeskImport,
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  const stop = AbortSignal.any([one.stop.signal, AbortSignal.timeout(UPLOAD_TIMEOUT_MS)]);
  const body = bodyOf(request, response, stop);
  await pipeline(counted(body, one), createWriteStream(join(folder, UPLOAD), { mode: 0o600, flags: 'wx' }));
}

async function* counted(body: AsyncIterable<Uint8Array>, one: DeskImport): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    one.bytes += chunk.length;
    if (one.bytes > MAX_FILE_BYTES) throw tooLarge();
    yield chunk;
  }
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Accounts may have swapped their names since. */
function isOf(one: DeskImport, { slug, account }: Session): boolean {
  return one.slug === slug && (one.accountId ?? account?.id) === account?.id;
}

/** Which are of an account, and those of the account that has most, the oldest first. */
function ofAccounts(all: readonly DeskImport[]) {
  const bySlug = Map.groupBy(all, ({ slug }) => slug);
  const of = (slug: string): readonly DeskImport[] => bySlug.get(slug) ?? [];
  const most = () => of([...bySlug.keys()].toSorted((a, b) => of(b).length - of(a).length)[0] ?? '');
  return { of, most, count: all.length };
}

function needRest({ state }: DeskImport): void {
  if (state === 'done') throw gone();
  if (state !== 'read') throw new DeskRefusal(409, 'This file is still being read: wait until that is done.');
}

export function gone(): DeskRefusal {
  return new DeskRefusal(404, 'This file is not here any more: choose it again.');
}

function tooLarge(): DeskRefusal {
  const most = MAX_FILE_BYTES / 1024 / 1024;
  return new DeskRefusal(413, `The file is larger than ${most} MB: save the plan in a file of its own.`);
}

const RETRY = { 'retry-after': '5' } as const;

function busy(): DeskRefusal {
  return new DeskRefusal(503, 'The desk has too many files at the moment: try again soon.', RETRY);
}

/** Without a folder, and without what would break a line. */
function nameOf(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last.replaceAll(/\p{C}/gu, ' ').trim().slice(0, MAX_NAME_CHARACTERS);
  if (plain === '') throw new DeskRefusal(400, 'The file has no name.');
  return plain;
}
