export { dateAfter, isDate, isTime, knownDateOf, readDate } from './days.ts';
