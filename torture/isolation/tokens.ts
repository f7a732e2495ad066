/** Random tokens against random accounts: a live token of the account gets its page, and nobody else gets anything. */

import { createHash } from 'node:crypto';
import { expectedBody, type OracleQuery, toSearch } from '../../test/listing/oracle.ts';
import type { Get, Reply } from '../client.ts';
import { type Draw, makeDraw } from '../draw.ts';
import { drawQuery } from '../simulation/data.ts';
import { SENTINEL, type TestAccount, TODAY, visibleShifts } from './accounts.ts';

/** Kinds of tokens, and how often each is tried. */
const WEIGHTS = { own: 8, other: 4, revoked: 2, expired: 1, changed: 4, hash: 1, random: 2, none: 0.5 };
type Kind = keyof typeof WEIGHTS;

export const ENCODINGS = [
  'identity',
  'gzip',
  'br',
  'zstd',
  '*',
  'gzip;q=0.5, br;q=0.9, zstd;q=0.1',
  'zstd, gzip;q=0',
  '',
];

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
const REFUSED = '{"error":"Invalid or expired API token"}';

/** Throws when a promise is broken. Says what was tried. */
export async function tryToken(seed: number, accounts: readonly TestAccount[], get: Get): Promise<string[]> {
  const draw = makeDraw(seed, 'token');
  const account = draw.pick(accounts);
  const kind = draw.weighted(WEIGHTS);
  const query = drawQuery(makeDraw(seed, 'query'), TODAY);
  const token = drawToken(draw, kind, account, accounts);
  const search = toSearch(query);
  const known = draw.chance(0.2) ? await drawTag(draw, accounts, search, get) : undefined;
  const reply = await get(`/${drawPath(draw, account.slug)}/api/v1/shifts?${search}`, {
    'accept-encoding': draw.pick(ENCODINGS),
    ...(token === undefined ? {} : { authorization: `${draw.pick(['Bearer', 'bearer'])} ${token}` }),
    ...(known === undefined ? {} : { 'if-none-match': known.etag }),
  });
  if (kind === 'own') checkPage(reply, account, query, known);
  else checkRefusal(reply, kind);
  return [`tokens: ${kind}`, `answers in ${reply.encoding}`];
}

function drawToken(
  draw: Draw,
  kind: Kind,
  { slug, tokens }: TestAccount,
  accounts: readonly TestAccount[],
): string | undefined {
  switch (kind) {
    case 'own':
      return tokens.live;
    case 'other':
      return draw.pick(accounts.filter((other) => other.slug !== slug)).tokens.live;
    case 'revoked':
    case 'expired':
      return tokens[kind];
    case 'changed':
      return changedToken(draw, tokens.live);
    case 'hash':
      return createHash('sha256').update(tokens.live).digest('hex');
    case 'random':
      return `shiftfeed_${Array.from({ length: 43 }, () => draw.pick(LETTERS)).join('')}`;
    case 'none':
      return undefined;
  }
}

/** One that is nearly right. */
function changedToken(draw: Draw, token: string): string {
  const i = draw.integer(0, token.length - 1);
  switch (draw.weighted({ letter: 4, cut: 1, longer: 1, twice: 1, percent: 1, quoted: 1 })) {
    case 'letter':
      return `${token.slice(0, i)}${token[i] === 'A' ? 'B' : 'A'}${token.slice(i + 1)}`;
    case 'cut':
      return token.slice(0, Math.max(1, i));
    case 'longer':
      return `${token}${draw.pick(['A', '=', '%00', '.', ','])}`;
    case 'twice':
      return `${token},${token}`;
    case 'percent':
      return token.replace('_', '%5F');
    case 'quoted':
      return `"${token}"`;
  }
}

/** The same name, also as some clients write it. */
function drawPath(draw: Draw, slug: string): string {
  if (draw.chance(0.8)) return slug;
  const i = draw.integer(0, slug.length - 1);
  return `${slug.slice(0, i)}%${slug.charCodeAt(i).toString(16)}${slug.slice(i + 1)}`;
}

/** The entity tag of the same query of some account. */
interface KnownTag {
  readonly slug: string;
  readonly etag: string;
}

async function drawTag(
  draw: Draw,
  accounts: readonly TestAccount[],
  search: string,
  get: Get,
): Promise<KnownTag> {
  const { slug, tokens } = draw.pick(accounts);
  const { headers } = await get(`/${slug}/api/v1/shifts?${search}`, {
    authorization: `Bearer ${tokens.live}`,
  });
  return { slug, etag: headers.etag ?? '' };
}

function checkPage(
  reply: Reply,
  account: TestAccount,
  query: OracleQuery,
  known: KnownTag | undefined,
): void {
  const { status, headers, body } = reply;
  if (status === 304 && known?.slug === account.slug) return;
  const expected = expectedBody(visibleShifts(account), query, TODAY, account.sort);
  const isRight = status === 200 && body === expected && headers.etag !== known?.etag;
  if (!isRight) throw new Error(`Not the page of ${account.slug}: ${status} ${headers.etag} ${body}`);
}

function checkRefusal(reply: Reply, kind: Kind): void {
  const { status, headers, body } = reply;
  const leaked = (JSON.stringify(headers) + body).match(SENTINEL);
  if (leaked) throw new Error(`A token that is ${kind} was told ${leaked[0]}`);
  if (status !== 401 || body !== REFUSED)
    throw new Error(`A token that is ${kind} was answered ${status} ${body}`);
}
