/**
 * What the benchmark is for: how fast Shiftfeed is meant to be, as ratios of what is measured in one run. A missed aim
 * is named in the results with the reason that stands here.
 */

export interface Aim {
  readonly sign: '≥' | '≤';
  readonly limit: number;
  readonly sentence: string;
  /** Why it is missed, where it is. */
  readonly reason: string;
  /** After the number. */
  readonly unit?: string;
  /** Another limit for processors of this architecture. */
  readonly limitOnX64?: number;
}

const UNKNOWN = 'the reason is not known yet.';

function atLeast(limit: number, sentence: string, reason = UNKNOWN): Aim {
  return { sign: '≥', limit, sentence, reason };
}

function atMost(limit: number, sentence: string, reason = UNKNOWN): Aim {
  return { sign: '≤', limit, sentence, reason };
}

export const AIMS = {
  pageToFixed: {
    ...atLeast(
      0.85,
      'Pages of 500, of any filter, to Fastify sending the same bytes from a fixed buffer, in processor time',
      'the fixed buffer looks at nothing. For a page the token is looked up, the database is asked whether anything was written, the page is put together from slices, and there are more headers to send.',
    ),
    limitOnX64: 0.8,
  },
  tenToFixed: {
    ...atLeast(
      0.75,
      'Ten a page, to a fixed buffer of the same bytes, in processor time',
      'the smaller the page, the more weigh the token, the question to the database and the headers, none of which the fixed buffer has.',
    ),
    limitOnX64: 0.7,
  },
  notModified: atLeast(
    0.8,
    '304, to a fixed 304 of Fastify with the same headers, in processor time',
    'the fixed 304 looks at nothing. For this one the token is looked up, and the database is asked whether anything was written.',
  ),
  compressedToFixed: {
    ...atLeast(
      0.8,
      'A compressed page from memory, to a fixed buffer of the same page compressed, in processor time',
      'as for other pages: the fixed buffer looks up neither a token nor what was written.',
    ),
    limitOnX64: 0.7,
  },
  gateway: atLeast(
    0.75,
    'A visit of the gateway, JSON or calendar, to Fastify sending the same bytes from a fixed buffer, in processor time',
    'the fixed buffer looks at nothing. For a visit, the answer is looked for by feed, day, query and language, and there are more headers to send.',
  ),
  postgres16: {
    ...atLeast(
      0.85,
      'Pages in memory with PostgreSQL, to SQLite, 16 connections, in processor time of the service',
      'a question to PostgreSQL is a message to another process and its answer. Requests that wait at the same moment share one, and with few connections few do.',
    ),
    limitOnX64: 0.8,
  },
  postgres64: {
    ...atLeast(
      0.95,
      'The same with 64 connections',
      'a question to PostgreSQL is a message to another process and its answer.',
    ),
    limitOnX64: 0.9,
  },
  firstPageToTypicalSmall: atLeast(
    30,
    'The first page of 500, to the typical service (the faster of its two), 5,000 shifts a year',
  ),
  firstPageToTypicalLarge: atLeast(
    200,
    'The first page of 500, to the typical service (the faster of its two), 128,000 shifts a year',
  ),
  otherPagesToTypical: atLeast(
    30,
    'Last page, a week, two groups, a weekday, `published=false`, 10 a page, each to the typical service, 128,000 shifts a year',
  ),
  flat: atMost(1.5, 'How much slower a page of as many rows is in the largest account than in the smallest'),
  latency: atMost(2, 'p99 at half of the maximal rate, to that of the fixed buffer at the same rate'),
  writer: atLeast(
    0.85,
    'Pages while a shift of the month most read changes every second, to pages without, 128,000 shifts a year',
  ),
  neighbourLatency: atMost(
    3,
    'p99 of a warm account while one of 128,000 shifts a year is loaded, to p99 without',
    'on one core the thread that loads and the requests take turns, and the system lets even a thread of low priority run for some milliseconds at a time. The threads in which V8 compiles and collects garbage for it have normal priority.',
  ),
  neighbourThroughput: atLeast(
    0.7,
    'Pages of a warm account while one of 128,000 shifts a year is loaded, to pages without',
  ),
  coldAnswer: atMost(
    1.3,
    'Time of the first answer of 128,000 shifts a year, to that of the typical service on the same database',
  ),
  start: {
    ...atMost(
      0.35,
      'From the start of the process to the first answer of a small account, beyond the start of Node itself',
      'modules are loaded, the database is opened and a thread is started before the first answer. The typical service, which does less, needs about as long on SQLite.',
    ),
    unit: ' s',
  },
  memoryLarge: {
    ...atMost(150, 'Memory beyond the cache budget at its highest, when an account does not fit the budget'),
    unit: ' MB',
  },
  memoryMany: {
    ...atMost(
      100,
      'Memory beyond the cache budget at its highest, when 10,000 accounts are read',
      'before its first request, a process has 100 to 130 MB, 60 of them the program of Node, mapped from its file.',
    ),
    unit: ' MB',
  },
  streamsQuiet: {
    ...atMost(10, 'Processor time of 5,000 quiet streams on one process, of a core'),
    unit: ' %',
  },
  streamsMemory: {
    ...atMost(
      10,
      'Memory of a quiet stream',
      'Node keeps about 12 kB of every open connection, idle ones included; where each stream is of another account, that account is in memory, too.',
    ),
    unit: ' kB',
  },
  streamsPages: atMost(
    2,
    'p99 of pages beside 1,000 streams of an account that changes every second, to that without',
  ),
  importToPlain: atLeast(
    0.4,
    'An import of a million new rows, to the fastest plain way of writing the same rows',
    'every row is read, checked and staged before it is written, and the plain way has none of that. On PostgreSQL, two cores have to do for reading, staging and the server.',
  ),
  importAgain: atLeast(
    20,
    'How many times as fast an import of a million rows is when nothing has changed',
    'the file is not read again, but Node starts, and all of its bytes are hashed.',
  ),
  importMemory: { ...atMost(300, 'Memory of an import at its highest'), unit: ' MB' },
  workersProcessor: atLeast(
    0.85,
    'A request to two workers, to one without workers, in processor time',
    'each worker asks the database for its own requests, so fewer of them share a question, and two processes share the caches of the processor.',
  ),
  workers: atLeast(
    0.85,
    'What a second worker gains, to what the cores of this machine allow beside the load',
    'three processes and the load share two cores, and wait for each other.',
  ),
} as const satisfies Readonly<Record<string, Aim>>;

export type AimName = keyof typeof AIMS;

/** Beyond this, two runs may differ by more than 0.03. */
export const MAX_UNCERTAINTY = 0.015;

export function limitOn(architecture: string, name: AimName): number {
  const { limit, limitOnX64 = limit }: Aim = AIMS[name];
  return architecture === 'x64' ? limitOnX64 : limit;
}

/** Whether an aim is met. When a value is known badly and lies close to the limit, nobody can tell. */
export function judge(
  { aim, value, uncertainty = 0 }: { aim: AimName; value: number; uncertainty?: number },
  architecture: string,
): 'met' | 'missed' | 'cannot tell' {
  const limit = limitOn(architecture, aim);
  const isMet = (tried: number) => (AIMS[aim].sign === '≥' ? tried >= limit : tried <= limit);
  const isClose = isMet(value - uncertainty) !== isMet(value + uncertainty);
  if (uncertainty > MAX_UNCERTAINTY && isClose) return 'cannot tell';
  return isMet(value) ? 'met' : 'missed';
}
