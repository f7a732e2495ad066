import type { DatabaseSync } from 'node:sqlite';
import { formatMonth, type Month, parseMonth } from '../../listing/calendar.ts';
import type { Shift } from '../../listing/shift.ts';
import type { AccountChanges, Answer, FeedStore, MonthStamp, Question } from '../store.ts';
import { ACCOUNT_COLUMNS, accountOf } from './account.ts';
import { reading } from './connection.ts';

export function feedStore(database: DatabaseSync, checkFile: () => void): FeedStore {
  const token = database.prepare(`
    SELECT tokens.account_id, accounts.premium, tokens.revoked_at, tokens.expires_at
    FROM tokens JOIN accounts ON accounts.id = tokens.account_id WHERE tokens.hash = ?`);
  const account = database.prepare(`SELECT ${ACCOUNT_COLUMNS}, revision FROM accounts WHERE slug = ?`);
  const changedMonths = database.prepare(
    'SELECT month, revision FROM months WHERE account_id = ? AND revision > ? ORDER BY month',
  );
  const shiftsOfMonth = database.prepare(`
    SELECT shifts.id, date, start_time, end_time, end_date, group_id, groups.name,
      locations.id, locations.name, locations.address, people.name,
      publish_date, remarks, starred, cancelled, noshow
    FROM shifts
    JOIN groups ON groups.account_id = shifts.account_id AND groups.id = group_id AND groups.active
    LEFT JOIN locations ON locations.account_id = shifts.account_id AND locations.id = location_id
    LEFT JOIN people ON people.account_id = shifts.account_id AND people.id = person_id
    WHERE shifts.account_id = ? AND date BETWEEN ? || '-01' AND ? || '-31'`);
  shiftsOfMonth.setReturnArrays(true);

  function answer({ tokenHash, slug, known }: Question): Answer {
    const row = token.get(tokenHash);
    return {
      token: row && {
        accountId: Number(row.account_id),
        accountIsPremium: row.premium === 1,
        revoked: row.revoked_at !== null,
        expiresAtMs: row.expires_at as number | null,
      },
      account: changes(slug, known),
    };
  }

  function changes(slug: string, known: Question['known']): AccountChanges | undefined {
    const row = account.get(slug);
    if (row === undefined) return undefined;
    const found = accountOf(row);
    const revision = Number(row.revision);
    const isContinued = known?.accountId === found.id && known.revision <= revision;
    const since = isContinued ? known.revision : 0;
    return { account: found, revision, since, changed: since === revision ? [] : stamps(found.id, since) };
  }

  function stamps(accountId: number, since: number): MonthStamp[] {
    const rows = changedMonths.all(accountId, since);
    return rows.map((row) => ({ month: parseMonth(String(row.month)), stamp: Number(row.revision) }));
  }

  return {
    async freshness(questions) {
      checkFile();
      return reading(database, () => questions.map(answer));
    },

    async readMonths(slug, choose, take) {
      return reading(database, () => {
        const now = changes(slug, undefined);
        if (now === undefined) return undefined;
        const state = { account: now.account, revision: now.revision, months: now.changed };
        for (const month of choose(state)) take(month, readMonth(now.account.id, month));
        return state;
      });
    },
  };

  function readMonth(accountId: number, month: Month): Shift[] {
    const name = formatMonth(month);
    return (shiftsOfMonth.all(accountId, name, name) as unknown as ShiftRow[]).map(shiftOf);
  }
}

type ShiftRow = [
  id: number,
  date: string,
  startTime: string,
  endTime: string,
  endDate: string,
  groupId: number,
  groupName: string,
  locationId: number | null,
  locationName: string,
  locationAddress: string,
  personName: string | null,
  publishDate: string,
  remarks: string,
  starred: number,
  cancelled: number,
  noshow: number,
];

function shiftOf(row: ShiftRow): Shift {
  const locationId = row[7];
  return {
    id: row[0],
    date: row[1],
    startTime: row[2],
    endTime: row[3],
    endDate: row[4],
    groupId: row[5],
    groupName: row[6],
    location: locationId === null ? null : { id: locationId, name: row[8], address: row[9] },
    personName: row[10],
    publishDate: row[11],
    remarks: row[12],
    starred: row[13] === 1,
    cancelled: row[14] === 1,
    noshow: row[15] === 1,
  };
}
