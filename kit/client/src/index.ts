export type { Group, Location, Meta, Person, Shift, ShiftFilter } from './api.ts';
export { type ListOptions, type ReadOptions, ShiftfeedClient } from './client.ts';
export {
  ShiftfeedAccessError,
  ShiftfeedAnswerError,
  ShiftfeedChangedError,
  ShiftfeedError,
  ShiftfeedUnavailableError,
} from './errors.ts';
export type { ShiftfeedClientOptions } from './options.ts';
export type { ShiftPage } from './page.ts';
export type { OnChange } from './reading.ts';
