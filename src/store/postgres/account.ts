import type { SortOrder } from '../../listing/shift.ts';
import type { Account } from '../store.ts';

export const ACCOUNT_COLUMNS = 'id, slug, name, premium, time_zone, sort';

/** Big integers arrive as text; ours are all within the safe range. */
export interface AccountRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly premium: boolean;
  readonly time_zone: string;
  readonly sort: SortOrder;
}

export function accountOf({ id, slug, name, premium, time_zone, sort }: AccountRow): Account {
  return { id: Number(id), slug, name, premium, timeZone: time_zone, sort };
}
