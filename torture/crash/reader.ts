/** Reads pages as fast as they come, and looks at each. */

import type { ListingBody } from '../../src/http/listing/response.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { type Get, keepAsking, makeClient } from '../client.ts';
import { makeDraw } from '../draw.ts';
import { withCleanup } from '../trial.ts';
import { stateIn } from './states.ts';

const ALL = 'date_from=2027-01-01&per_page=50';
const CLIENTS = 2;
const PAUSE_MS = 5;

/** With `mayFail`, connections may end and requests be refused: the server is killed, too. */
export function startReader(
  context: Cleanup,
  url: string,
  token: string,
  seed: number,
  { mayFail = false } = {},
) {
  const over = new AbortController();
  context.after(() => over.abort());
  let pages = 0;
  const draw = makeDraw(seed, 'reader');

  const ask = (get: Get, page: number) =>
    get(`/acme/api/v1/shifts?${ALL}&page=${page}`, { authorization: `Bearer ${token}` });

  async function read(get: Get): Promise<void> {
    const reply = await ask(get, draw.chance(0.5) ? 1 : draw.integer(1, 20));
    if (reply.status === 503 && mayFail) return;
    if (reply.status !== 200) throw new Error(`A page was answered ${reply.status} ${reply.body}`);
    const body = JSON.parse(reply.body) as ListingBody;
    // A page behind the last one has no shifts to tell by.
    if (body.shifts.length > 0) stateIn(body);
    pages++;
  }

  const reading = withCleanup((context) => {
    const get = makeClient(context, url, CLIENTS);
    return keepAsking(CLIENTS, PAUSE_MS, over.signal, () =>
      read(get).catch((error: NodeJS.ErrnoException) => {
        if (!mayFail || error.code === undefined) throw error;
      }),
    );
  });
  reading.catch(() => undefined);

  return {
    /** The state that a page which is asked for now is of. */
    look: () =>
      withCleanup(async (context) => {
        const { status, body } = await ask(makeClient(context, url, 1), 1);
        if (status !== 200) throw new Error(`A page was answered ${status} ${body}`);
        return stateIn(JSON.parse(body));
      }),
    /** Ends it. Throws when a page was a mixture, or not answered. Says how many were read. */
    async end(): Promise<number> {
      over.abort();
      await reading;
      return pages;
    },
  };
}
