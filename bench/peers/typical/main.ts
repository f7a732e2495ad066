/**
 * What one would write instead: Express, a query builder, and two queries a request, with the indexes and the deferred
 * join that make them as fast as they can be. Takes the URL of its database and prints its own.
 */

import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { listShifts, openDatabase, type Query } from './listing.ts';

const db = openDatabase(process.argv[2] as string);
const app = express();
app.disable('x-powered-by');
// A hash of every page costs more than it saves here: nobody asks again with a tag.
app.disable('etag');

app.get('/:account/api/v1/shifts', async (request, response) => {
  const accountId = await authorise(request.get('authorization'), request.params.account);
  if (accountId === undefined) response.status(401).json({ error: 'Invalid or expired API token' });
  else response.json(await listShifts(db, accountId, request.query as Query));
});

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
// In a large account, 16 answers take longer than the 5 s after which Node closes a connection without a request.
server.keepAliveTimeout = 60_000;

/** The id of the account, when the token is live and its own. */
async function authorise(authorization: string | undefined, slug: string): Promise<number | undefined> {
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return undefined;
  const found = await db
    .selectFrom('tokens')
    .innerJoin('accounts', 'accounts.id', 'tokens.account_id')
    .select(['accounts.id', 'accounts.slug', 'accounts.premium', 'expires_at', 'revoked_at'])
    .where('hash', '=', hash('sha256', token))
    .executeTakeFirst();
  const isLive =
    found?.slug === slug &&
    Boolean(found.premium) &&
    found.revoked_at === null &&
    (found.expires_at === null || found.expires_at > Date.now());
  return isLive ? found.id : undefined;
}
