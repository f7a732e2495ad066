/** The example requests of the description. A test sends each of them to the service and compares the response. */

import type { ListingBody } from '../listing/response.ts';
import type { ErrorBody } from '../protocol/problems.ts';

interface Example {
  /** What the reader learns from the example. */
  readonly summary: string;
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request has a live token. */
  readonly hasToken: boolean;
  readonly status: number;
  readonly body: ListingBody | ErrorBody;
}

export const EXAMPLES = {
  oneDay: {
    summary: 'The shifts of one day',
    method: 'GET',
    target: '/acme/api/v1/shifts?day=2027-03-06',
    hasToken: true,
    status: 200,
    body: {
      shifts: [
        {
          id: 5001,
          date: '2027-03-06',
          start_time: '18:30',
          end_time: '01:00',
          end_date: '2027-03-07',
          group: { id: 10, name: 'Counter' },
          location: { name: 'Pier', address: 'Long Pier 4' },
          person: { name: 'Noor' },
          publish_date: '2026-11-01',
          remarks: 'Live music from nine',
          starred: true,
          cancelled: false,
          noshow: false,
        },
      ],
      meta: { total: 1, page: 1, per_page: 500, total_pages: 1 },
    },
  },
  openShift: {
    summary: 'An open shift without a location, with a page size of 1',
    method: 'GET',
    target: '/acme/api/v1/shifts?date_from=2026-12-01&date_to=2027-01-31&group_ids=11&per_page=1',
    hasToken: true,
    status: 200,
    body: {
      shifts: [
        {
          id: 5000,
          date: '2026-12-31',
          start_time: '09:00',
          end_time: '17:30',
          end_date: '2026-12-31',
          group: { id: 11, name: 'Kitchen' },
          location: null,
          person: null,
          publish_date: '2026-11-01',
          remarks: '',
          starred: false,
          cancelled: false,
          noshow: false,
        },
      ],
      meta: { total: 2, page: 1, per_page: 1, total_pages: 2 },
    },
  },
  pastTheEnd: {
    summary: 'A page past the end',
    method: 'GET',
    target: '/acme/api/v1/shifts?day=2027-03-06&page=2',
    hasToken: true,
    status: 200,
    body: { shifts: [], meta: { total: 1, page: 2, per_page: 500, total_pages: 1 } },
  },
  badParameters: {
    summary: 'Two invalid parameters',
    method: 'GET',
    target: '/acme/api/v1/shifts?month=12&days=0',
    hasToken: true,
    status: 400,
    body: {
      error:
        'Unknown parameter "month": did you mean "months"? days has the value "0"; expected whole numbers from 1 to 7 (1 is ' +
        'Sunday), separated by commas.',
    },
  },
  noToken: {
    summary: 'A request without a token',
    method: 'GET',
    target: '/acme/api/v1/shifts',
    hasToken: false,
    status: 401,
    body: { error: 'Invalid or expired API token' },
  },
  unknownAccount: {
    summary: 'A live token, but no account of that name',
    method: 'GET',
    target: '/nowhere/api/v1/shifts',
    hasToken: true,
    status: 404,
    body: { error: 'There is no account "nowhere".' },
  },
  wrongMethod: {
    summary: 'An attempt to write',
    method: 'POST',
    target: '/acme/api/v1/shifts',
    hasToken: true,
    status: 405,
    body: { error: 'Shifts can only be read: expected the method GET, HEAD or OPTIONS.' },
  },
  nothingAcceptable: {
    summary: 'A client that refuses every encoding',
    method: 'GET',
    target: '/acme/api/v1/shifts',
    headers: { 'accept-encoding': '*;q=0' },
    hasToken: true,
    status: 406,
    body: {
      error:
        'The Accept-Encoding header rules out every encoding: expected it to allow zstd, br, gzip or identity.',
    },
  },
} as const satisfies Record<string, Example>;

/** The examples with this status, in the form that OpenAPI expects. */
export function examplesOf(status: number): object {
  const examples = Object.entries<Example>(EXAMPLES).filter(([, example]) => example.status === status);
  return Object.fromEntries(
    examples.map(([name, { summary, method, target, body }]) => [
      name,
      { summary, description: `\`${method} ${target}\``, value: body },
    ]),
  );
}

interface ExampleQuery {
  readonly query: string;
  readonly meaning: string;
  /** The first and the last day that can be listed, unless they depend on today. */
  readonly days?: readonly [string, string];
}

/** Queries that are easy to get wrong. */
export const EXAMPLE_QUERIES: readonly ExampleQuery[] = [
  { query: '', meaning: 'From today to the same day 12 months on, both included' },
  {
    query: 'day=2027-03-06',
    meaning: 'Shifts that start on that day, even if they end on the next',
    days: ['2027-03-06', '2027-03-06'],
  },
  {
    query: 'date_from=2026-12-01&date_to=2027-01-31',
    meaning: 'A range across New Year, both ends included',
    days: ['2026-12-01', '2027-01-31'],
  },
  {
    query: 'months=12,1&years=2026',
    meaning: 'January *and* December of 2026, not the winter',
    days: ['2026-01-01', '2026-12-31'],
  },
  {
    query: 'weeks=1&years=2026',
    meaning: 'The first ISO week of 2026, which begins in 2025',
    days: ['2025-12-29', '2026-01-04'],
  },
  {
    query: 'weeks=53&years=2026',
    meaning: 'The last ISO week of 2026, which ends in 2027',
    days: ['2026-12-28', '2027-01-03'],
  },
  {
    query: 'days=7,1&years=2026',
    meaning: 'The Saturdays and Sundays of 2026, past ones too',
    days: ['2026-01-03', '2026-12-27'],
  },
  { query: 'days=7,1', meaning: 'All Saturdays and Sundays from today on' },
  { query: 'group_ids=10&published=false', meaning: 'One group, unpublished shifts included' },
];
