export type { Group, Location, Meta, Person, Shift, ShiftFilter } from './api.ts';
export type { ShiftChanges } from './changes.ts';
export { type ListOptions, type ReadOptions, ShiftfeedClient, type WatchOptions } from './client.ts';
export { filterReachingInto, type IsoWeek, isoWeekOf, reachesInto, weekFilter } from './days.ts';
export {
  ShiftfeedAccessError,
  ShiftfeedAnswerError,
  ShiftfeedChangedError,
  ShiftfeedError,
  ShiftfeedUnavailableError,
} from './errors.ts';
export type { ShiftfeedClientOptions } from './options.ts';
export type { ShiftPage } from './page.ts';
export type { OnChange } from './pages-in-turn.ts';
export { onNow, type ShiftTimes, shiftEnd, shiftMinutes, shiftStart, todayIn } from './times.ts';
