/** The prose of the description. It explains mainly what is easy to get wrong. Each paragraph is one line. */

import { EXAMPLE_QUERIES } from './examples.ts';

export const OVERVIEW = [
  'Lists the work shifts of one account as JSON: read-only, filtered by date, group and location, in pages of at most 500.',
  'Every request carries a token of the account in the header `Authorization: Bearer <token>`. **The token reads the shifts of ' +
    'all active groups, private groups too.** Keep it on servers that you trust, not in a web page or an app.',
  '### Good to know',
  [
    '**The next 12 months** are listed when no date filter is given: from today to the same day a year on, both included. ' +
      '`group_ids`, `location_ids`, `published`, `page` and `per_page` do not change that.',
    '**Today** is the current date in the time zone of the account.',
    '**Only the start counts.** A shift from 22:00 to 06:00 belongs to the day on which it starts.',
    '**1 is Sunday** in `days`, 2 Monday, 7 Saturday.',
    '**Weeks are ISO weeks**, Monday to Sunday. Together with `weeks`, `years` means ISO years: `weeks=1&years=2026` begins on 29 ' +
      'December 2025.',
    '**From today on.** Without `years`, `weeks` and `days` list nothing before today, whatever the other filters are.',
    '**Ranges include both ends.** `date_from` and `date_to` may also be used alone.',
    '**All filters apply together.** An unknown parameter, an empty value or one out of range is an error (400) and never ignored.',
  ]
    .map((item) => `- ${item}`)
    .join('\n'),
].join('\n\n');

export const LISTING_GUIDE = [
  'Lists the shifts that match all filters. Lists such as `months` may be written `months=1,12`, repeated ' +
    '`months=1&months=12`, or with brackets `months[]=1&months[]=12`, which may contain indices.',
  ['| Query | Lists | Days |', '|---|---|---|', ...EXAMPLE_QUERIES.map(tableRow)].join('\n'),
].join('\n\n');

function tableRow({ query, meaning, days }: (typeof EXAMPLE_QUERIES)[number]): string {
  const asked = query === '' ? '(none)' : `\`${query}\``;
  const spanned = days === undefined ? 'relative to today' : [...new Set(days)].join(' to ');
  return `| ${asked} | ${meaning} | ${spanned} |`;
}
