import type { Flaw } from '../../store/records.ts';

/** What is wrong with a cell, and which option would solve it. */
export type Reason = Pick<Flaw, 'message' | 'fix'>;
