import type { Cleanup } from '../../test/support/database.ts';
import { makeDraw } from '../draw.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { makeTally, providePostgres, withCleanup } from '../trial.ts';
import { killDesk } from './kill-desk.ts';
import { killImport } from './kill-import.ts';
import { killServer } from './kill-server.ts';
import { losePower } from './power-loss.ts';

const LOSSES_PER_KILL = 5;
const REPORT_EVERY = 10;

export const crash: Part = {
  name: 'crash',
  promises: [
    'An import that is killed at any moment has changed nothing or everything, and no page is a mixture of two states.',
    'After a kill or a power loss, the database is whole: nothing is corrupt, no index or trigger is missing, and the next import works.',
    'A desk or a reader that is killed while it reads, imports or takes back leaves the account as it was or as it was to be, and the history says which; the next desk removes what the killed one left.',
    'A server that was killed lists what was committed last once it is started again; a worker is replaced by itself.',
  ],
  trial:
    'Imports of 20,000 shifts are killed (SIGKILL) in a phase that is drawn, which they tell by the statements that they send. ' +
    'Servers and workers are killed while plans are replaced; desks and their readers at random moments of a preview, an import and an undo. Clients read pages all the time, and each must be of one state. Afterwards `PRAGMA integrity_check` and ' +
    `\`shiftfeed doctor\` must find nothing. For each kill, ${LOSSES_PER_KILL} power losses on SQLite: the file and its log are ` +
    'copied while a writer is suspended at a random moment, and what the log has behind its last commit is cut and torn.',
  unit: 'kills',
  amounts: { quick: 12, whole: 200 },
  run: (order) => withCleanup((context) => run(context, order)),
};

async function run(context: Cleanup, { seed, amount, signal, report }: Order): Promise<Outcome> {
  await providePostgres(context);
  const tally = makeTally();
  for (let i = 0; i < amount && !signal.aborted; i++) {
    await tally.tryOne(seed + i, () => withCleanup((inner) => kill(inner, seed + i)));
    if ((i + 1) % REPORT_EVERY === 0) report(`${i + 1} kills`);
  }
  await withCleanup((inner) => losePower(inner, seed, amount * LOSSES_PER_KILL, signal, tally));
  return tally;
}

function kill(context: Cleanup, seed: number): Promise<string[]> {
  const draw = makeDraw(seed, 'victim');
  const kind = draw.weighted({ sqlite: 3, postgres: 2 });
  const victim = draw.weighted({ import: 5, server: 2, desk: 3 });
  return { import: killImport, server: killServer, desk: killDesk }[victim](context, seed, kind);
}
