/** What an import does, in this order. Only the first large one of a SQLite database puts indexes away. */
export const PHASES = ['reading', 'merging', 'indexes away', 'committing'] as const;
export type Phase = (typeof PHASES)[number];

export const PHASE_MARK = 'entering the phase ';
