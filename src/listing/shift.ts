/**
 * A shift as it is listed: the row that the store reads, and the JSON that goes out.
 */

export interface Shift {
  readonly id: number;
  /** Dates are `YYYY-MM-DD` and times `HH:MM`: they go from the store to the response as they are. */
  readonly date: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly endDate: string;
  readonly groupId: number;
  readonly groupName: string;
  readonly location: { readonly id: number; readonly name: string; readonly address: string } | null;
  /** null: the shift is open. */
  readonly personName: string | null;
  readonly publishDate: string;
  readonly remarks: string;
  readonly starred: boolean;
  readonly cancelled: boolean;
  readonly noshow: boolean;
}

/** How an account orders its shifts: by date and time, or by date, group name and time. */
export type SortOrder = 'time' | 'group';
export const SORT_ORDERS: readonly SortOrder[] = ['time', 'group'];

/** What `encodeShift` writes. */
export interface ListedShift {
  readonly id: number;
  readonly date: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly end_date: string;
  readonly group: { readonly id: number; readonly name: string };
  readonly location: { readonly name: string; readonly address: string } | null;
  readonly person: { readonly name: string } | null;
  readonly publish_date: string;
  readonly remarks: string;
  readonly starred: boolean;
  readonly cancelled: boolean;
  readonly noshow: boolean;
}

/** Dates and times are digits and marks that need no escaping; names and remarks may hold anything. */
export function encodeShift(shift: Shift): string {
  const { location } = shift;
  return (
    `{"id":${shift.id},"date":"${shift.date}","start_time":"${shift.startTime}"` +
    `,"end_time":"${shift.endTime}","end_date":"${shift.endDate}"` +
    `,"group":{"id":${shift.groupId},"name":${JSON.stringify(shift.groupName)}}` +
    `,"location":${location === null ? 'null' : encodeLocation(location.name, location.address)}` +
    `,"person":${shift.personName === null ? 'null' : `{"name":${JSON.stringify(shift.personName)}}`}` +
    `,"publish_date":"${shift.publishDate}","remarks":${JSON.stringify(shift.remarks)}` +
    `,"starred":${shift.starred},"cancelled":${shift.cancelled},"noshow":${shift.noshow}}`
  );
}

function encodeLocation(name: string, address: string): string {
  return `{"name":${JSON.stringify(name)},"address":${JSON.stringify(address)}}`;
}
