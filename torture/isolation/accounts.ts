/**
 * Accounts that have the same ids, and texts that tell whose they are: one that is found where it does not belong shows
 * what leaked.
 */

import type { Shift, SortOrder } from '../../src/listing/shift.ts';
import { documentOf } from '../../test/support/document-of.ts';
import { addToken } from '../../test/support/filled-database.ts';
import type { Service } from '../../test/support/service.ts';
import { type Draw, makeDraw } from '../draw.ts';
import { drawShift } from '../simulation/data.ts';

export interface TestAccount {
  readonly slug: string;
  readonly sort: SortOrder;
  /** All of them, also those of groups that are not active. */
  readonly shifts: readonly Shift[];
  readonly tokens: Readonly<Record<TokenKind, string>>;
}

type TokenKind = 'live' | 'revoked' | 'expired';

export const SLUGS = ['acme', 'acme-2', 'acm', 'globex', 'g'];
const HIDDEN_GROUP_ID = 5;
export const NOW = '2026-11-15T12:00:00Z';
export const TODAY = '2026-11-15';

/** Every text of every account, such as `Remark12of-acme-2.` */
export const SENTINEL = /(?:Group|Place|Address|Person|Remark)\d+of-[a-z0-9-]+\./g;

export function visibleShifts({ shifts }: TestAccount): readonly Shift[] {
  return shifts.filter(({ groupId }) => groupId !== HIDDEN_GROUP_ID);
}

/** The accounts of a number, imported over those before. Their tokens stay the same. */
export async function fillAccounts(service: Service, number: number): Promise<readonly TestAccount[]> {
  const draw = makeDraw(number, 'accounts');
  const accounts: TestAccount[] = [];
  for (const slug of SLUGS) {
    const sort = draw.pick(['time', 'group'] as const);
    const shifts = drawShifts(draw, slug);
    await service.import(documentFor(slug, sort, shifts), { replace: true });
    accounts.push({ slug, sort, shifts, tokens: await tokensOf(service, slug) });
  }
  return accounts;
}

const SHIFTS = 40;

function drawShifts(draw: Draw, slug: string): Shift[] {
  return Array.from({ length: SHIFTS }, (_, i) => {
    const shift = drawShift(draw, TODAY, i + 1, new Map());
    const { location, groupId } = shift;
    const text = (what: string, id: number) => `${what}${id}of-${slug}.`;
    return {
      ...shift,
      groupName: text('Group', groupId),
      location: location && {
        ...location,
        name: text('Place', location.id),
        address: text('Address', location.id),
      },
      personName: shift.personName && text('Person', shift.id),
      remarks: text('Remark', shift.id),
    };
  });
}

function documentFor(slug: string, sort: SortOrder, shifts: readonly Shift[]): object {
  const { account, groups, ...rest } = documentOf(shifts, sort);
  return {
    ...rest,
    account: { ...account, slug, name: `Account ${slug}` },
    groups: groups.map((group) => ({ ...group, active: group.id !== HIDDEN_GROUP_ID })),
  };
}

const known = new WeakMap<Service, Map<string, TestAccount['tokens']>>();

async function tokensOf(service: Service, slug: string): Promise<TestAccount['tokens']> {
  const ofService = known.get(service) ?? new Map<string, TestAccount['tokens']>();
  known.set(service, ofService);
  const tokens = ofService.get(slug) ?? {
    live: await service.token(slug),
    revoked: await revokedToken(service, slug),
    expired: await service.token(slug, service.nowMs),
  };
  ofService.set(slug, tokens);
  return tokens;
}

async function revokedToken({ store, nowMs }: Service, slug: string): Promise<string> {
  const { token, id } = await addToken(store, slug);
  await store.revokeToken(id, nowMs);
  return token;
}
