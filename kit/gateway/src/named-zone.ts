import { isTimeZone } from '@shiftfeed/common/zone';

/** Whether it is a zone such as Europe/Amsterdam. Offsets such as +01:00 are no such zones: they know no summer time. */
export function isNamedZone(text: string): boolean {
  return /^[A-Za-z]/.test(text) && isTimeZone(text);
}
