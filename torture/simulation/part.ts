import type { Part } from '../part.ts';
import { inThreads } from './threads.ts';

export const simulation: Part = {
  name: 'simulation',
  promises: [
    'Whatever another program commits is seen by the very next request; behind a replica, once the replica has it.',
    'An answer is one state of the data, with its totals: never a mixture of two.',
    'A revoked or expired token gets no answer, nor does one of another account.',
    'Nobody is shown the past after the present, and equal entity tags mean equal bytes.',
    'While the database fails, requests end with a failure or an answer that says how old it is; afterwards all is well by itself.',
    'Months in memory stay within their budget.',
    'Whoever follows a stream is told states that were there, and in the end that of the database; a stream ends with its token.',
  ],
  trial:
    'The feed runs with a fake database, fake threads and a fake clock. A seed draws accounts, queries and events, and the ' +
    'order in which everything arrives: writes, imports, renamed and swapped accounts, revoked and expired tokens, restored ' +
    'backups, promoted standbys that lack commits, replaced files, replicas that lag or are made anew, answers that fail or never ' +
    'come, outages, threads that die, midnights in five time zones, caches from tiny to roomy. Every answer must be what filtering and sorting by hand gives for a state that the ' +
    'database had between the request and the answer, on a day that it was between them. Every failure must have a cause. ' +
    'Where two replicas answer in turn, which the manual advises against, no account gets the name of another: they would ' +
    'disagree on whose it is. A replica that still has what the others have lost may be believed there.',
  unit: 'histories',
  amounts: { quick: 5_000, whole: 100_000 },
  async run(order) {
    const { counts, failures } = await inThreads(order);
    return { figures: figuresOf(counts), failures };
  },
};

const FIGURES = {
  'requests answered': 'answers',
  'requests refused': 'refusals',
  'requests that ended with a failure of the database': 'unavailable',
  'changes told to streams': 'told',
  writes: 'write',
  'tokens revoked': 'revoke',
  'backups restored': 'restore',
  'backups restored without the table of accounts': 'restoreTables',
  'standbys promoted that may lack commits': 'promote',
  'replicas made anew': 'rebuild',
  'files replaced': 'replaceFile',
  'threads killed': 'killThread',
  'outages begun or ended': 'outage',
  'clock moved': 'clock',
};

function figuresOf(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(FIGURES).map(([name, key]) => [name, counts[key] ?? 0]));
}
