/** A real server on a database, whose plan says in every shift how often it was changed. */

import type { ListingBody } from '../../src/http/listing/response.ts';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { startServer } from '../../test/support/cli.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { acme, shift } from '../../test/support/document.ts';
import { addToken } from '../../test/support/filled-database.ts';
import { makeClient, type Reply } from '../client.ts';

export interface Answer {
  readonly status: number;
  readonly ms: number;
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** A page that has them all shows one change only. */
const SHIFTS = 60;

export async function openScene(context: Cleanup, databaseUrl: string, readUrl = databaseUrl) {
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
  /** Changes the plan, by a way that nothing stands in. */
  const change = async () => {
    await put(acme(shiftsOf(number + 1)));
    number++;
  };
  await change();
  const { token } = await inStore(addToken);
  const server = await startServer(context, [], { databaseUrl: readUrl });
  const get = makeClient(context, server.url, 50);

  return {
    server,
    change,
    /** From now on, the plan is changed there. */
    changeAt(url: string): void {
      writeUrl = url;
    },
    /** The same, when the last changes are lost there. */
    lose(changes: number, url: string): void {
      writeUrl = url;
      number -= changes;
      shown = number;
    },
    /** Changes a shift in one month, and does not count. */
    touch: () => put(acme([{ id: 1, starred: true }])),
    /** Asks for a page. Throws when it is not of a state that there was meanwhile, or older than one that was shown before. */
    async ask(): Promise<Answer> {
      const atLeast = Math.max(number, shown);
      const startMs = performance.now();
      const reply = await get('/acme/api/v1/shifts?date_from=2027-01-01&per_page=100', {
        authorization: `Bearer ${token}`,
      });
      const ms = performance.now() - startMs;
      const seen = numberIn(reply);
      if (seen !== undefined && (seen < atLeast || seen > number + 1))
        throw new Error(`A page has change ${seen}, not ${atLeast} to ${number + 1}.`);
      shown = Math.max(shown, seen ?? 0);
      return { status: reply.status, ms };
    },
  };
}

/** The shifts that every change touches. */
export function shiftsOf(number: number) {
  const remarks = String(number);
  return Array.from({ length: SHIFTS }, (_, i) => shift(`2027-0${1 + (i % 3)}-10`, { id: i + 1, remarks }));
}

/** Which change a page shows; undefined for an answer that says to come again. Throws when it is neither. */
export function numberIn({ status, headers, body }: Reply): number | undefined {
  if (status === 503) {
    if (!/^\d+$/.test(headers['retry-after'] ?? '')) throw new Error('A 503 has no Retry-After.');
    return undefined;
  }
  if (status !== 200) throw new Error(`A request was answered ${status} ${body}`);
  const { shifts }: ListingBody = JSON.parse(body);
  const numbers = new Set(shifts.map(({ remarks }) => Number(remarks)));
  if (numbers.size !== 1 || shifts.length !== SHIFTS)
    throw new Error(`A page has ${shifts.length} shifts of the changes ${[...numbers].join()}.`);
  return numbers.values().next().value;
}
