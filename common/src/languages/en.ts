/** What the calendar says, and the page of the gateway in part. Every other language says the same, by these names. */
export const ENGLISH = {
  calendar: 'Shifts',
  view: 'View',
  list: 'List',
  week: 'Week',
  month: 'Month',
  navigation: 'Dates',
  today: 'Today',
  previous_week: 'Previous week',
  next_week: 'Next week',
  previous_month: 'Previous month',
  next_month: 'Next month',
  week_number: 'Week {number}',
  earlier: 'Show earlier shifts',
  later: 'Show later shifts',
  loading: 'Loading shifts…',
  empty: 'No shifts from {from} to {to}.',
  empty_day: 'No shifts',
  error: 'The shifts could not be loaded.',
  retry: 'Try again',
  stale: 'Could not be updated. These are the shifts as of {time}.',
  no_source: 'This calendar has no source yet.',
  too_many: 'Only the first {count} shifts are shown.',
  zone: 'All times are local times in {zone}.',
  shift: 'Shift',
  shifts_one: '{count} shift',
  shifts_other: '{count} shifts',
  more: '+{count} more',
  open: 'Open',
  cancelled: 'Cancelled',
  starred: 'Starred',
  noshow: 'No-show',
  until: 'until {time}',
  until_day: 'until {day}',
  since: 'since {time}',
  all_day: 'All day',
  your_time: 'In your time zone: {time}',
  published: 'Published on {date}',
  groups: 'Groups',
  search: 'Search',
  no_match: 'No shifts match.',
  subscribe: 'Subscribe',
  calendar_app: 'Calendar app',
  copy: 'Copy address',
  copied: 'Address copied',
  may_follow: 'This list ends on {day}. Later shifts may follow.',
};

/** What the page of the gateway says besides. */
export const ENGLISH_ON_PAGE = {
  calendars_look:
    'Calendars look for changes in their own time: most about once an hour, Google Calendar up to a day later.',
  your_shifts: 'Your shifts',
  yours_alone: 'This address is yours alone: whoever knows it can see your shifts.',
  unavailable: 'The shifts cannot be shown at the moment. Please try again soon.',
  nothing: 'Nothing here',
  nothing_here: 'There is nothing at this address. Please check it, or ask whoever gave it to you.',
};

/** What a board says, in the calendar and on the page of the gateway. */
export const ENGLISH_ON_BOARD = {
  on_now: 'On now',
  next: 'Next',
  open_shifts: 'Open shifts',
  nobody_on: 'Nobody is on right now.',
  nothing_next: 'No more shifts up to {day}.',
  unknown: 'It is not known who is on: there are no shifts at hand for today.',
  updated: 'Last updated: {time}',
};

export type MessageKey = keyof typeof ENGLISH;
/** How shifts are counted in languages that have more than one and many, as `Intl.PluralRules` names it. */
type PluralKey = 'shifts_zero' | 'shifts_two' | 'shifts_few' | 'shifts_many';
export type Messages = Readonly<Record<MessageKey, string> & Partial<Record<PluralKey, string>>>;

export type PageMessages = Readonly<Record<keyof typeof ENGLISH_ON_PAGE, string>>;

export type BoardMessages = Readonly<Record<keyof typeof ENGLISH_ON_BOARD, string>>;
