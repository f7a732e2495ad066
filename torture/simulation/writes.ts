/** What other programs do to the database: each is one commit. */

import { type Month, parseMonth } from '@shiftfeed/common/days';
import { MAX_MONTHS } from '../../src/store/account.ts';
import type { Draw } from '../draw.ts';
import { drawAccount, drawGroupName, drawShift, namesOf, SLUGS, ZONES } from './data.ts';
import { type AccountData, changed, monthOfShift, type World } from './world.ts';

interface WriteOptions {
  readonly draw: Draw;
  readonly today: string;
  /** The clock of the database, which no two commits share. */
  readonly nowUs: number;
  /** Whether names may go to other accounts. */
  readonly movesNames: boolean;
}

type Write = (data: AccountData, options: WriteOptions) => AccountData;

const WRITES = {
  add: (data, { draw, today, nowUs }) => {
    const id = Math.max(0, ...data.shifts.map((shift) => shift.id)) + 1;
    const shift = drawShift(draw, today, id, namesOf(data));
    return changed(data, { shifts: [...data.shifts, shift] }, [monthOfShift(shift)], nowUs);
  },
  change: (data, { draw, today, nowUs }) => {
    const before = draw.pick(data.shifts);
    if (before === undefined) return data;
    // Another date moves it to another month.
    const after = drawShift(draw, today, before.id, namesOf(data));
    const shifts = data.shifts.map((shift) => (shift === before ? after : shift));
    return changed(data, { shifts }, new Set([monthOfShift(before), monthOfShift(after)]), nowUs);
  },
  remove: (data, { draw, nowUs }) => {
    const removed = draw.pick(data.shifts);
    if (removed === undefined) return data;
    const shifts = data.shifts.filter((shift) => shift !== removed);
    return changed(data, { shifts }, [monthOfShift(removed)], nowUs);
  },
  renameGroup: (data, { draw, nowUs }) => {
    const id = draw.pick(data.shifts)?.groupId;
    const groupName = drawGroupName(draw);
    const shifts = data.shifts.map((shift) => (shift.groupId === id ? { ...shift, groupName } : shift));
    return changed(data, { shifts }, monthsOfGroup(data, id), nowUs);
  },
  hideGroup: (data, { draw, nowUs }) => {
    const id = draw.pick(data.shifts)?.groupId;
    if (id === undefined) return data;
    const inactiveGroups = new Set(data.inactiveGroups);
    if (!inactiveGroups.delete(id)) inactiveGroups.add(id);
    return changed(data, { inactiveGroups }, monthsOfGroup(data, id), nowUs);
  },
  replaceAll: (data, { draw, today, nowUs }) => {
    const { account, shifts } = drawAccount(draw, data.account.id, data.account.slug, today, nowUs);
    const months = new Set([...data.shifts, ...shifts].map(monthOfShift));
    const moved = { ...data.account, timeZone: account.timeZone };
    return changed(data, { shifts, account: moved }, months, nowUs);
  },
  reorder: (data, { nowUs }) => {
    const sort = data.account.sort === 'time' ? 'group' : 'time';
    const after = changed(data, { account: { ...data.account, sort } }, [], nowUs);
    return { ...after, stamps: new Map(Array.from(after.stamps, ([month]) => [month, after.revision])) };
  },
  move: (data, { draw, nowUs }) => {
    const timeZone = draw.pick(ZONES.filter((zone) => zone !== data.account.timeZone));
    return changed(data, { account: { ...data.account, timeZone } }, [], nowUs);
  },
  // No listing changes, so the revision stays.
  premium: (data) => ({ ...data, account: { ...data.account, premium: !data.account.premium } }),
  /** An account of the same name with another id. */
  recreate: (data, { draw, today, nowUs }) =>
    drawAccount(draw, data.account.id + 2, data.account.slug, today, nowUs),
  /** Shifts in so many months, once, make an account too large for ever. */
  spread: (data, { nowUs }) => {
    const first = parseMonth('1800-01');
    const months = Array.from({ length: MAX_MONTHS + 1 }, (_, i) => (first + i) as Month);
    return changed(data, {}, months, nowUs);
  },
} satisfies Record<string, Write>;

const WEIGHTS: Record<keyof typeof WRITES, number> = {
  add: 8,
  change: 8,
  remove: 3,
  renameGroup: 3,
  hideGroup: 2,
  replaceAll: 2,
  reorder: 2,
  move: 2,
  premium: 1,
  recreate: 1,
  spread: 0.2,
};

/** The state after one of them, and which it was. */
export function drawWrite(world: World, options: WriteOptions): { world: World; name: string } {
  const { draw } = options;
  if (options.movesNames && draw.chance(0.03)) return { world: swapNames(world), name: 'swap names' };
  const closed = world.accounts.find(({ account }) => !account.premium);
  // Otherwise most histories would end with refusals.
  const isOpened = closed !== undefined && draw.chance(0.5);
  const weights = options.movesNames ? WEIGHTS : { ...WEIGHTS, recreate: 0 };
  const name = isOpened ? 'premium' : draw.weighted(weights);
  const chosen = isOpened ? closed : draw.pick(world.accounts);
  const after = WRITES[name](chosen, options);
  const accounts = world.accounts.map((data) => (data === chosen ? after : data));
  return { world: { ...world, accounts }, name: `${name} in ${chosen.account.slug}` };
}

/** Each account gets the other's name. Revisions stay, because no listing changes. */
function swapNames(world: World): World {
  const slugs = world.accounts.map(({ account }) => account.slug);
  const accounts = world.accounts.map((data, i) => {
    const slug = slugs[(i + 1) % SLUGS.length] as string;
    return { ...data, account: { ...data.account, slug } };
  });
  return { ...world, accounts };
}

function monthsOfGroup({ shifts }: AccountData, id: number | undefined): Set<Month> {
  return new Set(shifts.filter(({ groupId }) => groupId === id).map(monthOfShift));
}
