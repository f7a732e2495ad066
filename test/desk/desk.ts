/** A whole desk in this process, on a real database and a real port, with a clock that the test sets. */

import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { ReadersOptions } from '../../src/desk/readers.ts';
import { type DeskStartOptions, startDesk } from '../../src/desk/run.ts';
import { perform as performTask, type ReaderTask } from '../../src/desk/task.ts';
import { issueKey } from '../../src/feed/access/token.ts';
import { importDocument } from '../../src/import/import.ts';
import type { DeskRole } from '../../src/store/admin/tokens.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Cleanup, type DatabaseKind, newStoreUrl } from '../support/database.ts';
import { ANY_PORT } from '../support/server-options.ts';
import { until } from '../support/until.ts';

export const BAD_READER = new URL('./bad-reader.ts', import.meta.url);

export interface Desk {
  readonly url: string;
  /** With the key of this run. */
  readonly link: string | undefined;
  readonly databaseUrl: string;
  readonly store: Store;
  nowMs: number;
  /** What was logged. */
  readonly log: readonly string[];
  import(document: object): Promise<void>;
  /** A new key of an account. */
  key(slug: string, name: string, role?: DeskRole, expiresAtMs?: number | null): Promise<string>;
  /** Somebody who has signed in with a key. */
  visitor(key: string): Promise<Visitor>;
  stop(): Promise<void>;
}

export type Visitor = ReturnType<typeof visitorWith>;

export interface DeskTestOptions extends Partial<DeskStartOptions> {
  readonly kind?: DatabaseKind;
  /** Does what the names of files say, in place of reading them. */
  readonly badReader?: boolean;
  /** In place of a process, which takes longer to start than most tests. Else it does what a reader does. */
  readonly perform?: ReadersOptions['perform'];
  /** Reads each file in a process of its own, as a real desk does. */
  readonly hasProcesses?: boolean;
}

export async function openDesk(context: Cleanup, options: DeskTestOptions = {}): Promise<Desk> {
  const { kind = 'sqlite', badReader, perform = performHere, hasProcesses, ...given } = options;
  const databaseUrl = given.databaseUrl ?? (await newStoreUrl(context, kind));
  const store = await openStore(databaseUrl, { missing: 'create' });
  const log: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) });
  const running = await startDesk(
    {
      databaseUrl,
      address: ANY_PORT,
      baseUrl: undefined,
      trustProxy: [],
      logLevel: 'info',
      account: undefined,
      ...given,
    },
    logger,
    () => desk.nowMs,
    badReader ? { entry: BAD_READER } : hasProcesses ? {} : { perform },
  );
  let stopped: Promise<void> | undefined;
  const desk: Desk = {
    url: running.url,
    link: running.link,
    databaseUrl,
    store,
    nowMs: Date.parse('2026-11-18T12:00:00Z'),
    log,
    async import(document) {
      await importDocument(store, document, { replace: false, dryRun: false });
    },
    async key(slug, name, role = 'planner', expiresAtMs = null) {
      const account = await store.findAccount(slug);
      assert.ok(account);
      const key = await issueKey(
        store,
        { accountId: account.id, label: name, role, expiresAtMs },
        desk.nowMs,
      );
      assert.ok(key);
      return key;
    },
    async visitor(key) {
      const response = await fetch(`${running.url}/api/session`, {
        method: 'POST',
        headers: { origin: running.url },
        body: JSON.stringify({ key }),
      });
      assert.equal(response.status, 204, await response.text());
      return visitorWith(running.url, response.headers.get('set-cookie')?.split(';')[0] ?? '');
    },
    stop: () => {
      stopped ??= running.stop();
      return stopped;
    },
  };
  context.after(async () => {
    await desk.stop();
    await store.close();
  });
  return desk;
}

const performHere = (task: ReaderTask) => performTask(task, async () => undefined);

export function visitorWith(url: string, cookie: string) {
  const send = (method: string, path: string, body?: string | Uint8Array<ArrayBuffer> | object) =>
    fetch(`${url}/api/${path}`, {
      method,
      headers: { cookie, origin: url },
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    });
  const contentOf = async (response: Response) => {
    const text = await response.text();
    assert.ok(response.ok, `${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const visitor = {
    cookie,
    send,
    get: async (path: string) => contentOf(await send('GET', path)),
    post: async (path: string, body: object) => contentOf(await send('POST', path, body)),
    /** Uploads a file and returns its id. */
    async upload(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
      const found = await contentOf(await send('POST', `imports?name=${encodeURIComponent(name)}`, content));
      return found.id;
    },
    /** What the page sees once the file was read or imported. */
    async resultOf(id: string) {
      let found: { state: string; result?: { kind: string; [name: string]: unknown } } | undefined;
      await until('it is read', async () => {
        found = await visitor.get(`imports/${id}`);
        return found?.state === 'read' || found?.state === 'done';
      });
      assert.ok(found?.result);
      return found.result;
    },
  };
  return visitor;
}
