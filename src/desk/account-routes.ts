/** What every key may see of its account: who it is, its shifts, and what was imported. */

import { formatDate, parseDate } from '@shiftfeed/common/days';
import { todayIn } from '@shiftfeed/common/zone';
import { instant } from '../feed/access/token.ts';
import { timeZoneName } from '../import/fields.ts';
import type { ShiftPlace } from '../store/admin/desk.ts';
import { DeskRefusal } from './request.ts';
import type { DeskOptions, DeskRoutes } from './route.ts';
import type { Session } from './session.ts';

/** In one answer. The page asks for a month or so at a time. */
export const MAX_SHIFTS = 2_000;

export function accountRoutes({ database, imports, nowMs }: DeskOptions): DeskRoutes {
  return {
    async 'GET shifts'({ session: { account }, query }) {
      const { from, to } = daysIn(query);
      const limit = numberIn(query, 'limit', MAX_SHIFTS, MAX_SHIFTS);
      if (account === undefined) return { shifts: [], more: false };
      const store = await database.store();
      const { shifts, next } = await store.shiftsBetween(account.id, from, to, limit, placeIn(query));
      const today = todayOf(account.timeZone, nowMs());
      return {
        shifts: shifts.map((shift) => ({ ...shift, published: shift.publish_date <= today })),
        more: next !== undefined,
        next: next && `${next.date},${next.id}`,
      };
    },

    async 'GET history'({ session }) {
      const { account } = session;
      const history = account ? await (await database.store()).history(account.id) : [];
      return {
        entries: history.map(({ id, atMs, action, who, file, counts: { account, tables } }) => ({
          id,
          at: instant(atMs),
          action,
          who,
          file,
          account,
          counts: tables,
        })),
        undo: await imports.undoable(session),
      };
    },
  };
}

export function describeSession({ name, role, slug, account }: Session, nowMs: number) {
  const timeZone = account?.timeZone ?? 'UTC';
  return {
    name,
    role,
    account: {
      slug,
      name: account?.name ?? slug,
      time_zone: timeZone,
      exists: account !== undefined,
      today: todayOf(timeZone, nowMs),
    },
  };
}

/** Another program may have given the account a zone that does not exist. */
function todayOf(timeZone: string, nowMs: number): string {
  return formatDate(todayIn(timeZoneName(timeZone) ?? 'UTC', nowMs));
}

export function daysIn(query: URLSearchParams): { readonly from: string; readonly to: string } {
  const [from = '', to = ''] = ['from', 'to'].map((name) => query.get(name) ?? '');
  if (parseDate(from) === undefined || parseDate(to) === undefined)
    throw new DeskRefusal(400, 'Expected from and to, each a date YYYY-MM-DD.');
  return { from, to };
}

/** As it was given by the slice before. */
function placeIn(query: URLSearchParams): ShiftPlace | undefined {
  const text = query.get('after');
  if (text === null) return undefined;
  const [date = '', shift = ''] = text.split(',');
  const id = safeInteger(shift);
  if (parseDate(date) === undefined || id === undefined)
    throw new DeskRefusal(400, 'after has to be where the slice before ended.');
  return { date, id };
}

export function numberIn(query: URLSearchParams, name: string, most: number, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const number = safeInteger(text);
  if (number === undefined || number > most)
    throw new DeskRefusal(400, `${name} has to be a number from 0 to ${most}.`);
  return number;
}

/** undefined: the text is no whole number from 0 on, or one that is too large for an id. */
export function safeInteger(text: string): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}
