/**
 * The files that were dropped on the desk, from the upload to the import. Each lies in a private folder until it is
 * imported, discarded, an hour old, or the desk stops.
 */

import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ProblemLog } from '../http/observe/problem-log.ts';
import { answersOf, recipeOf } from '../import/recipe.ts';
import type { DeskDatabase } from './database.ts';
import { type Answer, type ReaderResult, type Readers, ReadersBusy, type ReaderTask } from './readers.ts';
import { DeskRefusal } from './refusal.ts';
import { bodyOf } from './request.ts';
import type { Session } from './session.ts';

export const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** At once, of all accounts and of one. */
const MAX_UPLOADS = 8;
const MAX_UPLOADS_OF_ACCOUNT = 4;
/** Of all accounts, and of one. Beyond the second, the oldest file of the account that is at rest is discarded. */
const MAX_KEPT = 32;
const MAX_KEPT_OF_ACCOUNT = 8;
const KEPT_MS = 60 * 60 * 1_000;
const FORGET_INTERVAL_MS = 60_000;
const UPLOAD_TIMEOUT_MS = 15 * 60 * 1_000;
const MAX_NAME_CHARACTERS = 200;

export type ImportState = 'waiting' | 'reading' | 'read' | 'importing' | 'done';

export interface DeskImport {
  readonly id: string;
  readonly slug: string;
  /** undefined: the import would make it. */
  readonly accountId: number | undefined;
  /** What the planner calls the file. */
  readonly file: string;
  readonly folder: string;
  readonly path: string;
  readonly atMs: number;
  bytes: number;
  state: ImportState;
  result: ReaderResult | undefined;
  answers: readonly Answer[];
  stop: AbortController;
}

export interface ImportsOptions {
  readonly database: DeskDatabase;
  readonly readers: Readers;
  /** Nobody else can read it. */
  readonly folder: string;
  readonly nowMs: () => number;
  readonly problems: ProblemLog;
}

export class Imports {
  readonly #options: ImportsOptions;
  readonly #kept = new Map<string, DeskImport>();
  readonly #forgetting: NodeJS.Timeout;
  readonly #arriving = new Set<DeskImport>();

  constructor(options: ImportsOptions) {
    this.#options = options;
    this.#forgetting = setInterval(() => this.#forgetOld(), FORGET_INTERVAL_MS).unref();
  }

  /** Resolves when all of it has arrived, and has it read. `check` may still refuse it then. */
  async upload(
    session: Session,
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
    check: () => Promise<Session>,
  ): Promise<DeskImport> {
    if (Number(request.headers['content-length']) > MAX_FILE_BYTES) throw tooLarge();
    const one = this.#newImport(session, nameOf(name));
    this.#makeRoom(one);
    this.#arriving.add(one);
    try {
      await receive(one, request, response);
      const now = await check();
      // Accounts may have swapped their names since.
      if (now.slug !== one.slug || now.account?.id !== one.accountId) throw gone();
      one.answers = await this.#answersOfLastTime(session);
      this.#kept.set(one.id, one);
    } catch (error) {
      await this.#forget(one);
      throw error;
    } finally {
      this.#arriving.delete(one);
    }
    this.#start(one, session, { kind: 'read' });
    return one;
  }

  /** Another account's imports are answered like ones that do not exist. */
  find({ slug, account }: Session, id: string): DeskImport {
    const one = this.#kept.get(id);
    // Accounts may have swapped their names since.
    const isOwn = one?.slug === slug && (one.accountId ?? account?.id) === account?.id;
    if (one !== undefined && isOwn) return one;
    throw gone();
  }

  /** What the page is told of it. */
  describe({ id, file, bytes, state, answers, result, stop }: DeskImport): object {
    return { id, file, bytes, state, ahead: this.#options.readers.ahead(stop.signal), answers, result };
  }

  read(one: DeskImport, session: Session, answers: readonly Answer[]): void {
    needRest(one);
    one.answers = answers;
    this.#start(one, session, { kind: 'read' });
  }

  import(one: DeskImport, session: Session, digest: string | undefined): void {
    needRest(one);
    if (one.result?.kind !== 'preview' || one.result.digest !== digest)
      throw new DeskRefusal(409, 'This is not what the preview shows now: look at it again.');
    this.#start(one, session, { kind: 'import', expected: digest });
  }

  async discard(one: DeskImport): Promise<void> {
    if (one.state === 'importing')
      throw new DeskRefusal(409, 'It is being imported: wait until that is done.');
    await this.#forget(one);
  }

  /** Takes the last import back, if it is still the one that the page shows. */
  async undo({ slug, name, role }: Session, entry: number): Promise<object> {
    const { readers, database } = this.#options;
    const task = { database: database.url, account: slug, role, who: name, entry };
    const result = await readers.undo(task).catch((error: unknown) => {
      throw error instanceof ReadersBusy ? new DeskRefusal(503, error.message, RETRY) : error;
    });
    if (result.kind === 'failed') throw new DeskRefusal(409, result.message);
    return result;
  }

  async close(): Promise<void> {
    clearInterval(this.#forgetting);
    for (const one of this.#kept.values()) one.stop.abort();
    await this.#options.readers.close();
    // A file that was still arriving may be removed at this moment, too.
    await rm(this.#options.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
  }

  /** Runs a reader. What it finds, or why it could not, is what the page sees next. */
  #start(one: DeskImport, session: Session, part: Pick<ReaderTask, 'kind' | 'expected'>): void {
    const { readers, database } = this.#options;
    one.stop = new AbortController();
    one.state = part.kind === 'import' ? 'importing' : 'waiting';
    one.result = undefined;
    const task: ReaderTask = {
      ...part,
      database: database.url,
      account: one.slug,
      role: session.role,
      who: session.name,
      file: one.path,
      name: one.file,
      folder: one.folder,
      answers: one.answers,
    };
    const onStart = () => {
      if (one.state === 'waiting') one.state = 'reading';
    };
    void readers
      .run(task, { signal: one.stop.signal, onStart })
      .catch((error: unknown) => this.#failed(error))
      .then(async (result) => {
        if (result.kind === 'imported') await this.#keepRecipe(one).catch(() => undefined);
        one.result = result;
        one.state = result.kind === 'imported' ? 'done' : 'read';
      });
  }

  #failed(error: unknown): ReaderResult {
    if (error instanceof ReadersBusy) return { kind: 'failed', message: error.message };
    this.#options.problems.error(error instanceof Error ? error.message : String(error), { err: error });
    return { kind: 'failed', message: 'An internal error occurred: the log of the desk has it.' };
  }

  async #keepRecipe({ slug, answers }: DeskImport): Promise<void> {
    const store = await this.#options.database.store();
    const account = await store.findAccount(slug);
    if (account !== undefined) await store.saveDeskRecipe(account.id, recipeOf(answers));
  }

  async #answersOfLastTime({ account }: Session): Promise<readonly Answer[]> {
    const store = await this.#options.database.store();
    const recipe = account && (await store.deskRecipe(account.id));
    return recipe === undefined ? [] : answersOf(recipe);
  }

  /** Those that are arriving will be kept, too. */
  #makeRoom({ slug }: DeskImport): void {
    const isOwn = (one: DeskImport) => one.slug === slug;
    const arriving = [...this.#arriving].filter(isOwn).length;
    if (arriving >= MAX_UPLOADS_OF_ACCOUNT || this.#arriving.size >= MAX_UPLOADS) throw busy();
    const kept = [...this.#kept.values()].filter(isOwn);
    const isFull = kept.length + arriving >= MAX_KEPT_OF_ACCOUNT;
    const oldest = kept.find(({ state }) => state === 'read' || state === 'done');
    if (isFull && oldest !== undefined) this.#forget(oldest).catch(() => undefined);
    else if (isFull || this.#kept.size + this.#arriving.size >= MAX_KEPT) throw busy();
  }

  #newImport({ slug, account }: Session, file: string): DeskImport {
    const id = randomBytes(16).toString('base64url');
    const folder = join(this.#options.folder, id);
    return {
      id,
      slug,
      accountId: account?.id,
      file,
      folder,
      path: join(folder, 'upload'),
      atMs: this.#options.nowMs(),
      bytes: 0,
      state: 'waiting',
      result: undefined,
      answers: [],
      stop: new AbortController(),
    };
  }

  #forgetOld(): void {
    for (const one of this.#kept.values()) {
      const isOld = this.#options.nowMs() - one.atMs > KEPT_MS;
      if (isOld && one.state !== 'importing') this.#forget(one).catch(() => undefined);
    }
  }

  async #forget(one: DeskImport): Promise<void> {
    this.#kept.delete(one.id);
    one.stop.abort();
    await rm(one.folder, { recursive: true, force: true });
  }
}

async function receive(one: DeskImport, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await mkdir(one.folder, { mode: 0o700 });
  const body = bodyOf(request, response, AbortSignal.timeout(UPLOAD_TIMEOUT_MS));
  await pipeline(counted(body, one), createWriteStream(one.path, { mode: 0o600, flags: 'wx' }));
}

async function* counted(body: AsyncIterable<Uint8Array>, one: DeskImport): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    one.bytes += chunk.length;
    if (one.bytes > MAX_FILE_BYTES) throw tooLarge();
    yield chunk;
  }
}

function needRest({ state }: DeskImport): void {
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
