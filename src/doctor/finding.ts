/** What a check-up finds, as a sentence about it and one about what to do. */

export const CHECKS = {
  database: 'the database can be read, and its schema is of this version',
  integrity: 'the database finds no damage',
  schema: 'tables, indexes, constraints and triggers are as they should be',
  references: 'whatever rows refer to is there',
  stamps: 'every month that has shifts is stamped',
  'time zones': 'all time zones exist',
} as const;

export type Check = keyof typeof CHECKS;

export interface Diagnosis {
  /** What was looked at. */
  readonly checks: readonly Check[];
  readonly findings: readonly Finding[];
}

export interface Finding {
  /** What is not listed on purpose belongs to no check. */
  readonly check: Check | 'listing';
  /** False if it is only worth knowing. */
  readonly isWrong: boolean;
  /** The slug of the account that it is about. */
  readonly account: string | undefined;
  readonly sentence: string;
  readonly advice: string | undefined;
}
