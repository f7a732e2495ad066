/** A database for processes that the test starts: it has the account of a document, and a token for that. */

import { hashToken, makeToken } from '../../src/feed/access/token.ts';
import { importer } from '../import/importer.ts';
import type { Cleanup, DatabaseKind } from './database.ts';

export async function filledDatabase(
  context: Cleanup,
  document: object,
  kind: DatabaseKind = 'sqlite',
): Promise<{ databaseUrl: string; token: string }> {
  const { url, run, store, account } = await importer(context, kind);
  await run(document);
  const token = makeToken();
  const accountId = (await account()).id;
  await store.addToken({ accountId, hash: hashToken(token), label: '', createdAtMs: 0, expiresAtMs: null });
  return { databaseUrl: url, token };
}
