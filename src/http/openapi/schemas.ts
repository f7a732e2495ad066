/**
 * The bodies of all responses as JSON Schema. The compiler compares each schema with the type of the body that the
 * service writes: a property that is missing, superfluous or of another type does not compile.
 */

import { FIRST_YEAR, LAST_YEAR } from '../../listing/calendar.ts';
import { MAX_PER_PAGE } from '../../listing/filter.ts';
import type { ListedShift } from '../../listing/shift.ts';
import type { ListingBody } from '../listing/response.ts';
import type { ErrorBody } from '../protocol/problems.ts';

interface Bodies {
  readonly Listing: ListingBody;
  readonly Meta: ListingBody['meta'];
  readonly Shift: ListedShift;
  readonly Group: ListedShift['group'];
  readonly Location: NonNullable<ListedShift['location']>;
  readonly Person: NonNullable<ListedShift['person']>;
  readonly Error: ErrorBody;
  readonly Status: { readonly status: 'ok' | 'ready' };
}

const ID = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const DATE = { type: 'string', format: 'date' } as const;
const TIME = { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' } as const;
const NAME = { type: 'string', minLength: 1 } as const;
const FLAG = { type: 'boolean' } as const;
const NULL = { type: 'null' } as const;

export const SCHEMAS: { readonly [N in keyof Bodies]: ObjectSchema<Bodies[N]> } = {
  Listing: object('One page of the matching shifts, and how many there are.', {
    shifts: {
      type: 'array',
      items: reference('Shift'),
      maxItems: MAX_PER_PAGE,
      description:
        'In the order of the account: by date and start time, or by date, group name and start time.',
    },
    meta: reference('Meta'),
  }),
  Meta: object('The position of the page among all pages.', {
    total: { ...COUNT, description: 'How many shifts match, on all pages.' },
    page: { ...ID, description: 'The number of this page.' },
    per_page: { ...ID, maximum: MAX_PER_PAGE, description: 'The page size that was applied.' },
    total_pages: { ...COUNT, description: 'The number of pages, 0 when nothing matches.' },
  }),
  Shift: object('A work shift.', {
    id: { ...ID, description: 'Unique among the shifts of the account.' },
    date: {
      ...DATE,
      description: `The day on which the shift starts. Date filters compare this day only. From ${FIRST_YEAR}-01-01 to ${LAST_YEAR}-12-31.`,
      examples: ['2027-03-06'],
    },
    start_time: { ...TIME, description: '24 hours, 00:00 to 23:59.', examples: ['18:30'] },
    end_time: { ...TIME, description: 'On `end_date`.', examples: ['01:00'] },
    end_date: {
      ...DATE,
      description: 'The day on which the shift ends. For an overnight shift, it is later than `date`.',
      examples: ['2027-03-07'],
    },
    group: reference('Group'),
    location: { anyOf: [reference('Location'), NULL], description: 'null when the shift has none.' },
    person: {
      anyOf: [reference('Person'), NULL],
      description: 'null when the shift is open: nobody is assigned.',
    },
    publish_date: {
      ...DATE,
      description:
        'The day from which the shift is published. Before that day, it is listed only with `published=false`.',
      examples: ['2026-11-01'],
    },
    remarks: {
      type: 'string',
      description: 'Empty when there are none.',
      examples: ['Live music from nine'],
    },
    starred: { ...FLAG, description: 'Whether the shift is highlighted.' },
    cancelled: { ...FLAG, description: 'Whether the shift was cancelled. Cancelled shifts are listed.' },
    noshow: { ...FLAG, description: 'Whether the assigned person did not show up.' },
  }),
  Group: object('The group that a shift belongs to. Private groups are listed like the others.', {
    id: { ...ID, description: 'The id to use in `group_ids`.', examples: [10] },
    name: { ...NAME, examples: ['Counter'] },
  }),
  Location: object('Where a shift takes place.', {
    name: { ...NAME, examples: ['Pier'] },
    address: { type: 'string', description: 'Empty when it is unknown.', examples: ['Long Pier 4'] },
  }),
  Person: object('Who is assigned to a shift.', { name: { ...NAME, examples: ['Noor'] } }),
  Error: object('What went wrong.', {
    error: { type: 'string', minLength: 1, description: 'One or more sentences for people.' },
  }),
  Status: object('The state of the service.', {
    status: { type: 'string', enum: ['ok', 'ready'], description: 'A word for programs.' },
  }),
};

export function reference<N extends keyof Bodies>(name: N): Reference<N> {
  return { $ref: `#/components/schemas/${name}` };
}

/** Every property is required. Additional properties are allowed, so that the API can add some later. */
function object<T extends object>(
  description: string,
  properties: NoInfer<ObjectSchema<T>['properties']>,
): ObjectSchema<T> {
  return { type: 'object', description, required: Object.keys(properties), properties };
}

interface ObjectSchema<T> {
  readonly type: 'object';
  readonly description: string;
  readonly required: readonly string[];
  readonly properties: { readonly [K in keyof T]-?: SchemaOf<T[K]> };
}

interface Reference<N extends keyof Bodies> {
  readonly $ref: `#/components/schemas/${N}`;
}

/** The name of the body with exactly this type. */
type NameOf<T> = { [N in keyof Bodies]: [T, Bodies[N]] extends [Bodies[N], T] ? N : never }[keyof Bodies];

type SchemaOf<T> = null extends T
  ? { readonly anyOf: readonly [SchemaOf<NonNullable<T>>, typeof NULL] } & Notes<T>
  : [T] extends [readonly (infer Item)[]]
    ? { readonly type: 'array'; readonly items: SchemaOf<Item>; readonly maxItems: number } & Notes<T>
    : [T] extends [object]
      ? Reference<NameOf<T>>
      : PrimitiveSchemaOf<T>;

type PrimitiveSchemaOf<T> = Notes<T> &
  ([T] extends [string]
    ? {
        readonly type: 'string';
        readonly format?: 'date';
        readonly pattern?: string;
        readonly minLength?: number;
        readonly enum?: readonly T[];
      }
    : [T] extends [number]
      ? { readonly type: 'integer'; readonly minimum: number; readonly maximum?: number }
      : { readonly type: 'boolean' });

interface Notes<T> {
  readonly description?: string;
  readonly examples?: readonly T[];
}
