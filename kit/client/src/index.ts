export type { ShiftPage } from './answer.ts';
export type { Group, Location, Meta, Person, Shift, ShiftFilter } from './api.ts';
export { type ListOptions, type ReadOptions, ShiftfeedClient, type WatchOptions } from './client.ts';
export {
  filterReachingInto,
  type IsoWeek,
  isoWeekOf,
  onNow,
  reachesInto,
  type ShiftTimes,
  shiftEnd,
  shiftMinutes,
  shiftStart,
  todayIn,
  weekFilter,
} from './days.ts';
export {
  ShiftfeedAccessError,
  ShiftfeedAnswerError,
  ShiftfeedChangedError,
  ShiftfeedError,
  ShiftfeedUnavailableError,
} from './errors.ts';
export type { ShiftfeedClientOptions } from './options.ts';
export type { OnChange } from './source.ts';
export type { ShiftChanges } from './watch.ts';
