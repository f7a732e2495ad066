/** What a client is told about wrong parameters. */

import { closest, distance } from 'fastest-levenshtein';
import { quote } from '../../quote.ts';
import { expectation, PARAMETER_NAMES, PARAMETERS, type ParameterName } from './parameters.ts';

export interface ParameterProblem {
  readonly name: ParameterName | 'unknown';
  /** Called only for problems that are shown: there may be thousands, and finding a hint takes time. */
  describe(): string;
}

const MAX_SHOWN_PROBLEMS = 10;
const MAX_HINT_DISTANCE = 2;
const MAX_HINT_LENGTH = 40;

export function summarize(problems: readonly ParameterProblem[]): string {
  const shown = problems.slice(0, MAX_SHOWN_PROBLEMS).map((problem) => problem.describe());
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}

export function badValue(name: ParameterName, text: string): ParameterProblem {
  return {
    name,
    describe() {
      const type = PARAMETERS[name];
      const what = text.trim() === '' ? 'has an empty value' : `has the value ${quote(text)}`;
      const why = type.kind === 'date' && looksLikeDate(text) ? ', a day that does not exist' : '';
      return `${name} ${what}${why}; expected ${expectation(type)}.`;
    },
  };
}

/** Whether a text has the format of a date, and a year in the range. */
function looksLikeDate(text: string): boolean {
  return /^ *[1-9]\d{3}-\d\d-\d\d *$/.test(text);
}

export function givenTwice(name: ParameterName, times: number): ParameterProblem {
  return {
    name,
    describe: () => `${name} was given ${times} times; expected ${expectation(PARAMETERS[name])}, once.`,
  };
}

/** Omits the value, because it might be a token in the wrong place. */
export function unknownParameter(key: string): ParameterProblem {
  return {
    name: 'unknown',
    describe() {
      const hint = nearestName(key);
      const rest =
        hint === undefined ? `known are ${PARAMETER_NAMES.join(', ')}.` : `did you mean ${quote(hint)}?`;
      return `Unknown parameter ${quote(key)}: ${rest}`;
    },
  };
}

/** What other APIs call these parameters, in lower case and without separators. */
const SYNONYMS: ReadonlyMap<string, ParameterName> = new Map(
  Object.entries({
    day: ['date', 'ondate', 'today'],
    date_from: ['from', 'fromdate', 'start', 'startdate', 'since', 'after'],
    date_to: ['to', 'todate', 'end', 'enddate', 'until', 'before'],
    days: ['weekday', 'weekdays', 'dayofweek'],
    weeks: ['week', 'isoweek', 'weeknumber'],
    months: ['month'],
    years: ['year'],
    group_ids: ['group', 'groups', 'groupid', 'team', 'teams'],
    location_ids: ['location', 'locations', 'locationid', 'place'],
    per_page: ['limit', 'perpage', 'pagesize', 'size', 'count', 'max'],
    page: ['offset', 'skip', 'pagenumber'],
    published: ['unpublished', 'ispublished'],
  } satisfies Partial<Record<ParameterName, readonly string[]>>).flatMap(([name, words]) =>
    words.map((word) => [word, name as ParameterName] as const),
  ),
);

function nearestName(key: string): string | undefined {
  if (key.length > MAX_HINT_LENGTH) return undefined;
  const plain = key.toLowerCase().split('[', 1)[0] as string;
  const synonym = SYNONYMS.get(plain.replace(/[_.-]/g, ''));
  if (synonym !== undefined) return synonym;
  const near = closest(plain, PARAMETER_NAMES);
  if (distance(plain, near) <= MAX_HINT_DISTANCE) return near;
  if (plain.length < 3) return undefined;
  return PARAMETER_NAMES.find((name) => name.startsWith(plain) || name.endsWith(plain));
}
