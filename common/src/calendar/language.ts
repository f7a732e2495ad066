/** Words, dates and times as the visitor's language has them. Everything but the sentences comes from `Intl`. */

import { DAY_MS, type Day, type IsoWeekday } from '../days.ts';
import type { MessageKey } from '../languages/en.ts';
import { directionOf, LANGUAGES } from '../languages/languages.ts';

export type Language = ReturnType<typeof speak>;

const DATES = {
  fullDate: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  longDate: { weekday: 'long', day: 'numeric', month: 'long' },
  date: { day: 'numeric', month: 'long', year: 'numeric' },
  shortDate: { weekday: 'short', day: 'numeric', month: 'short' },
  weekday: { weekday: 'long' },
  shortWeekday: { weekday: 'short' },
  narrowWeekday: { weekday: 'narrow' },
  dayOfMonth: { day: 'numeric' },
  dayAndMonth: { day: 'numeric', month: 'long' },
  month: { month: 'long', year: 'numeric' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

type Values = Readonly<Record<string, string | number>>;

export interface Preferences {
  /** The tag that the page gave the calendar. */
  readonly chosen: string | null;
  /** The tag of the page around it. */
  readonly page: string | null;
  /** The tags of the visitor's browser. */
  readonly visitor: readonly string[];
}

export function speak(preferences: Preferences, ownMessages: Readonly<Record<string, unknown>>) {
  const locale = withWords(findLocale(preferences), ownMessages);
  const tag = locale.toString();
  return {
    /** A BCP 47 tag, for the attribute `lang`. */
    tag: locale.baseName,
    direction: directionOf(locale),
    firstWeekday: firstWeekdayOf(locale),
    ...makeWords(tag, (languages) => messagesIn(languages, locale.language, ownMessages)),
    ...makeDates(tag),
    ...makeClock(tag),
  };
}

/**
 * Where there are no words in a language, dates are not in it, either: a reader of English is not helped by dates in
 * Japanese. Clock and week are still those of the visitor's country.
 */
function withWords(locale: Intl.Locale, own: Readonly<Record<string, unknown>>): Intl.Locale {
  if (locale.language in LANGUAGES || Object.keys(own).length > 0) return locale;
  const { region } = locale.maximize();
  return new Intl.Locale('en', { calendar: 'gregory', ...(region !== undefined && { region }) });
}

/** The messages of a language, or else English, with those in their place that the page brings along. */
function messagesIn<Messages extends object>(
  languages: Readonly<Record<string, Messages>>,
  language: string,
  own: Readonly<Record<string, unknown>>,
): Messages {
  const texts = Object.entries(own).filter(([, text]) => typeof text === 'string');
  return { ...((languages[language] ?? languages.en) as Messages), ...Object.fromEntries(texts) };
}

/** Sentences and numbers. */
function makeWords(tag: string, choose: <M extends object>(languages: Readonly<Record<string, M>>) => M) {
  const messages: Readonly<Record<string, string>> = choose(LANGUAGES);
  const numberFormat = new Intl.NumberFormat(tag);
  const hourFormat = new Intl.NumberFormat(tag, { style: 'unit', unit: 'hour', unitDisplay: 'long' });
  const plurals = new Intl.PluralRules(tag);

  function fill(text: string, values: Values): string {
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name] ?? whole;
      return typeof value === 'number' ? numberFormat.format(value) : value;
    });
  }

  return {
    say: (key: MessageKey, values: Values = {}): string => fill(messages[key] ?? '', values),

    /** Says what only some views need. */
    sayFrom<Key extends string>(languages: Readonly<Record<string, Readonly<Record<Key, string>>>>) {
      const texts = choose(languages);
      return (key: Key, values: Values = {}): string => fill(texts[key], values);
    },

    /** "3 shifts" */
    countShifts(count: number): string {
      const text = messages[`shifts_${plurals.select(count)}`] ?? messages.shifts_other ?? '';
      return fill(text, { count });
    },

    number: (count: number): string => numberFormat.format(count),

    /** "8.5 hours" */
    hours: (count: number): string => hourFormat.format(count),
  };
}

function makeDates(tag: string) {
  const formats = new Map<string, Intl.DateTimeFormat>();

  /** To make a format takes far longer than to use it, and not all of them are needed. */
  function dateFormat(form: keyof typeof DATES): Intl.DateTimeFormat {
    let format = formats.get(form);
    if (format === undefined) {
      format = new Intl.DateTimeFormat(tag, { ...DATES[form], timeZone: 'UTC' });
      formats.set(form, format);
    }
    return format;
  }

  return {
    date(day: Day, form: keyof typeof DATES): string {
      return dateFormat(form).format(day * DAY_MS);
    },

    /** "16 – 22 November 2026" */
    dateRange(from: Day, to: Day): string {
      return dateFormat('date').formatRange(from * DAY_MS, to * DAY_MS);
    },
  };
}

/** Times of day, by the clock of the shifts and by that of the visitor. */
function makeClock(tag: string) {
  const has12Hours = new Intl.DateTimeFormat(tag, { hour: 'numeric' }).resolvedOptions().hour12 === true;
  const clock = { hour: has12Hours ? 'numeric' : '2-digit', minute: '2-digit' } as const;
  const timeFormat = new Intl.DateTimeFormat(tag, { ...clock, timeZone: 'UTC' });
  const clockFormat = new Intl.DateTimeFormat(tag, clock);

  /** A year has thousands of shifts, but few different times. */
  const times = new Map<string, string>();

  return {
    clockHours: has12Hours ? '12' : '24',

    /** A time such as 09:00, as it is written here. */
    time(time: string): string {
      // "9:00 AM" must not be broken in two.
      const write = () => timeFormat.format(Date.parse(`1970-01-01T${time}Z`)).replaceAll(' ', '\u00a0');
      const written = times.get(time) ?? write();
      times.set(time, written);
      return written;
    },

    /** What the visitor's clock shows at an instant. */
    clock: (ms: number): string => clockFormat.format(ms),

    /** From one instant to another, by the visitor's clock. */
    instants(fromMs: number, toMs: number): string {
      const format = new Intl.DateTimeFormat(tag, { ...DATES.shortDate, ...clock });
      return format.formatRange(fromMs, toMs);
    },

    /** "Amsterdam (Central European Time)" */
    zone(timeZone: string): string {
      const city = timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? timeZone;
      if (!timeZone.includes('/')) return city;
      const parts = new Intl.DateTimeFormat(tag, { timeZone, timeZoneName: 'longGeneric' }).formatToParts();
      const name = parts.find(({ type }) => type === 'timeZoneName')?.value;
      return name === undefined || name.includes(city) ? city : `${city} (${name})`;
    },
  };
}

/** The first that is a language decides: what a page says need not be one. */
function findLocale({ chosen, page, visitor }: Preferences): Intl.Locale {
  // A page in English says nothing of clocks and weeks, but a visitor from Ireland does.
  const regional = visitor.find((tag) => page !== null && tag.startsWith(`${page}-`));
  for (const tag of [chosen, regional, page, ...visitor]) {
    try {
      if (tag === undefined || tag === null || Intl.DateTimeFormat.supportedLocalesOf(tag).length === 0)
        continue;
      // Shifts have Gregorian dates, and the grids show Gregorian months.
      return new Intl.Locale(tag, { calendar: 'gregory' });
    } catch {
      // Not a tag: the next one may be.
    }
  }
  return new Intl.Locale('en', { calendar: 'gregory' });
}

/** The interfaces of the standard and of browsers that came before it. */
interface WeekInfo {
  getWeekInfo?(): { firstDay: IsoWeekday };
  readonly weekInfo?: { firstDay: IsoWeekday };
}

/** Where weeks begin on another day than Monday, as the CLDR has it, for Firefox, which does not tell. */
const FROM_SATURDAY = 'AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY';
const FROM_SUNDAY =
  'AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN IS JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH ' +
  'PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW';

function firstWeekdayOf(locale: Intl.Locale & WeekInfo): IsoWeekday {
  const known = (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay;
  if (known !== undefined) return known;
  const { region = '001' } = locale.maximize();
  if (FROM_SUNDAY.includes(region)) return 7;
  return FROM_SATURDAY.includes(region) ? 6 : 1;
}
