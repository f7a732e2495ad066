export { type ShiftTimes, type Span, spanOf, wallMsOf } from './zone.ts';
