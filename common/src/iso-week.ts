export { type IsoWeek, isoWeekOf, mondayOf } from './days.ts';
