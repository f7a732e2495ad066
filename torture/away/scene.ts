/** A real server on a database, whose plan says in every shift how often it was changed. */

import type { ListingBody } from '../../src/http/listing/response.ts';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Server, startServer } from '../../test/support/cli.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { acme, shift } from '../../test/support/document.ts';
import { addToken } from '../../test/support/filled-database.ts';
import { makeClient } from '../client.ts';

export interface Answer {
  readonly status: number;
  readonly ms: number;
}

export interface Scene {
  readonly server: Server;
  /** Changes the plan, by a way that nothing stands in. */
  change(): Promise<void>;
  /** From now on, the plan is changed there. */
  changeAt(databaseUrl: string): void;
  /** The same, when the last changes are lost there. */
  lose(changes: number, databaseUrl: string): void;
  /** Changes a shift in one month, and does not count. */
  touch(): Promise<void>;
  /** Asks for a page. Throws when it is not of a state that there was meanwhile, or older than one that was shown before. */
  ask(): Promise<Answer>;
}

const SHIFTS = 60;

export async function openScene(
  context: Cleanup,
  databaseUrl: string,
  readUrl = databaseUrl,
): Promise<Scene> {
  let number = 0;
  let shown = 0;
  let writeUrl = databaseUrl;
  const inStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore(writeUrl, { missing: 'create' });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const put = (document: object) =>
    inStore(async (store) => {
      await importDocument(store, document, { replace: false, dryRun: false });
    });
  const change = async () => {
    await put(planOf(number + 1));
    number++;
  };
  await change();
  const { token } = await inStore(addToken);
  const server = await startServer(context, [], { databaseUrl: readUrl });
  const get = makeClient(context, server.url, 50);

  return {
    server,
    change,
    changeAt(url) {
      writeUrl = url;
    },
    lose(changes, url) {
      writeUrl = url;
      number -= changes;
      shown = number;
    },
    touch: () => put(acme([{ id: 1, starred: true }])),
    async ask() {
      const atLeast = Math.max(number, shown);
      const startMs = performance.now();
      const reply = await get('/acme/api/v1/shifts?date_from=2027-01-01&per_page=100', {
        authorization: `Bearer ${token}`,
      });
      const ms = performance.now() - startMs;
      if (reply.status === 503) {
        if (!/^\d+$/.test(reply.headers['retry-after'] ?? '')) throw new Error('A 503 has no Retry-After.');
      } else if (reply.status === 200) {
        shown = Math.max(shown, checkPage(JSON.parse(reply.body), atLeast, number + 1));
      } else throw new Error(`While the database was away: ${reply.status} ${reply.body}`);
      return { status: reply.status, ms };
    },
  };
}

function planOf(number: number): object {
  const remarks = String(number);
  return acme(
    Array.from({ length: SHIFTS }, (_, i) => shift(`2027-0${1 + (i % 3)}-10`, { id: i + 1, remarks })),
  );
}

/** Which change a page is of. */
function checkPage({ shifts }: ListingBody, atLeast: number, atMost: number): number {
  const numbers = new Set(shifts.map(({ remarks }) => Number(remarks)));
  const [number = 0] = numbers;
  if (numbers.size !== 1 || shifts.length !== SHIFTS || number < atLeast || number > atMost) {
    throw new Error(`A page has changes ${[...numbers].join()}, not ${atLeast} to ${atMost}.`);
  }
  return number;
}
