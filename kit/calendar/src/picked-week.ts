/** The explorer of the service counts weeks as the calendar does. No other module here needs this one. */

export { daysOfWeek, readWeek } from '@shiftfeed/common/picked-week';
