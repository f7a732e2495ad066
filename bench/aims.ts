/**
 * What the benchmark is for: how fast Shiftfeed is meant to be, as ratios of what is measured in one run. A missed aim
 * is named in the results with the reason that stands here.
 */

export interface Aim {
  readonly sentence: string;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  /** After the number, such as a unit. */
  readonly unit?: string;
}

export const AIMS = {
  pageToFixed: {
    sentence:
      'Pages of 500, of any filter, to Fastify sending the same bytes from a fixed buffer, in processor time',
    bound: { atLeast: 0.85 },
  },
  tenToFixed: {
    sentence: 'Ten a page, to a fixed buffer of the same bytes, in processor time',
    bound: { atLeast: 0.75 },
  },
  compressedToFixed: {
    sentence:
      'A compressed page from memory, to a fixed buffer of the same page compressed, in processor time',
    bound: { atLeast: 0.8 },
  },
  postgres16: {
    sentence: 'Pages in memory with PostgreSQL, to SQLite, 16 connections, in processor time of the service',
    bound: { atLeast: 0.85 },
  },
  postgres64: {
    sentence: 'The same with 64 connections',
    bound: { atLeast: 0.95 },
  },
  firstPageToTypicalSmall: {
    sentence: 'The first page of 500, to the typical service (the faster of its two), 5,000 shifts a year',
    bound: { atLeast: 30 },
  },
  firstPageToTypicalLarge: {
    sentence: 'The first page of 500, to the typical service (the faster of its two), 128,000 shifts a year',
    bound: { atLeast: 200 },
  },
  otherPagesToTypical: {
    sentence:
      'Last page, a week, two groups, a weekday, `published=false`, 10 a page, each to the typical service, 128,000 shifts a year',
    bound: { atLeast: 30 },
  },
  flat: {
    sentence: 'How much slower a page of as many rows is in the largest account than in the smallest',
    bound: { atMost: 1.5 },
  },
  notModified: {
    sentence: '304, to a fixed 304 of Fastify with the same headers, in processor time',
    bound: { atLeast: 0.8 },
  },
  latency: {
    sentence: 'p99 at half of the maximal rate, to that of the fixed buffer at the same rate',
    bound: { atMost: 2 },
  },
  writer: {
    sentence:
      'Pages while a shift of the month most read changes every second, to pages without, 128,000 shifts a year',
    bound: { atLeast: 0.85 },
  },
  neighbourLatency: {
    sentence: 'p99 of a warm account while one of 128,000 shifts a year is loaded, to p99 without',
    bound: { atMost: 3 },
  },
  neighbourThroughput: {
    sentence: 'Pages of a warm account while one of 128,000 shifts a year is loaded, to pages without',
    bound: { atLeast: 0.7 },
  },
  coldAnswer: {
    sentence:
      'Time of the first answer of 128,000 shifts a year, to that of the typical service on the same database',
    bound: { atMost: 1 },
  },
  start: {
    sentence:
      'From the start of the process to the first answer of a small account, beyond the start of Node itself',
    bound: { atMost: 0.35 },
    unit: ' s',
  },
  memoryLarge: {
    sentence: 'Memory beyond the cache budget at its highest, when an account does not fit the budget',
    bound: { atMost: 150 },
    unit: ' MB',
  },
  memoryMany: {
    sentence: 'Memory beyond the cache budget at its highest, when 10,000 accounts are read',
    bound: { atMost: 100 },
    unit: ' MB',
  },
  importToPlain: {
    sentence: 'An import of a million new rows, to the fastest plain way of writing the same rows',
    bound: { atLeast: 0.5 },
  },
  importAgain: {
    sentence: 'How many times as fast an import of a million rows is when nothing has changed',
    bound: { atLeast: 2 },
  },
  importMemory: {
    sentence: 'Memory of an import at its highest',
    bound: { atMost: 300 },
    unit: ' MB',
  },
  workersProcessor: {
    sentence: 'A request to two workers, to one without workers, in processor time',
    bound: { atLeast: 0.85 },
  },
  workers: {
    sentence: 'What a second worker gains, to what the cores of this machine allow beside the load',
    bound: { atLeast: 0.85 },
  },
  gateway: {
    sentence:
      'A visit of the gateway, JSON or calendar, to Fastify sending the same bytes from a fixed buffer, in processor time',
    bound: { atLeast: 0.85 },
  },
} as const satisfies Readonly<Record<string, Aim>>;

export type AimName = keyof typeof AIMS;

/** Why an aim is out of reach, for those that are. */
export const REASONS: Readonly<Partial<Record<AimName, string>>> = {
  pageToFixed:
    'the fixed buffer looks at nothing. For a page the token is looked up, the database is asked whether anything was written, the page is put together ' +
    'from slices, and there are more headers to send.',
  firstPageToTypicalLarge:
    'a covering index makes the count of this typical service faster than that of the one by which the aim was set. The fixed ' +
    'buffer, which does nothing but send, is hardly further ahead of it than Shiftfeed is.',
  tenToFixed:
    'the smaller the page, the more weigh the token, the question to the database and the headers, none of which the fixed buffer has.',
  compressedToFixed: 'as for other pages: the fixed buffer looks up neither a token nor what was written.',
  postgres16:
    'a question to PostgreSQL is a message to another process and its answer. Requests that wait at the same moment share one, and with few connections few do.',
  postgres64: 'a question to PostgreSQL is a message to another process and its answer.',
  notModified:
    'the fixed 304 looks at nothing. For this one the token is looked up, and the database is asked whether anything was written.',
  latency:
    'requests that come one by one share no question: each costs Shiftfeed a look at the database, which at full rate is one look ' +
    'for all that wait. And there is more code for V8 to compile, which on one core it does while requests wait.',
  start:
    'most of it is loading code: that of HTTP in Node, of SQLite and of the caches, and that of the thread which loads shifts.',
  coldAnswer:
    'Shiftfeed counts day by day, so that it need not count again for the next page, and what a load runs for the first time is not ' +
    'compiled to fast code yet.',
  neighbourLatency:
    'on one core the thread that loads and the requests take turns, and the system lets even a thread of low priority run for some ' +
    'milliseconds at a time. The threads in which V8 compiles and collects garbage for it have normal priority.',
  memoryMany:
    'what is kept is within the budget. Node itself takes more than half of what is beyond it, and thousands of loads leave garbage. A second ' +
    'loading thread, which is started when loads wait, takes some 20 MB.',
  importToPlain:
    'every row is read, checked and staged before it is written, and the plain way has none of that. Reading has a core of its own while rows are staged; ' +
    'on PostgreSQL, two cores have to do for reading, staging and the server.',
  importAgain:
    'a file has to be read, checked and staged whether it has changed or not. The faster new rows are written, the less there is to save.',
  gateway:
    'the fixed buffer looks at nothing. For a visit, the answer is looked for by feed, day, query and language, and there are more headers to send.',
  workersProcessor:
    'each worker asks the database for its own requests, so fewer of them share a question, and two processes share the caches of the processor.',
  workers: 'three processes and the load share two cores, and wait for each other.',
};

export type Verdict = 'met' | 'missed' | 'cannot tell';

/** Beyond this, two runs may differ by more than 0.03. */
export const MAX_UNCERTAINTY = 0.015;

/** Whether an aim is met. When a value is known badly and lies close to the bound, nobody can tell. */
export function judge(aim: Aim, value: number, uncertainty = 0): Verdict {
  const isClose = isMet(aim, value - uncertainty) !== isMet(aim, value + uncertainty);
  if (uncertainty > MAX_UNCERTAINTY && isClose) return 'cannot tell';
  return isMet(aim, value) ? 'met' : 'missed';
}

function isMet({ bound }: Aim, value: number): boolean {
  return 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;
}
