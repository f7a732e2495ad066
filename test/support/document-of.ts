import type { Shift } from '../../src/listing/shift.ts';
import { ACME } from './document.ts';

/** The document that makes these shifts. */
export function documentOf(shifts: readonly Shift[], sort: string) {
  const groups = new Map(shifts.map(({ groupId, groupName }) => [groupId, { id: groupId, name: groupName }]));
  const locations = new Map(shifts.flatMap(({ location }) => (location ? [[location.id, location]] : [])));
  const names = [...new Set(shifts.flatMap(({ personName }) => personName ?? []))];
  return {
    account: { ...ACME, sort },
    groups: [...groups.values()],
    locations: [...locations.values()],
    people: names.map((name, i) => ({ id: i + 1, name })),
    shifts: shifts.map((shift) => ({
      id: shift.id,
      date: shift.date,
      start_time: shift.startTime,
      end_time: shift.endTime,
      end_date: shift.endDate,
      group_id: shift.groupId,
      location_id: shift.location?.id ?? null,
      person_id: shift.personName === null ? null : names.indexOf(shift.personName) + 1,
      publish_date: shift.publishDate,
      remarks: shift.remarks,
      starred: shift.starred,
      cancelled: shift.cancelled,
      noshow: shift.noshow,
    })),
  };
}
