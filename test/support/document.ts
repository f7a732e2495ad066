/** Import documents for tests: name what matters, the rest is filled in. */

import type { ShiftRecord } from '../../src/store/records.ts';

export const ACME = {
  slug: 'acme',
  name: 'Acme',
  premium: true,
  time_zone: 'UTC',
  sort: 'time',
};

export const KITCHEN = { id: 1, name: 'Kitchen', active: true, private: false };

let lastId = 0;

/** A shift of the kitchen on a date, published long ago. */
export function shift(date: string, fields: Partial<ShiftRecord> = {}): ShiftRecord {
  return {
    id: ++lastId,
    date,
    start_time: '09:00',
    end_time: '17:00',
    end_date: date,
    group_id: KITCHEN.id,
    location_id: null,
    person_id: null,
    publish_date: '2000-01-01',
    remarks: '',
    starred: false,
    cancelled: false,
    noshow: false,
    ...fields,
  };
}

export function acme(shifts: readonly Partial<ShiftRecord>[], rest: object = {}): object {
  return { account: ACME, groups: [KITCHEN], shifts, ...rest };
}
