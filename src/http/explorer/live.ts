/** Listens to the stream of the listing that is shown, and has it shown again when it changed. */

import { hearTags, NoStream, retryPauseMs, wait } from './listen.ts';
import { type Access, type ApiAnswer, askListing, listingUrl } from './listing.ts';

export interface ShownListing {
  readonly access: Access;
  /** The page that is shown, and the same with what is not published, if that is not asked for anyway. */
  readonly search: string;
  readonly withUnpublished: string | undefined;
  /** Of the state that is shown. */
  tag: string | null;
  /** What there is to say of it as long as nothing is wrong. */
  news: string;
}

export interface Follower {
  say(sentence: string): void;
  renew(listing: ShownListing, later: ApiAnswer): void;
  /** The token is not live any more, or something like that. */
  refuse(): void;
}

const TIMEOUT_MS = 10_000;
const HELD_BACK = 'No changes are heard: something before the service holds its streams back.';
const UNREACHABLE = 'The service could not be reached.';

/** Until the signal. Says what is wrong, and tries again after 1 to 5 seconds. */
export async function followListing(
  listing: ShownListing,
  { say, renew, refuse }: Follower,
  signal: AbortSignal,
) {
  const { access, search } = listing;
  const stream = {
    url: listingUrl(access.account, search).href,
    token: access.token,
    timeoutMs: TIMEOUT_MS,
    fetch: (url: string, init: RequestInit) => fetch(url, { ...init, credentials: 'omit' }),
  };
  while (!signal.aborted) {
    let pauseMs = retryPauseMs(Math.random());
    try {
      for await (const tag of hearTags(stream, '', undefined, signal)) {
        if (tag !== listing.tag) {
          const deadline = AbortSignal.timeout(TIMEOUT_MS);
          const later = await askListing(access, search, AbortSignal.any([signal, deadline]));
          if (later.listing === undefined) throw new Refusal(later);
          renew(listing, later);
        }
        say(listing.news);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof NoStream) return say(HELD_BACK);
      const { status, retryAfterSeconds = 0 } = error as Partial<Refusal & { retryAfterSeconds: number }>;
      if (status !== undefined && status < 500 && status !== 429) return refuse();
      say(`${status === undefined ? UNREACHABLE : (error as Error).message} Trying again.`);
      pauseMs = Math.max(pauseMs, retryAfterSeconds * 1_000);
    }
    await wait(pauseMs, signal).catch(() => undefined);
  }
}

/** Like the errors of a stream. */
class Refusal extends Error {
  readonly status: number;
  constructor({ status, error }: ApiAnswer) {
    super(error);
    this.status = status;
  }
}
