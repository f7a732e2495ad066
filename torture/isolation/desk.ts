/** Visits of the desk with keys of several accounts and ids of others: everybody sees their own account alone. */

import { openStore } from '../../src/store/open.ts';
import { type Desk, openDesk, visitorWith } from '../../test/desk/desk.ts';
import type { Cleanup } from '../../test/support/database.ts';
import type { Service } from '../../test/support/service.ts';
import { type Draw, makeDraw } from '../draw.ts';
import type { TestAccount } from './accounts.ts';

/** Kinds of keys, and how often each is tried. */
const WEIGHTS = { planner: 6, owner: 8, revoked: 1, expired: 1, changed: 2, token: 1, none: 1 };
type Kind = keyof typeof WEIGHTS;

type Place = Awaited<ReturnType<typeof fillPlace>>;
type DeskWorld = Awaited<ReturnType<typeof openDeskWorld>>;

/** The address of each visit is drawn, because wrong keys are slowed down by address. */
const PROXY = '127.0.0.1';

export async function openDeskWorld(context: Cleanup, service: Service, accounts: readonly TestAccount[]) {
  const { databaseUrl } = service;
  const desk = await openDesk(context, { databaseUrl, trustProxy: [PROXY] });
  desk.nowMs = service.nowMs;
  const places: Place[] = [];
  for (const account of accounts) places.push(await fillPlace(desk, account));
  return {
    url: desk.url,
    places,
    /** Throws unless everything is still there that nobody was allowed to take away. */
    async checkIntact(): Promise<void> {
      const store = await openStore(databaseUrl, { missing: 'fail' });
      try {
        for (const { slug, tokenId, keyId, keys, importId } of places) {
          const id = (await store.findAccount(slug))?.id ?? 0;
          const token = (await store.tokens(id)).find((one) => one.id === tokenId);
          const key = (await store.deskKeys(id)).find((one) => one.id === keyId);
          if (token?.revokedAtMs !== null || key?.revokedAtMs !== null)
            throw new Error(`A token or key of ${slug} was revoked by somebody else.`);
          const { status } = await visitorWith(desk.url, cookieOf(keys.planner)).send(
            'GET',
            `imports/${importId}`,
          );
          if (status !== 200) throw new Error(`The file of ${slug} was discarded by somebody else.`);
        }
      } finally {
        await store.close();
      }
    },
  };
}

/** What one account has at the desk. */
async function fillPlace(desk: Desk, { slug, tokens }: TestAccount) {
  const { store } = desk;
  const account = await store.findAccount(slug);
  if (account === undefined) throw new Error(`There is no account ${slug}.`);
  // Accounts are filled several times, and a name has one key at a time.
  for (const { label: name } of await store.deskKeys(account.id))
    await store.revokeDeskKeys(account.id, { name }, desk.nowMs);
  const text = (what: string) => `${what}1of-${slug}.`;
  const planner = await desk.key(slug, text('Person'));
  const keys: Readonly<Record<Kind, string>> = {
    planner,
    owner: await desk.key(slug, text('Group'), 'owner'),
    revoked: await desk.key(slug, 'revoked', 'owner'),
    expired: await desk.key(slug, 'expired', 'owner', desk.nowMs),
    changed: `${planner.slice(0, -1)}${planner.endsWith('A') ? 'B' : 'A'}`,
    token: tokens.live,
    none: '',
  };
  await store.revokeDeskKeys(account.id, { name: 'revoked' }, desk.nowMs);
  const visitor = visitorWith(desk.url, cookieOf(planner));
  const sheet = `date,start_time,end_time,group,remarks,publish_date\n2026-12-01,09:00,17:00,${text('Group')},${text('Remark')},2026-11-01\n`;
  /** Of a file whose preview is shown. */
  const importId = await visitor.upload(`${text('Place')}csv`, sheet);
  const { kind } = await visitor.resultOf(importId);
  if (kind !== 'preview') throw new Error(`The file of ${slug} has no preview: ${kind}`);
  const [token] = await store.tokens(account.id);
  const own = (await store.deskKeys(account.id)).find((key) => key.revokedAtMs === null);
  const [entry] = await store.history(account.id);
  return { slug, keys, importId, tokenId: token?.id ?? 0, keyId: own?.id ?? 0, entryId: entry?.id ?? 0 };
}

function cookieOf(key: string): string {
  return `shiftfeed_desk=${key}`;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** The status for a planner, an owner, and either of them with the id of another account. */
  readonly planner: number;
  readonly owner?: number;
  readonly other: number;
  /** Whether the own account would be changed, so that it is asked of another one only. */
  readonly isHarmful?: boolean;
}

const DAYS = 'from=2026-01-01&to=2027-12-31';

function requestsFor({ importId, tokenId, keyId, entryId }: Place): readonly Asked[] {
  const anybody = { method: 'GET', planner: 200, other: 200 };
  const ownId = { method: 'GET', planner: 200, other: 404 };
  const owners = { planner: 403, owner: 200, other: 200 };
  const harmful = { planner: 403, owner: 204, other: 404, isHarmful: true };
  return [
    { ...anybody, path: 'session' },
    { ...anybody, path: 'history' },
    { ...anybody, path: `shifts?${DAYS}` },
    { ...ownId, path: `imports/${importId}` },
    { ...ownId, path: `imports/${importId}/changes` },
    { ...ownId, path: `imports/${importId}/shifts?${DAYS}` },
    { ...owners, method: 'GET', path: 'tokens' },
    { ...owners, method: 'GET', path: 'settings' },
    { ...owners, method: 'GET', path: 'people' },
    { ...owners, method: 'GET', path: 'keys' },
    { ...ownId, method: 'POST', path: `imports/${importId}/read`, body: { answers: [] }, isHarmful: true },
    { ...ownId, method: 'POST', path: `imports/${importId}/import`, body: { digest: 'x' }, planner: 409 },
    { ...ownId, method: 'DELETE', path: `imports/${importId}`, isHarmful: true },
    { method: 'POST', path: 'undo', body: { entry: entryId }, planner: 202, other: 409, isHarmful: true },
    { ...harmful, method: 'DELETE', path: `tokens/${tokenId}` },
    { ...harmful, method: 'DELETE', path: `keys/${keyId}` },
  ];
}

/** Throws when a promise is broken. Says what was tried. */
export async function tryDesk(seed: number, { url, places }: DeskWorld): Promise<string[]> {
  const draw = makeDraw(seed, 'desk');
  const [own, other] = draw.shuffle(places) as [Place, Place];
  const kind = draw.weighted(WEIGHTS);
  const all = requestsFor(draw.chance(0.5) ? own : other);
  const isOther = all[3]?.path.includes(other.importId) ?? false;
  const asked = draw.pick(
    all.filter(({ isHarmful }) => isOther || !isHarmful || (kind !== 'planner' && kind !== 'owner')),
  );
  const response = await fetch(`${url}/api/${asked.path}`, {
    method: asked.method,
    headers: { origin: url, cookie: cookieOf(own.keys[kind]), 'x-forwarded-for': drawAddress(draw) },
    ...(asked.body && { body: JSON.stringify(asked.body) }),
  });
  const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
  const expected = statusFor(kind, asked, isOther);
  const told = `${kind} of ${own.slug}: ${asked.method} ${asked.path}`;
  if (response.status !== expected)
    throw new Error(`${told} was answered ${response.status}, not ${expected}: ${text.slice(0, 500)}`);
  const mayTell = kind === 'planner' || kind === 'owner' ? own.slug : undefined;
  for (const [leaked, slug] of text.matchAll(/\d+of-([a-z0-9-]+)\./g))
    if (slug !== mayTell) throw new Error(`${told} was told ${leaked}`);
  return [`visits of the desk: ${kind}`, `answers of the desk with ${response.status}`];
}

function statusFor(kind: Kind, { planner, owner, other }: Asked, isOther: boolean): number {
  if (kind !== 'planner' && kind !== 'owner') return 401;
  if (planner === 403 && kind === 'planner') return 403;
  return isOther ? other : kind === 'owner' ? (owner ?? planner) : planner;
}

function drawAddress(draw: Draw): string {
  return [10, draw.integer(0, 255), draw.integer(0, 255), draw.integer(1, 254)].join('.');
}
