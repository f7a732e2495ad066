/**
 * What the feed holds of each account, kept current by the freshness question: is this token live, which
 * account is this, and which months changed since the revision held here?
 */

import { LRUCache } from 'lru-cache';
import { SLUG } from '../store/slug.ts';
import type { AccountChanges, Answer, FeedStore, TokenFacts } from '../store/store.ts';
import { advance, type Holding, isRestarted, sizeOfHolding } from './holding.ts';
import { share } from './share.ts';

export interface Accounts {
  /** Asks the database, together with every other request that waits. */
  ask(tokenHash: string, slug: string): Promise<FreshAnswer>;
  /** Takes note of a state that was read in another way. */
  note(holding: Holding): Holding;
  /** How many questions the database was asked so far. */
  queries(): number;
}

export interface FreshAnswer {
  readonly token: TokenFacts | undefined;
  readonly holding: Holding | undefined;
}

interface FreshQuestion {
  readonly key: string;
  readonly tokenHash: string;
  readonly slug: string;
  readonly held: Holding | undefined;
}

export function keepAccounts(
  store: FeedStore,
  budgetBytes: number,
  /** Called when an account's history is no longer the one that was held. */
  onRestart: () => void,
): Accounts {
  const holdings = new LRUCache<string, Holding>({ maxSize: budgetBytes, sizeCalculation: sizeOfHolding });
  let queries = 0;

  const askTogether = share(async (questions: readonly FreshQuestion[]) => {
    queries++;
    const distinct = [...new Map(questions.map((question) => [question.key, question])).values()];
    const answers = await store.freshness(
      distinct.map(({ tokenHash, slug, held }) => ({
        tokenHash,
        slug,
        known: held && { accountId: held.account.id, revision: held.revision },
      })),
    );
    return new Map(distinct.map((question, i) => [question.key, answers[i] as Answer]));
  });

  async function ask(tokenHash: string, path: string): Promise<FreshAnswer> {
    // What cannot be a slug names no account; databases need not see it.
    const slug = SLUG.test(path) ? path : '';
    const held = holdings.get(slug);
    const key = `${tokenHash}/${slug}/${held?.account.id}/${held?.revision}`;
    const answer = (await askTogether({ key, tokenHash, slug, held })).get(key);
    const changes = answer?.account;
    return { token: answer?.token, holding: changes && hold(slug, held, changes) };
  }

  function hold(slug: string, asked: Holding | undefined, changes: AccountChanges): Holding {
    if (asked !== undefined && isRestarted(asked, changes)) {
      holdings.clear();
      onRestart();
    }
    // Another answer may have come in since: the newer state includes all that this request must see.
    return note(advance(holdings.get(slug) ?? asked, changes));
  }

  function note(holding: Holding): Holding {
    const { slug } = holding.account;
    const held = holdings.peek(slug);
    if (held?.account.id !== holding.account.id || held.revision < holding.revision)
      holdings.set(slug, holding);
    return holding;
  }

  return {
    ask,
    note,
    queries: () => queries,
  };
}
