/** Accounts whose plans, names, tokens and clock change step by step. Every answer in between is that of the oracle. */

import type { Shift, SortOrder } from '../../src/listing/shift.ts';
import { expectedBody, toSearch } from '../../test/listing/oracle.ts';
import { documentOf } from '../../test/support/document-of.ts';
import type { Service } from '../../test/support/service.ts';
import type { Get } from '../client.ts';
import { type Draw, makeDraw } from '../draw.ts';
import { ENCODINGS } from '../isolation/tokens.ts';
import { dateIn, drawQuery, drawShift, STARTS, ZONES } from '../simulation/data.ts';
import type { Tally } from '../trial.ts';

interface SoakAccount {
  slug: string;
  readonly timeZone: string;
  readonly sort: SortOrder;
  shifts: readonly Shift[];
  token: string;
  /** Tokens and names that were good once. */
  readonly goneTokens: string[];
  readonly goneSlugs: string[];
}

const STEPS = 40;
const REQUESTS_PER_STEP = 12;
const ACCOUNTS = 3;
const MAX_SHIFTS = 60;
const HOUR_MS = 3_600_000;

/** Throws when a promise is broken. */
export async function soakWorld(seed: number, service: Service, get: Get, tally: Tally): Promise<string[]> {
  const draw = makeDraw(seed, 'soak');
  service.nowMs = Date.parse(draw.pick(STARTS));
  const accounts: SoakAccount[] = [];
  for (let i = 0; i < ACCOUNTS; i++) accounts.push(await newAccount(draw, service, `w${seed}-${i}`));
  for (let step = 0; step < STEPS; step++) {
    tally.count(await change(draw, service, draw.pick(accounts), step));
    await Promise.all(
      Array.from({ length: REQUESTS_PER_STEP }, (_, i) =>
        ask(makeDraw(seed, `${step}/${i}`), service, get, draw.pick(accounts), tally),
      ),
    );
  }
  for (const { slug } of accounts) {
    const account = await service.store.findAccount(slug);
    if (account !== undefined) await service.store.removeAccount(account.id);
  }
  return ['worlds'];
}

async function newAccount(draw: Draw, service: Service, slug: string): Promise<SoakAccount> {
  const account: SoakAccount = {
    slug,
    timeZone: draw.pick(ZONES),
    sort: draw.pick(['time', 'group'] as const),
    shifts: [],
    token: '',
    goneTokens: [],
    goneSlugs: [],
  };
  await importShifts(draw, service, account);
  account.token = await service.token(slug);
  return account;
}

async function importShifts(draw: Draw, service: Service, account: SoakAccount): Promise<void> {
  const today = dateIn(account.timeZone, service.nowMs);
  const count = draw.integer(1, MAX_SHIFTS);
  account.shifts = Array.from({ length: count }, (_, i) => drawShift(draw, today, i + 1, new Map()));
  const { account: settings, ...rest } = documentOf(account.shifts, account.sort);
  const { slug, timeZone } = account;
  await service.import(
    { ...rest, account: { ...settings, slug, name: 'Soaked', time_zone: timeZone } },
    { replace: true },
  );
}

/** Changes something, and says what. */
async function change(draw: Draw, service: Service, account: SoakAccount, step: number): Promise<string> {
  switch (draw.weighted({ import: 3, clock: 4, rename: 1, revoke: 1 })) {
    case 'import':
      await importShifts(draw, service, account);
      return 'imports';
    case 'clock':
      // Seconds lead over midnight, from where a world begins; hours over the days after it.
      service.nowMs += draw.chance(0.5) ? draw.integer(1, 5_000) : draw.integer(1, 20) * HOUR_MS;
      return 'moves of the clock';
    case 'rename': {
      const { store } = service;
      const found = await store.findAccount(account.slug);
      if (found === undefined) throw new Error(`There is no account ${account.slug}.`);
      account.goneSlugs.push(account.slug);
      account.slug = `${account.slug.split('.')[0]?.slice(0, 40)}-${step}`;
      await store.renameAccount(found.id, account.slug);
      return 'accounts renamed';
    }
    case 'revoke':
      await revoke(service, account);
      return 'tokens revoked';
  }
}

async function revoke(service: Service, account: SoakAccount): Promise<void> {
  const found = await service.store.findAccount(account.slug);
  const [token] = (await service.store.tokens(found?.id ?? 0)).filter(
    ({ revokedAtMs }) => revokedAtMs === null,
  );
  if (token === undefined) throw new Error('There is no token to revoke.');
  await service.store.revokeToken(token.id, service.nowMs);
  account.goneTokens.push(account.token);
  account.token = await service.token(account.slug);
}

async function ask(
  draw: Draw,
  service: Service,
  get: Get,
  account: SoakAccount,
  tally: Tally,
): Promise<void> {
  const today = dateIn(account.timeZone, service.nowMs);
  const query = drawQuery(draw, today);
  const isGone = draw.chance(0.1) && account.goneTokens.length > 0;
  const isElsewhere = !isGone && draw.chance(0.1) && account.goneSlugs.length > 0;
  const slug = isElsewhere ? draw.pick(account.goneSlugs) : account.slug;
  const token = isGone ? draw.pick(account.goneTokens) : account.token;
  const reply = await get(`/${slug}/api/v1/shifts?${toSearch(query)}`, {
    authorization: `Bearer ${token}`,
    'accept-encoding': draw.pick(ENCODINGS),
  });
  if (isGone || isElsewhere) {
    const wanted = isGone ? 401 : 404;
    if (reply.status !== wanted) throw new Error(`What is gone was answered ${reply.status}.`);
    tally.count('refusals of what is gone');
    return;
  }
  const expected = expectedBody(account.shifts, query, today, account.sort);
  if (reply.status !== 200 || reply.body !== expected) {
    throw new Error(
      `On ${today}, ?${toSearch(query)} was answered ${reply.status} ${reply.body}\nnot ${expected}`,
    );
  }
  tally.count('answers equal to the oracle');
}
