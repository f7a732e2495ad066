/** What `serve` prints once it listens: sentences for programs and logs, or a few aligned lines on a terminal. */

import { describeDatabase } from '../../store/open.ts';
import { table } from '../print.ts';

export interface ServiceFacts {
  readonly root: string;
  readonly metricsUrl: string | undefined;
  /** Whether it has pages for people. */
  readonly pages: boolean;
  readonly database: string;
  readonly readDatabase?: string;
  /** The names of the accounts, or undefined if they could not be read. */
  readonly accounts: readonly string[] | undefined;
}

const ACCOUNTS_SHOWN = 5;

/** Comes first. Its first line holds the URL, because programs wait for that. */
export function beginning({ root, ...facts }: ServiceFacts, isTerminal: boolean): string {
  if (!isTerminal) return `Shiftfeed listens on ${root}`;
  const rows = [
    ...(facts.pages ? [['  Docs', `${root}/docs`]] : []),
    ['  Database', describeDatabase(facts.database)],
    ...(facts.readDatabase === undefined ? [] : [['  Read from', describeDatabase(facts.readDatabase)]]),
    ...(facts.accounts === undefined ? [] : [['  Accounts', describeAccounts(facts.accounts)]]),
    ...(facts.metricsUrl === undefined ? [] : [['  Metrics', facts.metricsUrl]]),
  ];
  return `Shiftfeed listens on ${root}\n\n${table(rows)}\n`;
}

/** Comes after what is printed about the demo account. */
export function ending(facts: ServiceFacts, isTerminal: boolean): string {
  const lines = isTerminal ? [] : [...describeMetrics(facts), describeDatabases(facts)];
  const hints = facts.accounts?.length === 0 ? [NO_ACCOUNT] : [];
  const stop = isTerminal ? ['Ctrl-C stops it.'] : [];
  return [...lines, ...hints, ...stop].join('\n');
}

const NO_ACCOUNT =
  'There is no account yet: "shiftfeed import plan.json" adds one, and the service lists it at once. ' +
  '"shiftfeed serve --demo" adds one with made-up shifts.';

function describeMetrics({ metricsUrl }: Pick<ServiceFacts, 'metricsUrl'>): string[] {
  return metricsUrl === undefined ? [] : [`Metrics are at ${metricsUrl}`];
}

function describeDatabases({
  database,
  readDatabase,
}: Pick<ServiceFacts, 'database' | 'readDatabase'>): string {
  const readFrom =
    readDatabase === undefined ? '' : `, and shifts are read from ${describeDatabase(readDatabase)}`;
  return `The database is ${describeDatabase(database)}${readFrom}`;
}

function describeAccounts(accounts: readonly string[]): string {
  if (accounts.length === 0) return 'none yet';
  const rest = accounts.length - ACCOUNTS_SHOWN;
  return accounts.slice(0, ACCOUNTS_SHOWN).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
