/** A database for processes that the test starts: it has the account of a document, and a token for that. */

import { hashToken, makeToken } from '../../src/feed/access/token.ts';
import type { Store } from '../../src/store/store.ts';
import { importer } from '../import/importer.ts';
import type { Cleanup, DatabaseKind } from './database.ts';

export async function filledDatabase(
  context: Cleanup,
  document: object,
  kind: DatabaseKind = 'sqlite',
): Promise<{ databaseUrl: string; token: string; write: (document: object) => Promise<unknown> }> {
  const { url, run, store } = await importer(context, kind);
  await run(document);
  return { databaseUrl: url, token: (await addToken(store)).token, write: run };
}

/** Adds a token for an account, and returns what nobody else gets to know. */
export async function addToken(
  store: Store,
  slug = 'acme',
  expiresAtMs: number | null = null,
): Promise<{ token: string; id: number }> {
  const account = await store.findAccount(slug);
  if (account === undefined) throw new Error(`There is no account ${slug}.`);
  const token = makeToken();
  const facts = { accountId: account.id, hash: hashToken(token), label: '', createdAtMs: 0, expiresAtMs };
  return { token, id: (await store.addToken(facts)).id };
}
