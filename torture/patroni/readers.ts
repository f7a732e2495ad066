/** Those who read: several clients of each server, without a pause to speak of. */

import { type Server, startServer } from '../../test/support/cli.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { numberIn } from '../away/scene.ts';
import { type Get, keepAsking, makeClient } from '../client.ts';

export interface Answer {
  readonly startMs: number;
  readonly endMs: number;
  /** Which change the page shows; undefined for an answer that says to come again. */
  readonly number: number | undefined;
  /** Whether the page says that it was made without the database. */
  readonly isStale: boolean;
}

export interface Reader {
  readonly name: string;
  /** Whether a page must have what was done before it was asked for; a standby may be behind. */
  readonly isStrict: boolean;
  readonly server: Server;
  /** Throws when the answer is no page of one state, or one whose tag another page had, and does not say to come again. */
  ask(): Promise<Answer>;
}

const CLIENTS = 3;
const PAUSE_MS = 25;

export async function startReader(
  context: Cleanup,
  { name, isStrict, args, databaseUrl, token, tags }: ReaderOptions,
): Promise<Reader> {
  const server = await startServer(context, args, { databaseUrl });
  const get = makeClient(context, server.url, CLIENTS);
  return { name, isStrict, server, ask: () => ask(get, token, tags) };
}

export interface ReaderOptions extends Pick<Reader, 'name' | 'isStrict'> {
  readonly args: readonly string[];
  readonly databaseUrl: string;
  readonly token: string;
  /** Which change the page of an entity tag shows, whoever sent it. */
  readonly tags: Map<string, number>;
}

/** Asks until the signal says stop. Adds the answers, and what is wrong with others. */
export async function askUntil(
  over: AbortSignal,
  reader: Reader,
  answers: Answer[],
  problems: Set<string>,
): Promise<void> {
  await keepAsking(CLIENTS, PAUSE_MS, over, async () => {
    try {
      answers.push(await reader.ask());
    } catch (error) {
      problems.add(`${reader.name}: ${error instanceof Error ? error.message : error}`);
    }
  });
}

async function ask(get: Get, token: string, tags: Map<string, number>): Promise<Answer> {
  const startMs = performance.now();
  const reply = await get('/acme/api/v1/shifts?date_from=2027-01-01&date_to=2027-03-31&per_page=100', {
    authorization: `Bearer ${token}`,
  });
  const endMs = performance.now();
  const isStale = reply.headers['shiftfeed-stale'] !== undefined;
  const number = numberIn(reply);
  const { etag } = reply.headers;
  if (number !== undefined) {
    if (etag === undefined) throw new Error(`The page of change ${number} has no tag.`);
    const tagged = tags.get(etag) ?? number;
    if (tagged !== number)
      throw new Error(`The pages of changes ${tagged} and ${number} have the tag ${etag}.`);
    tags.set(etag, number);
  }
  return { startMs, endMs, isStale, number };
}
