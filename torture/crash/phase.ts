/** What an import does, in this order. */
export const PHASES = ['reading', 'merging', 'committing'] as const;
export type Phase = (typeof PHASES)[number];

export const PHASE_MARK = 'entering the phase ';
